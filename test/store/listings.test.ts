import { expect, test, vi } from 'vitest';
import { openReader, type Reader } from '../../src/server/store/connection.ts';
import { countEntities, findEntity, findStored, findTip } from '../../src/server/store/entities.ts';
import { floorAfter, lastMove, movesAfter, movesBefore } from '../../src/server/store/events.ts';
import { treeBelow } from '../../src/server/store/graph/tree-reads.ts';
import { entityMoves } from '../../src/server/store/history-reads.ts';
import { listProcessors } from '../../src/server/store/jobs/processor-list.ts';
import { catalogPage, rolesHeldBy } from '../../src/server/store/listings/collection-reads.ts';
import { compileFilter } from '../../src/server/store/listings/filter.ts';
import { lookUp, searchLabels } from '../../src/server/store/listings/label-reads.ts';
import { ListingAnchors } from '../../src/server/store/listings/listing-anchors.ts';
import { collectionsNaming, type ListingQuery, listEntities } from '../../src/server/store/listings/listings.ts';
import { userCollections } from '../../src/server/store/listings/user-collections.ts';
import { findVersion, firstAuthor } from '../../src/server/store/versions.ts';
import { explaining } from '../helpers/plans.ts';
import { first, idOf, next, openStore, step, type TestStore } from '../helpers/store.ts';

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

const reads: { name: string; read: (db: Reader) => unknown; uses: RegExp; sorts?: true }[] = [
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
    read: (db) => [...collectionsNaming(db, [idOf(2)])],
    uses: /SEARCH d USING (COVERING )?INDEX edge_peer \(peer=\?\)/,
    sorts: true,
  },
  { name: 'an entity', read: (db) => findEntity(db, idOf(100)), uses: /SEARCH e USING INDEX .*entity.* \(id=\?\)/ },
  {
    name: 'stored JSON',
    read: (db) => findStored(db, idOf(100), 1000),
    uses: /SEARCH e USING INDEX .*entity.* \(id=\?\)/,
  },
  { name: 'a tip', read: (db) => findTip(db, idOf(100)), uses: /SEARCH entity USING INDEX .*entity.* \(id=\?\)/ },
  {
    name: 'a version',
    read: (db) => findVersion(db, findTip(db, idOf(100)) as string),
    uses: /SEARCH t USING PRIMARY KEY \(tail=\?\)\nCORRELATED SCALAR SUBQUERY 1\nSEARCH block USING INTEGER PRIMARY KEY/,
  },
  {
    name: 'the first author',
    read: (db) => firstAuthor(db, idOf(100)),
    uses: /SEARCH b USING (COVERING )?INDEX block_entity \(entity=\? AND ver=\?\)/,
  },
  {
    name: 'moves before',
    read: (db) => movesBefore(db, 9, 5),
    uses: /SEARCH moves USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  },
  {
    name: 'moves after',
    read: (db) => movesAfter(db, 2, 5),
    uses: /SEARCH moves USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  },
  {
    name: 'a lookup by label',
    read: (db) => lookUp(db, { collection: idOf(1), label: 'x', limit: 5 }),
    uses: /SEARCH l USING PRIMARY KEY \(collection=\?\)/,
    sorts: true,
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
    sorts: true,
  },
  {
    name: 'a tree',
    read: (db) => treeBelow(db, { root: idOf(100), depth: 1, limit: 5 }),
    uses: /SEARCH d USING PRIMARY KEY \(source=\?\)/,
  },
  { name: 'the floor of a time', read: (db) => floorAfter(db, 0, 5), uses: /SEARCH moves USING INTEGER PRIMARY KEY/ },
  { name: 'the last move', read: lastMove, uses: /SEARCH moves/ },
];

