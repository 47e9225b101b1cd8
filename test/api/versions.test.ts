import { CID } from 'multiformats/cid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import type { VersionsView } from '../../src/server/resources/versions/wire.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
const history: Entity[] = [];
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  history.push(await create(node, ada, { properties: { n: 1 }, relationships: [{ predicate: 'by', peer: ada.id }] }));
  for (let n = 2; n <= 23; n++) history.push(await update(node, ada, history.at(-1) as Entity, { properties: { n } }));
});
afterAll(() => node[Symbol.asyncDispose]());

const page = async (query = '') =>
  (await ask(node, anonymous, `GET /versions/${history[0]?.id}${query}`)).body as VersionsView;

describe('a history', () => {
  it('is read page by page, newest first, until nothing is left', async () => {
    const seen: string[] = [];
    let from = '';
    for (let more = true; more; ) {
      const { versions, has_more, next_cursor } = await page(from && `?from=${from}`);
      seen.push(...versions.map(({ cid }) => cid));
      expect([versions.length, has_more]).toEqual(seen.length < 23 ? [10, true] : [3, false]);
      expect(next_cursor === null).toBe(!has_more);
      [more, from] = [has_more, next_cursor ?? ''];
    }
    expect(seen).toEqual(history.map(({ cid }) => cid).toReversed());
  });

  it('ends at version 1 without a cursor', async () => {
    const { versions, has_more, next_cursor } = await page(`?from=${history[0]?.cid}&limit=1`);
    expect([versions.map(({ ver }) => ver), has_more, next_cursor]).toEqual([[1], false, null]);
  });

  it.each(['limit=0', 'limit=11', 'limit=x', 'limit=1&limit=2', 'from=x', 'from='])(
    'is refused with %s',
    async (query) => {
      expect((await ask(node, ada, `GET /versions/${history[0]?.id}?${query}`)).status).toBe(400);
    },
  );
});

describe('a version by its CID', () => {
  it('hashes to it', async () => {
    for (const { cid } of history.slice(0, 3)) {
      const { body } = await ask(node, anonymous, `GET /versions/manifest/${cid}`);
      const { manifest } = body as { manifest: JsonObject };
      expect(encodeHistoric(manifest).cid).toBe(cid);
      expect(CID.parse(cid)).toMatchObject({ version: 1, code: 0x71, multihash: { code: 0x12 } });
    }
  });

  it.each(['bafyqaaa', 'bafkqaaa', 'x', '%00'])('is not found by %s', async (cid) => {
    expect((await ask(node, anonymous, `GET /versions/manifest/${cid}`)).status).toBe(404);
  });

  it('begins with no link, and then names the one before', async () => {
    const prev = async ({ cid }: Entity) =>
      ((await ask(node, ada, `GET /versions/manifest/${cid}`)).body as { manifest: { prev: unknown } }).manifest.prev;
    const [one, two] = history as [Entity, Entity];
    expect([await prev(one), await prev(two)]).toEqual([null, { '/': one.cid }]);
  });
});

describe('the events', () => {
  it('are read backwards to the first, each tip move once', async () => {
    const seen: { id: number; cid: string }[] = [];
    let query = '';
    for (let more = true; more; ) {
      const { body } = await ask(node, anonymous, `GET /events?limit=7${query}`);
      const { events, has_more, cursor } = body as { events: typeof seen; has_more: boolean; cursor: number };
      seen.push(...events);
      expect(cursor).toBe(events.at(-1)?.id);
      [more, query] = [has_more, `&cursor=${cursor}`];
    }
    const ids = seen.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    const cids = new Set(history.map(({ cid }) => cid));
    expect(seen.filter(({ cid }) => cids.has(cid)).map(({ cid }) => cid)).toEqual([...cids].toReversed());
  });
});
