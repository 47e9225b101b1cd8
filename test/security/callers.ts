import type { Actor } from '../../src/server/model/actor.ts';
import type { Scene } from '../contract/row.ts';
import { ask, impostor, on, onBehalf, type Person, processor, user } from '../helpers/callers.ts';
import { collection, create, enrol, ok } from '../helpers/entities.ts';

/** Everybody who may ask, by what they are to the scene's collection. */
export interface Cast {
  /** Whose credentials do not hold; they are nobody anywhere. */
  invalid: Record<string, Person>;
  /** Whose credentials hold. */
  valid: Record<string, Person>;
  nobody: Person;
  unregistered: Person;
  /** The owner, on the other network. */
  elsewhere: Person;
}

export async function castOf(s: Scene): Promise<Cast> {
  const { node, owner } = s;
  const { identity } = node.ctx;
  const key = (text: string): Person => ({ id: '', headers: { Authorization: `ApiKey ${text}` } });

  const expired = identity.createKey({ kind: 'user', account: owner.id, expiresIn: 0 });
  const revoked = ok<{ key: string; key_prefix: string }>(
    await ask(node, owner, 'POST /users/me/keys', { label: 'revoked' }),
  );
  ok(await ask(node, owner, `DELETE /users/me/keys/${revoked.key_prefix}`));

  const home = await collection(node, owner);
  const made = async (type: 'agent' | 'klados') => {
    const properties = { label: type, endpoint: `https://${type}.test`, status: 'development' };
    const { id, cid } = await create(node, owner, { type, collection: home.id, properties });
    return { id, cid, key: processor(node, id, owner, type) };
  };
  const [agent, klados, editing] = [await made('agent'), await made('klados'), await made('agent')];
  await enrol(node, owner, s.collection.id, editing.key, 'editor');
  const [disabled, deleted] = [await made('agent'), await made('klados')];
  ok(await ask(node, owner, `PUT /agents/${disabled.id}`, { expect_tip: disabled.cid, status: 'disabled' }));
  ok(await ask(node, owner, `DELETE /entities/${deleted.id}`, { expect_tip: deleted.cid }));
  const foreign = await createOn(s, 'klados');

  return {
    nobody: s.anonymous,
    unregistered: s.unregistered,
    elsewhere: on('test', owner),
    invalid: {
      'an unknown key': impostor,
      'a key that has expired': key(expired.key),
      'a key that was revoked': key(revoked.key),
      'a key as Bearer': {
        id: '',
        headers: { Authorization: (owner.headers.Authorization ?? '').replace('ApiKey', 'Bearer') },
      },
      'the key of a disabled agent': disabled.key,
      'the key of a deleted klados': deleted.key,
      'the key of a klados of the other network': foreign,
      'no scheme': { id: '', headers: { Authorization: (owner.headers.Authorization ?? '').replace('ApiKey ', '') } },
    },
    valid: {
      'a stranger': s.stranger,
      'another owner': await anotherOwner(s),
      'a viewer': s.viewer,
      'an editor': s.editor,
      'the owner': owner,
      'the operator': s.operator,
      'the service account': s.service,
      'the service account for a stranger': onBehalf(s.service, s.stranger),
      'an agent without a role': agent.key,
      'a klados without a role': klados.key,
      'an agent that may edit': editing.key,
    },
  };
}

/** A user who owns a collection, and nothing of the scene's. */
async function anotherOwner({ node }: Scene): Promise<Person> {
  const person = await user(node, 'another owner');
  await collection(node, person);
  return person;
}

async function createOn({ node, owner }: Scene, type: 'klados'): Promise<Person> {
  const there = on('test', owner);
  ok(await ask(node, there, 'GET /users/me'));
  const properties = { label: type, endpoint: `https://${type}.test`, status: 'development' };
  const home = await collection(node, there);
  const { id } = await create(node, there, { type, collection: home.id, properties });
  return processor(node, id, owner, type);
}

/** Who the node takes somebody for. */
export async function actorOf({ node }: Scene, { headers }: Person): Promise<Actor> {
  const shown = { authorization: headers.Authorization, onBehalfOf: headers['X-On-Behalf-Of'], network: undefined };
  return (await node.ctx.authenticate({ ...shown, cookie: undefined })).actor;
}