test('a lookup by label reads no more entities than it gives, whatever has that label', async () => {
  await using opened = await openStore('here');
  const made = Array.from({ length: 40 }, (_, n) =>
    first(idOf(100 + n), {
      created_at: day(1 + (n % 20)),
      properties: { label: 'Untitled' },
      relationships: [['collection', idOf(1)]],
    }),
  );
  await opened.store.submit(made.map((it) => step(null, it)));
  let entities = 0;
  const counting = (db: Reader): Reader => ({
    get: (sql, ...params) => {
      entities++;
      return db.get(sql, ...params);
    },
    all: <T>(sql: string, ...params: Parameters<Reader['all']>[1][]) => {
      const rows = db.all<T>(sql, ...params);
      entities += rows.length;
      return rows;
    },
    each: (sql, ...params) => db.each(sql, ...params),
  });
  const query = { collection: idOf(1), label: 'untitled', limit: 3 };
  const found = opened.store.read((db) => lookUp(counting(db), query));
  expect(found.map(({ id }) => id)).toEqual([idOf(119), idOf(139), idOf(118)]);
  // One of them is the collection.
  expect(entities).toBe(4);
});

test.each(reads)('$name is read by an index', async ({ read, uses, sorts }) => {
  await using opened = await openStore('here');
  await filled(opened);
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    expect(read(explaining(db, plans))).toBeDefined();
    expect(plans.join('\n')).toMatch(uses);
    expect(plans.filter((line) => line.startsWith('SCAN') && line !== 'SCAN page')).toEqual([]);
    const sorted = plans.filter((line) => line.includes('TEMP B-TREE'));
    expect(sorted).toHaveLength(sorts ? 1 : 0);
  } finally {
    db.close();
  }
});

test('the collections of somebody who has very many are put in order once, and without what stands in them', async () => {
  await using opened = await openStore('here');
  const user = idOf(1);
  const roles = { owner: ['*:view'], viewer: ['*:view'] };
  const made = Array.from({ length: 1300 }, (_, n) =>
    first(idOf(1000 + n), {
      type: 'collection',
      created_at: day(1 + Math.floor(n / 400)),
      properties: { label: `number ${n}`, roles: n % 10 === 0 ? {} : roles },
      relationships:
        n % 5 === 0
          ? [['owner', user]]
          : [
              ['owner', user],
              ['viewer', user],
            ],
    }),
  );
  await opened.store.submit(made.map((one) => step(null, one)));
  const db = openReader(opened.file);
  const page = (reader: Reader, limit: number, offset: number) =>
    JSON.parse(userCollections(reader, { user, ids: [user], registered: false, limit, offset, now: 0 }));
  try {
    const all = page(db, 5000, 0);
    const held = (one: { id: string; created_at: string }, predicate: string) => ({ ...one, predicate });
    const wanted = made
      .filter((_, n) => n % 10 !== 0)
      .map(({ id, manifest: { created_at } }) => ({ id, created_at }))
      .sort((a, b) => b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id))
      .flatMap((one) =>
        Number(one.id.slice(-4)) % 5 === 0 ? [held(one, 'owner')] : [held(one, 'owner'), held(one, 'viewer')],
      );
    expect(all.collections).toMatchObject(wanted);
    expect(all.pagination).toEqual({ offset: 0, limit: 5000, count: wanted.length, has_more: false });
    const plans: string[] = [];
    expect(page(explaining(db, plans), 3, 2100)).toMatchObject({
      collections: wanted.slice(2100, 2103),
      pagination: { count: 3, has_more: true },
    });
    expect(plans.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY'))).toHaveLength(1);
  } finally {
    db.close();
  }
});

