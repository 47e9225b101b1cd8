import { expect, test } from 'vitest';
import { catalogPage, rolesHeldBy } from '../../src/server/store/collection-reads.ts';
import { type Connection, openReader, type Reader } from '../../src/server/store/connection.ts';
import { findEntity, findStored, findTip, tipsPage } from '../../src/server/store/entities.ts';
import { floorAt, lastMove, movesAfter, movesBefore } from '../../src/server/store/events.ts';
import { entityMoves } from '../../src/server/store/history-reads.ts';
import { lookUp, searchLabels } from '../../src/server/store/label-reads.ts';
import { collectionsNaming, type ListingQuery, listEntities } from '../../src/server/store/listings.ts';
import { treeBelow } from '../../src/server/store/tree-reads.ts';
import { findVersion, firstAuthor } from '../../src/server/store/versions.ts';
import { first, idOf, openStore, step, type TestStore } from '../helpers/store.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();

/** Ten entities in one collection, two a day, every third a document; and one elsewhere. */
async function filled(test: TestStore): Promise<void> {
  const made = Array.from({ length: 10 }, (_, n) =>
    first(idOf(100 + n), {
      type: n % 3 === 0 ? 'document' : 'person',
      created_at: day(1 + Math.floor(n / 2)),
      relationships: [
        ['collection', idOf(1)],
        ['knows', idOf(2)],
      ],
    }),
  );
  const elsewhere = first(idOf(200), { relationships: [['collection', idOf(3)]] });
  await test.store.submit([...made, elsewhere].map((it) => step(null, it)));
}

test('a listing gives the newest first, then by id, in pages, by type', async () => {
  await using opened = await openStore('here');
  await filled(opened);
  const list = (query: Partial<ListingQuery>) =>
    opened.store.read((db) => {
      const page = listEntities(db, { collection: idOf(1), limit: 100, offset: 0, expand: false, ...query });
      return { ids: page.entities.map(({ id }) => Number(id.slice(-3))), more: page.more };
    });
  expect(list({})).toEqual({ ids: [108, 109, 106, 107, 104, 105, 102, 103, 100, 101], more: false });
  expect(list({ limit: 3 })).toEqual({ ids: [108, 109, 106], more: true });
  expect(list({ limit: 3, offset: 8 })).toEqual({ ids: [100, 101], more: false });
  expect(list({ limit: 10 })).toMatchObject({ more: false });
  expect(list({ offset: 50 })).toEqual({ ids: [], more: false });
  expect(list({ type: 'document' })).toEqual({ ids: [109, 106, 103, 100], more: false });
  expect(list({ type: 'document', limit: 1, offset: 1 })).toEqual({ ids: [106], more: true });
  expect(list({ type: 'unheard of' })).toEqual({ ids: [], more: false });
  const filter = { sql: 'e.id > ?', params: [idOf(105)] };
  expect(list({ filter, type: 'person' })).toEqual({ ids: [108, 107], more: false });
  expect(list({ filter, limit: 2, offset: 1 })).toEqual({ ids: [109, 106], more: true });
});

/** A reader that keeps the plans of the statements that pass through it. */
function explaining(db: Connection, plans: string[]): Reader {
  const explain = (sql: string, params: Parameters<Reader['all']>[1][]) => {
    const rows = db.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params) as { detail: string }[];
    plans.push(...rows.map(({ detail }) => detail));
  };
  return {
    get: (sql, ...params) => {
      explain(sql, params);
      return db.get(sql, ...params);
    },
    all: (sql, ...params) => {
      explain(sql, params);
      return db.all(sql, ...params);
    },
    each: (sql, ...params) => {
      explain(sql, params);
      return db.each(sql, ...params);
    },
  };
}

