import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, invalid, notFound, ok, read, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

const send = (path: string, source: Entity, target: { id: string }, body: object = {}) =>
  ask(node, ada, `POST /connect${path}`, {
    source_id: source.id,
    target_id: target.id,
    expect_tip: source.cid,
    ...body,
  });
const linked = async (...of: Parameters<typeof send>) => ok<{ source: Entity }>(await send(...of)).source;

describe('a connection', () => {
  it('is a relationship of the source alone', async () => {
    const target = await create(node, ada);
    const source = await linked('', await create(node, ada), target, { predicate: 'cites', note: 'why' });
    expect(source.relationships).toEqual([
      { predicate: 'cites', peer: target.id, peer_type: 'document', peer_label: '' },
    ]);
    expect(await read(node, ada, source.id)).toEqual(source);
    expect(await read(node, ada, target.id)).toEqual(target);
    expect((await ask(node, ada, `GET /versions/${source.id}?limit=1`)).body).toMatchObject({
      versions: [{ note: 'why' }],
    });
  });

  it('made again keeps what is not said anew', async () => {
    const target = await create(node, ada);
    const first = await linked('', await create(node, ada), target, { label: 'a', description: 'b' });
    const second = await linked('', first, target, { label: 'c' });
    expect(second.relationships.map(({ predicate, properties }) => [predicate, properties])).toEqual([
      ['connects_to', { label: 'c', description: 'b' }],
    ]);
  });

  it('leads to nothing that is deleted', async () => {
    const grave = await remove(node, ada, await create(node, ada));
    const answer = await send('', await create(node, ada), grave);
    expect([answer.status, answer.body]).toEqual([404, notFound]);
  });

  it('takes text only as it can be stored', async () => {
    const answer = await send('', await create(node, ada), await create(node, ada), { label: '\ud800' });
    expect([answer.status, answer.body]).toEqual([400, invalid(['label'], expect.any(String))]);
  });
});

describe('a disconnection', () => {
  it('leaves other predicates and other targets, and works where the target is deleted', async () => {
    const [target, other] = [await create(node, ada), await create(node, ada)];
    const one = await linked('', await create(node, ada), target);
    const two = await linked('', one, target, { predicate: 'cites' });
    const three = await linked('', two, other);
    const left = await linked('/disconnect', three, await remove(node, ada, target));
    expect(left.relationships.map(({ predicate, peer }) => [predicate, peer])).toEqual([
      ['cites', target.id],
      ['connects_to', other.id],
    ]);
  });
});