test('a filter is tried on all of a long listing', async () => {
  await using opened = await openStore('here');
  const collection = first(idOf(0), { type: 'collection' });
  const made = Array.from({ length: 2500 }, (_, n) =>
    first(idOf(n + 1), {
      type: n % 2 === 0 ? 'person' : 'place',
      created_at: new Date(Date.UTC(2026, 0, 1) + (n % 700) * 1000).toISOString(),
      properties: { _n: n },
      relationships: [['collection', collection.id]],
    }),
  );
  await opened.store.submit([step(null, collection), ...made.map((one) => step(null, one))]);
  const list = (filter: object, page: { limit: number; offset: number; type?: string }) =>
    opened.store.read((db) =>
      listEntities(db, { collection: collection.id, expand: false, filter: compileFilter(filter, []), ...page }),
    );
  const whole = { limit: 5000, offset: 0 };
  const all = list({ _n: { $gte: 0 } }, whole).entities.map(({ id }) => id);
  expect(all).toEqual(
    opened.store
      .read((db) => listEntities(db, { collection: collection.id, expand: false, ...whole }))
      .entities.map(({ id }) => id),
  );
  const fit = { _n: { $in: [3, 777, 1500, 2222, 2499] } };
  const { entities, more } = list(fit, whole);
  expect(entities.map(({ id }) => id).sort()).toEqual([3, 777, 1500, 2222, 2499].map((n) => idOf(n + 1)));
  expect(more).toBe(false);
  const paged = [0, 2, 4].map((offset) => list(fit, { limit: 2, offset }));
  expect(paged.flatMap((page) => page.entities)).toEqual(entities);
  expect(paged.map((page) => page.more)).toEqual([true, true, false]);
  expect(list(fit, { ...whole, type: 'place' }).entities).toEqual(entities.filter(({ type }) => type === 'place'));
  let seconds = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 6000 * seconds++);
  try {
    expect(list({ _n: -1 }, whole)).toEqual({ entities: [], more: true, late: true });
  } finally {
    clock.mockRestore();
  }
});

test('a filter that takes long ends among few entities, too, which may be large', async () => {
  await using opened = await openStore('here');
  await filled(opened);
  const list = (limit: number) => {
    const filter = compileFilter({ type: 'document' }, []);
    return opened.store.read((db) =>
      listEntities(db, { collection: idOf(1), limit, offset: 0, expand: false, filter }),
    );
  };
  let seconds = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 3000 * seconds++);
  try {
    const { entities, ...rest } = list(10);
    expect(entities.map(({ id }) => id)).toEqual([idOf(109), idOf(106)]);
    expect(rest).toEqual({ more: true, late: true });
    seconds = 0;
    // The page is full before.
    expect(list(1)).toMatchObject({ entities: [{ id: idOf(109) }], more: true });
  } finally {
    clock.mockRestore();
  }
});

test('a condition has SQLite read anew no more than the property that it is on', () => {
  // What json_each is given it reads whenever it is asked; what the other functions are given they remember.
  for (const condition of [{ _a: 1 }, { _a: true }, { _a: { $ne: 'x' } }, { _a: { $in: [1, 'x', true] } }]) {
    const given = compileFilter(condition, []).sql.match(/json_each\([^)]*\)/g);
    expect(given).toEqual(['json_each(e.json -> ?)']);
  }
});

test('live and deleted entities are counted without reading their rows, and those that are only named are not', async () => {
  await using opened = await openStore('here');
  const counts = () => opened.store.read(countEntities);
  expect(counts()).toEqual({ live: 0, deleted: 0 });
  // They name the collections 1 and 3 and the entity 2, which are not here.
  await filled(opened);
  expect(counts()).toEqual({ live: 11, deleted: 0 });
  const made = first(idOf(300));
  const gone = next(made, { deleted: true });
  await opened.store.submit([step(null, made)]);
  expect(counts()).toEqual({ live: 12, deleted: 0 });
  await opened.store.submit([step(made, gone)]);
  expect(counts()).toEqual({ live: 11, deleted: 1 });
  await opened.store.submit([step(gone, next(gone, { properties: { label: 'again' } }))]);
  await opened.store.submit([step(null, first(idOf(2)))]);
  expect(counts()).toEqual({ live: 13, deleted: 0 });
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    expect(countEntities(explaining(db, plans))).toEqual(counts());
    for (const part of [
      /SCAN entity USING COVERING INDEX sqlite_autoindex_entity/,
      /SCAN entity USING INDEX entity_unknown/,
      /SEARCH entity USING COVERING INDEX entity_deleted/,
    ])
      expect(plans.join('\n')).toMatch(part);
    expect(plans.filter((line) => line.includes('entity') && !line.includes('INDEX'))).toEqual([]);
  } finally {
    db.close();
  }
});