const reads: { name: string; read: (db: Reader) => unknown; uses: RegExp }[] = [
  {
    name: 'the history of one entity',
    read: (db) => entityMoves(db, { id: idOf(1), before: 10, limit: 5 }),
    uses: /SEARCH m USING INDEX moves_entity \(entity=\? AND rowid<\?\)/,
  },
  {
    name: 'a listing',
    read: (db) => listEntities(db, { collection: idOf(1), limit: 10, offset: 0, expand: true }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'a listing by type',
    read: (db) => listEntities(db, { collection: idOf(1), type: 'person', limit: 10, offset: 0, expand: false }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'a filtered listing',
    read: (db) =>
      listEntities(db, {
        collection: idOf(1),
        limit: 10,
        offset: 0,
        expand: false,
        filter: { sql: 'e.label = ?', params: ['x'] },
      }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'the collections that name a user',
    read: (db) => collectionsNaming(db, [idOf(2)], { limit: 10, offset: 0 }),
    uses: /SEARCH d USING (COVERING )?INDEX edge_peer \(peer=\?\)/,
  },
  { name: 'an entity', read: (db) => findEntity(db, idOf(100)), uses: /SEARCH e USING INDEX .*entity.* \(id=\?\)/ },
  { name: 'stored JSON', read: (db) => findStored(db, idOf(100)), uses: /SEARCH e USING INDEX .*entity.* \(id=\?\)/ },
  { name: 'a tip', read: (db) => findTip(db, idOf(100)), uses: /SEARCH entity USING INDEX .*entity.* \(id=\?\)/ },
  { name: 'a page of tips', read: (db) => tipsPage(db, idOf(100), 5), uses: /SEARCH entity USING INDEX .* \(id>\?\)/ },
  {
    name: 'a version',
    read: (db) => findVersion(db, findTip(db, idOf(100)) as string),
    uses: /SEARCH b USING INDEX .*block.* \(cid=\?\)/,
  },
  {
    name: 'the first author',
    read: (db) => firstAuthor(db, idOf(100)),
    uses: /SEARCH b USING (COVERING )?INDEX block_entity \(entity=\? AND ver=\?\)/,
  },
  {
    name: 'moves before',
    read: (db) => movesBefore(db, 9, 5),
    uses: /SEARCH m USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  },
  {
    name: 'moves after',
    read: (db) => movesAfter(db, 2, 5),
    uses: /SEARCH m USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  },
  {
    name: 'a lookup by label',
    read: (db) => lookUp(db, { collection: idOf(1), label: 'x', limit: 5 }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'a lookup by type',
    read: (db) => lookUp(db, { collection: idOf(1), type: 'x', limit: 5 }),
    uses: /SEARCH listing USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'a search of labels',
    read: (db) => searchLabels(db, { collection: idOf(1), part: 'x', limit: 5 }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
  },
  {
    name: 'the catalog',
    read: (db) => catalogPage(db, { limit: 5, offset: 0 }),
    uses: /SEARCH entity USING INDEX entity_type \(type=\?\)/,
  },
  {
    name: 'the collections where somebody holds roles',
    read: (db) => rolesHeldBy(db, { ids: [idOf(2)], includeExpired: false, now: 0, limit: 5, offset: 0 }),
    uses: /SEARCH edge USING COVERING INDEX edge_peer \(peer=\?\)/,
  },
  {
    name: 'a tree',
    read: (db) => treeBelow(db, { root: idOf(100), depth: 1, limit: 5 }),
    uses: /SEARCH d USING PRIMARY KEY \(source=\?\)/,
  },
  { name: 'the floor of a time', read: (db) => floorAt(db, 5), uses: /SEARCH moves USING INTEGER PRIMARY KEY/ },
  { name: 'the last move', read: lastMove, uses: /SEARCH moves/ },
];

test.each(reads)('$name is read by an index', async ({ read, uses }) => {
  await using opened = await openStore('here');
  await filled(opened);
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    expect(read(explaining(db, plans))).toBeDefined();
    expect(plans.join('\n')).toMatch(uses);
    expect(plans.filter((line) => line.startsWith('SCAN') && line !== 'SCAN page')).toEqual([]);
    const sorted = plans.filter((line) => line.includes('TEMP B-TREE'));
    // Only the few collections of one user are sorted by hand.
    expect(sorted).toHaveLength(uses.source.includes('edge_peer') ? 1 : 0);
  } finally {
    db.close();
  }
});
