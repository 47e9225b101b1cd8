import { expect, test } from 'vitest';
import { ask, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import { activated, allow, command, replying } from '../helpers/local.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { type Pair, startPair, sync, tipsOf } from './nodes.ts';

// A plain remote says what is pushed there by versions of its own, by the user of the key: who made it here stays.

async function pushed({ mirror, here, origin }: Pair, ...entities: Entity[]): Promise<void> {
  for (let run = 0; run < 2; run++) await sync(mirror, here);
  const [ours, theirs] = [await tipsOf(mirror), await tipsOf(origin)];
  for (const { id } of entities) expect(ours[id]).toBe(theirs[id]);
}

test('whoever made a processor here may manage and invoke it, though a plain remote has it by another user', async () => {
  await using pair = await startPair({ plain: true });
  const { mirror, here } = pair;
  const ann = await user(mirror, 'ann');
  const home = await collection(mirror, here);
  await enrol(mirror, here, home.id, ann, 'editor');
  const all = [
    await klados(mirror, ann, home.id),
    await agent(mirror, ann, home.id),
    await rhiza(mirror, ann, home.id),
  ];
  await pushed(pair, ...all);
  for (const { id, type } of all) {
    expect((await read(mirror, ann, id)).edited_by.user_id).toBe(pair.curator.id);
    const { allowed_actions } = ok<{ allowed_actions: string[] }>(
      await ask(mirror, ann, `GET /entities/${id}/permissions`),
    );
    expect(allowed_actions).toEqual(expect.arrayContaining([`${type}:manage`, `${type}:invoke`]));
  }
});

test('a workflow that was written here starts its command for others still, until a plain remote changes what it does', async () => {
  await using pair = await startPair({ plain: true });
  const { mirror, here, origin, curator } = pair;
  await allow(mirror, { echo: replying('return {}') });
  const tool = await command(mirror, here, (await collection(mirror, here)).id, 'echo');
  const shared = await collection(mirror, here, { roles: { public: ['*:view', 'rhiza:invoke'] } });
  const flow = { only: { klados: { id: tool.id, type: 'klados' }, then: { done: true } } };
  const made = await rhiza(mirror, here, shared.id, { entry: 'only', flow });
  await pushed(pair, made);
  await activated(mirror, here, 'rhizai', await read(mirror, here, made.id));
  const ann = await user(mirror, 'ann');
  const target = { target_entity: made.id, target_collection: (await collection(mirror, ann)).id };
  const isReady = async () =>
    ok<{ all_ready: boolean }>(await ask(mirror, ann, `POST /rhizai/${made.id}/invoke`, target)).all_ready;
  expect(await isReady()).toBe(true);
  await pushed(pair, made);
  expect(await isReady()).toBe(true);

  const twice = { ...flow, only: { ...flow.only, then: { pass: 'again' } }, again: flow.only };
  const { cid } = await read(origin, curator, made.id);
  ok(await ask(origin, curator, `PUT /rhizai/${made.id}`, { expect_tip: cid, flow: twice }));
  await pushed(pair, made);
  expect(await isReady()).toBe(false);
});