test('anchors stand where a listing has them, also after something was written', async () => {
  await using opened = await openStore('here');
  // Many made at one moment, so that their ids alone tell them apart.
  const made = Array.from({ length: 60 }, (_, n) =>
    first(idOf(100 + n), {
      type: n % 3 === 0 ? 'document' : 'person',
      created_at: day(1 + Math.floor(n / 25)),
      relationships: [['collection', idOf(1)]],
    }),
  );
  await opened.store.submit(made.slice(0, 50).map((it) => step(null, it)));
  const db = openReader(opened.file);
  const anchors = new ListingAnchors(7);
  const check = () => {
    db.snapshot((reader) => {
      const [{ key: collection } = { key: 0 }] = reader.all<{ key: number }>(
        'SELECT key FROM entity WHERE id = ?',
        idOf(1),
      );
      expect(anchors.before(reader, { collection, offset: 500 })).toBeNull();
      for (const type of [undefined, 'person']) {
        const query = { collection: idOf(1), type, limit: 100, offset: 0, expand: false };
        const all = listEntities(reader, query).entities;
        for (const offset of [3, 6, 7, 40, 13, 14, 48, 0, 500]) {
          const anchor = anchors.before(reader, { collection, type, offset });
          const before = Math.floor(Math.min(offset, all.length) / 7) * 7;
          expect(anchor?.offset ?? 0).toBe(before);
          if (anchor)
            expect(anchor).toMatchObject({ id: all[before - 1]?.id, created_at: all[before - 1]?.created_at });
        }
      }
    });
  };
  try {
    check();
    await opened.store.submit(made.slice(50).map((it) => step(null, it)));
    check();
    await opened.store.submit(made.slice(20, 30).map((it) => step(it, next(it, { deleted: true }))));
    check();
  } finally {
    db.close();
  }
});

test('pages far behind are those of a listing that is counted from its beginning', async () => {
  await using opened = await openStore('here');
  const made = Array.from({ length: 6500 }, (_, n) =>
    first(idOf(1000 + n), {
      type: n % 5 === 0 ? 'document' : 'person',
      created_at: day(1 + Math.floor(n / 2100)),
      relationships: [['collection', idOf(1)]],
    }),
  );
  await opened.store.submit(made.map((it) => step(null, it)));
  const db = openReader(opened.file);
  const page = (query: Partial<ListingQuery>) =>
    db.snapshot((reader) => {
      const wanted = { collection: idOf(1), limit: 10_000, offset: 0, expand: false, ...query };
      return listEntities(reader, wanted).entities.map(({ id }) => id);
    });
  try {
    for (const type of [undefined, 'person']) {
      const all = page({ type });
      for (const offset of [1999, 2000, 2001, 3999, 4000, 4500, 6499, 6500, 9000])
        expect(page({ type, offset, limit: 30 })).toEqual(all.slice(offset, offset + 30));
    }
    const plans: string[] = [];
    const reader = explaining(db, plans);
    for (let looks = 0; looks < 2; looks++)
      listEntities(reader, { collection: idOf(1), limit: 10, offset: 6000, expand: false });
    expect(plans.join('\n')).toContain('SEARCH l USING PRIMARY KEY (collection=? AND created_at<?)');
  } finally {
    db.close();
  }
});

test('what a list says of a processor ends with a whole character', async () => {
  await using opened = await openStore('here');
  const [long, name] = ['x'.repeat(2047), 'x'.repeat(99)];
  const properties = { label: 'Crow', description: `${long}🐦`, accepts: { types: [`${name}🐦`], cardinality: 'one' } };
  await opened.store.submit([step(null, first(idOf(1), { type: 'klados', properties }))]);
  const query = { types: ['klados'] as const, status: null, part: '', limit: 10, offset: 0 };
  const { processors } = opened.store.read((db) => listProcessors(db, query));
  expect(processors).toMatchObject([{ description: long, accepts: { types: [name] } }]);
});
