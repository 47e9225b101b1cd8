import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import { folder, peers } from '../helpers/folders.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// A folder of 10,000 children, the first 600 of which are here.

const total = 10_000;
const here = 600;

let node: TestNode;
let ada: Person;
let big: Entity;
let files: string[];
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  const home = await collection(node, ada);
  const made = await folder(node, ada, { collection: home.id });
  files = (await Promise.all(Array.from({ length: here / 100 }, () => batch(home.id)))).flat();
  const elsewhere = Array.from({ length: total - here }, (_, i) => `01J00000000000000000${String(i).padStart(6, '0')}`);
  const relationships_add = [...files, ...elsewhere].map((peer) => ({
    predicate: 'contains',
    peer,
    peer_type: 'file',
  }));
  big = ok(await ask(node, ada, `PUT /folders/${made.id}`, { expect_tip: made.cid, relationships_add }));
});
afterAll(() => node[Symbol.asyncDispose]());

async function batch(home: string): Promise<string[]> {
  const entities = Array.from({ length: 100 }, (_, i) => ({ type: 'file', properties: { label: `file ${i}` } }));
  const answer = await ask(node, ada, 'POST /entities/batch', { entities, default_collection: home });
  return ok<{ results: { id: string }[] }>(answer).results.map(({ id }) => id);
}

describe('a folder of 10,000 children, made by one PUT', () => {
  it('is read whole', async () => {
    const answer = await ask(node, ada, `GET /folders/${big.id}`);
    expect(answer.body).toEqual(big);
    expect(peers(big, 'contains')).toHaveLength(total);
  });

  it('is expanded within the limits', async () => {
    const path = `GET /entities/${big.id}?expand=relationships:preview&expand_limit=500`;
    interface Expanded extends Entity {
      relationships: (Entity['relationships'][number] & { peer_preview?: { label: string } })[];
      _expansion_metadata: object;
    }
    const { relationships, _expansion_metadata } = ok<Expanded>(await ask(node, ada, path));
    expect(_expansion_metadata).toEqual({ total: total + 1, expanded: 500, truncated: true });
    expect(relationships).toHaveLength(total + 1);
    const previews = relationships.map((r) => r.peer_preview?.label);
    expect(previews.slice(1, 500)).toEqual(files.slice(0, 499).map((_, i) => `file ${i % 100}`));
    expect(previews.slice(500).every((label) => label === undefined)).toBe(true);
  });

  it('takes 50 more in one version, and completes those of which it is the only side', async () => {
    const [fresh, half] = [await batch(peers(big, 'collection')[0] as string), files.slice(0, 10)];
    const children = [...fresh.slice(0, 40), ...half].map((id) => ({ id }));
    const answer = await ask(node, ada, `POST /folders/${big.id}/children/bulk`, { expect_tip: big.cid, children });
    const made = ok<{ folder: Entity; added: { id: string }[] }>(answer);
    expect([made.folder.ver, made.added.length]).toEqual([big.ver + 1, 50]);
    expect(peers(made.folder, 'contains')).toHaveLength(total + 40);
    for (const { id } of children) expect(peers(await read(node, ada, id), 'in')).toEqual([big.id]);
    big = made.folder;
  });
});
