import { open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, on, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { imported, lastLine, operate } from '../helpers/node-archives.ts';
import { indexed, indexIdle, labels, search } from '../helpers/searches.ts';
import { startPair, sync } from '../sync/nodes.ts';

const indexOf = ({ data }: Pick<TestNode, 'data'>, network = 'main') => searchFile(join(data, network));

async function find(node: TestNode, query: string, who: Person = operator(node)): Promise<string[]> {
  return labels(await search(node, who, 'entities', { query, limit: 100 })).toSorted();
}

const named = (label: string) => ({ properties: { label } });

/** A new identity is given to an index that is made anew. */
function epochOf(node: TestNode): string | undefined {
  const db = new Database(indexOf(node), { readonly: true });
  try {
    return db.prepare("SELECT value FROM meta WHERE name = 'epoch'").pluck().get() as string | undefined;
  } finally {
    db.close();
  }
}

describe('what the index lacks at a start', () => {
  /** Two starts on one folder, with something done to the index between. */
  async function restarted(between: (index: string, data: string) => Promise<unknown>) {
    await using folder = await temporaryFolder();
    let before: string | undefined;
    {
      await using node = await startNode({ data: folder.path });
      for (const label of ['Heron', 'Heron in flight']) await create(node, operator(node), named(label));
      await indexIdle(node);
      before = epochOf(node);
    }
    await between(indexOf({ data: folder.path }), folder.path);
    await using node = await startNode({ data: folder.path });
    await indexIdle(node);
    expect(await find(node, 'heron')).toEqual(['Heron', 'Heron in flight']);
    return { before, after: epochOf(node) };
  }

  test('nothing: it goes on with the same', async () => {
    const { before, after } = await restarted(async () => undefined);
    expect(after).toBe(before);
  });

  test.each<[string, (index: string) => Promise<unknown>]>([
    ['all of it: it was deleted', (index) => rm(index)],
    ['its beginning: the file is no database', (index) => writeFile(index, 'no database at all'.repeat(1000))],
    ['everything in it: the file is empty', (index) => truncate(index)],
    ['pages in the middle', (index) => spoil(index)],
    ['what a later program knows', (index) => relayout(index, 99)],
    ['what an earlier program did not know', (index) => relayout(index, 1)],
  ])('%s', async (_name, between) => {
    const { before, after } = await restarted(between);
    expect(after).not.toBe(before);
  });

  test('what came while nobody indexed: a kill loses nothing, since the cursor is with what it counts', async () => {
    await using folder = await temporaryFolder();
    const old = join(folder.path, 'old-index');
    {
      await using node = await startNode({ data: folder.path });
      await create(node, operator(node), named('Egret'));
      await indexIdle(node);
    }
    await writeFile(old, await readFile(indexOf({ data: folder.path })));
    let gone: Entity;
    {
      await using node = await startNode({ data: folder.path });
      gone = await indexed(node, operator(node), 'Egret asleep');
      await create(node, operator(node), named('Egret awake'));
      await remove(node, operator(node), gone);
      await indexIdle(node);
    }
    // The index as it was before: what a node that was killed finds.
    await rm(indexOf({ data: folder.path }));
    await writeFile(indexOf({ data: folder.path }), await readFile(old));
    await using node = await startNode({ data: folder.path });
    await indexIdle(node);
    expect(await find(node, 'egret')).toEqual(['Egret', 'Egret awake']);
  });
});

async function relayout(index: string, layout: number): Promise<void> {
  const db = new Database(index);
  db.pragma(`user_version = ${layout}`);
  db.exec('DROP TABLE again');
  db.close();
}

/** Garbage over the pages after the first ones. */
async function spoil(index: string): Promise<void> {
  const { size } = await stat(index);
  const file = await open(index, 'r+');
  try {
    const from = 4096 * 2;
    await file.write(Buffer.alloc(size - from, 0xa5), 0, size - from, from);
  } finally {
    await file.close();
  }
}

/** The same while it is used: all that is in the log goes into the file first, so that the damage is met. */
async function damage(index: string): Promise<void> {
  const db = new Database(index);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  await spoil(index);
}

describe('an index that breaks while the node runs', () => {
  test.each<[string, (index: string) => Promise<unknown>]>([
    ['is deleted', (index) => rm(index)],
    [
      'is deleted with its log',
      (index) => Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${index}${suffix}`, { force: true }))),
    ],
    ['is damaged', damage],
  ])('%s: the next search has it made anew, and so has the next write', async (_name, breaking) => {
    await using node = await startNode();
    const me = operator(node);
    for (let i = 0; i < 150; i++) await create(node, me, named(`Bittern ${i} in the reeds, booming`));
    await indexIdle(node);
    await breaking(indexOf(node));
    expect(await find(node, 'bittern')).toHaveLength(100);
    await indexIdle(node);
    await breaking(indexOf(node));
    await indexed(node, me, 'Bittern after');
    await indexIdle(node);
    expect(await find(node, 'bittern after')).toContain('Bittern after');
    expect(await find(node, 'booming')).toHaveLength(100);
  });

  test('`reindex` makes a damaged one anew', async () => {
    await using node = await startNode();
    for (let i = 0; i < 50; i++) await create(node, operator(node), named(`Avocet ${i}`));
    await indexIdle(node);
    await damage(indexOf(node));
    expect(await lastLine(await operate(node, 'POST /node/reindex'))).toMatchObject({ done: { entities: 51 } });
    expect(await find(node, 'avocet')).toHaveLength(50);
  });
});

describe('what moves', () => {
  test('a renamed artist re-labels a thousand works, slice after slice, while writes go on', async () => {
    await using node = await startNode();
    const me = operator(node);
    const artist = await create(node, me, { type: 'artist', properties: { label: 'Anonymous' } });
    const relationships = [{ predicate: 'made_by', peer: artist.id }];
    for (let n = 0; n < 1000; n += 100) {
      const entities = Array.from({ length: 100 }, (_, i) => ({
        ...{ type: 'artwork', relationships },
        ...named(`Plate ${n + i}`),
      }));
      ok(await ask(node, me, 'POST /entities/batch', { entities }));
    }
    await indexIdle(node);
    expect(await find(node, 'featherstone')).toEqual([]);
    const renamed = await update(node, me, artist, { properties: { label: 'Wilhelmina Featherstone' } });
    // Answered and found while the works are still looked at.
    const plate = await indexed(node, me, 'Plate afterwards');
    expect(await find(node, 'afterwards')).toEqual([plate.properties.label]);
    await indexIdle(node);
    const found = await search(node, me, 'entities', { query: 'featherstone', types: ['artwork'], limit: 100 });
    expect(found.results).toHaveLength(100);
    expect(await find(node, 'anonymous')).toEqual([]);
    await remove(node, me, renamed);
    await indexIdle(node);
    expect(await find(node, 'featherstone')).toEqual([]);
  });

  test('a work no longer has the label of an artist whom it left', async () => {
    await using node = await startNode();
    const me = operator(node);
    const [first, second] = await Promise.all(['Osgood', 'Pemberton'].map((label) => create(node, me, named(label))));
    const work = await create(node, me, {
      ...named('Sheet'),
      relationships: [{ predicate: 'made_by', peer: first?.id }],
    });
    await update(node, me, work, {
      relationships_remove: [{ predicate: 'made_by' }],
      relationships_add: [{ predicate: 'made_by', peer: second?.id }],
      sync_index: true,
    });
    expect(await find(node, 'osgood')).toEqual(['Osgood']);
    expect(await find(node, 'pemberton')).toEqual(['Pemberton', 'Sheet']);
  });

  test('what is deleted by a cascade never comes up, though the index has not passed it; restored it does', async () => {
    await using node = await startNode();
    const me = operator(node);
    const place = await collection(node, me, { label: 'Box' });
    const leaf = await create(node, me, { collection: place.id, ...named('Osprey leaf') });
    const root = await create(node, me, {
      collection: place.id,
      ...named('Osprey root'),
      relationships: [{ predicate: 'has', peer: leaf.id }],
    });
    await indexIdle(node);
    expect(await find(node, 'osprey')).toEqual(['Osprey leaf', 'Osprey root']);
    const body = { expect_tip: root.cid, collection_id: place.id, cascade_predicates: ['has'] };
    ok(await ask(node, me, `DELETE /entities/${root.id}/cascade`, body));
    // At once: the search looks at the entities themselves.
    expect(await find(node, 'osprey')).toEqual([]);
    const { cid } = ok<Entity>(await ask(node, me, `GET /entities/${leaf.id}/tip`));
    ok(await ask(node, me, `POST /entities/${leaf.id}/restore`, { expect_tip: cid }));
    await indexIdle(node);
    expect(await find(node, 'osprey')).toEqual(['Osprey leaf']);
  });

  test('an entity that moved to another collection is found there, and its old one does not speak of it', async () => {
    await using node = await startNode();
    const me = operator(node);
    const [from, to] = await Promise.all(['Attic', 'Cellar'].map((label) => collection(node, me, { label })));
    const work = await indexed(node, me, 'Kingfisher', { collection: from?.id });
    const within = async (where: Entity | undefined) =>
      labels(await search(node, me, 'entities', { query: 'kingfisher', collection_id: where?.id }));
    expect([await within(from), await within(to)]).toEqual([['Kingfisher'], []]);
    const moved = await update(node, me, work, {
      relationships_remove: [{ predicate: 'collection' }],
      relationships_add: [{ predicate: 'collection', peer: to?.id }],
    });
    expect([await within(from), await within(to)]).toEqual([[], ['Kingfisher']]);
    await indexIdle(node);
    const speaking = async () => labels(await search(node, me, 'collections', { query: 'kingfisher' }));
    expect(await speaking()).toEqual(['Cellar']);
    await remove(node, me, moved, { sync_index: true });
    await indexIdle(node);
    expect(await speaking()).toEqual([]);
  });

  test('what sync brings is found, as it changes and goes', async () => {
    await using pair = await startPair({ keyed: false });
    const { origin, mirror, curator, here } = pair;
    const work = await create(origin, curator, named('Gannet'));
    const other = await create(origin, curator, named('Gannet gone'));
    await sync(mirror, here);
    await indexIdle(mirror);
    expect(await find(mirror, 'gannet')).toEqual(['Gannet', 'Gannet gone']);
    await update(origin, curator, work, named('Gannet renamed'));
    await remove(origin, curator, other);
    await sync(mirror, here);
    await indexIdle(mirror);
    expect(await find(mirror, 'gannet')).toEqual(['Gannet renamed']);
  });

  test('what an archive brings is found', async () => {
    await using from = await startNode();
    await create(from, operator(from), named('Whimbrel'));
    const car = new Uint8Array(await (await operate(from, 'GET /node/export')).arrayBuffer());
    await using to = await startNode();
    await imported(to, car);
    await indexIdle(to);
    expect(await find(to, 'whimbrel')).toEqual(['Whimbrel']);
  });

  test('each network has an index of its own', async () => {
    await using node = await startNode();
    const me = operator(node);
    const there = on('test', me);
    await indexed(node, me, 'Dotterel of main');
    ok(await ask(node, there, 'POST /entities', { type: 'document', sync_index: true, ...named('Dotterel of test') }));
    expect(await find(node, 'dotterel')).toEqual(['Dotterel of main']);
    expect(await find(node, 'dotterel', there)).toEqual(['Dotterel of test']);
    expect(await lastLine(await operate(node, 'POST /node/reindex', undefined, 'test'))).toMatchObject({
      done: { network: 'test' },
    });
    expect(await find(node, 'dotterel', there)).toEqual(['Dotterel of test']);
  });
});

test('an index that is not of this database is made anew: a backup was restored below it', async () => {
  await using folder = await temporaryFolder();
  const [dir, data] = [join(folder.path, 'backup'), join(folder.path, 'data')];
  {
    await using node = await startNode({ data });
    await create(node, operator(node), named('Redshank'));
    expect(await lastLine(await operate(node, 'POST /node/backup', { dir }))).toHaveProperty('done');
    // The same number of moves, and other ones.
    await create(node, operator(node), named('Greenshank'));
    await indexIdle(node);
  }
  const index = await readFile(indexOf({ data }));
  await rm(data, { recursive: true });
  await restoreBackup(dir, data, () => undefined);
  {
    await using node = await startNode({ data });
    await create(node, operator(node), named('Spotted redshank'));
    await indexIdle(node);
  }
  await rm(indexOf({ data }));
  await writeFile(indexOf({ data }), index);
  await using node = await startNode({ data });
  await indexIdle(node);
  expect(await find(node, 'redshank')).toEqual(['Redshank', 'Spotted redshank']);
  expect(await find(node, 'greenshank')).not.toContain('Greenshank');
});

test('writes are answered while an index cannot go on, and wait for it no longer than they said', async () => {
  await using node = await startNode();
  const me = operator(node);
  await indexed(node, me, 'Curlew');
  // Somebody holds the index: its thread waits, and nobody else.
  const holder = new Database(indexOf(node));
  holder.exec('BEGIN IMMEDIATE');
  try {
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => create(node, me, named(`Curlew ${i}`))));
    expect(made).toHaveLength(20);
    expect(await find(node, 'curlew')).toEqual(['Curlew']);
  } finally {
    holder.exec('ROLLBACK');
    holder.close();
  }
  await indexIdle(node);
  expect(await find(node, 'curlew')).toHaveLength(21);
});

test('answers say how much an index lacks that cannot follow, until it has', async () => {
  await using node = await startNode();
  const me = operator(node);
  const snipe = await indexed(node, me, 'Snipe');
  const place = await collection(node, me);
  await indexIdle(node);
  const alike = async () =>
    (await ask(node, me, `GET /collections/${place.id}/entities/search?similar_to=${snipe.id}`)).body;
  expect(await alike()).not.toHaveProperty('index');
  const metadata = async () => (await search(node, me, 'entities', { query: 'snipe' })).metadata;
  const asked = async () => (await ask(node, me, 'POST /query', { path: '"snipe"' })).body as { metadata: unknown };
  expect(await metadata()).not.toHaveProperty('index');
  const held = new Database(indexOf(node));
  try {
    held.exec('BEGIN IMMEDIATE');
    const entities = Array.from({ length: 100 }, () => ({ type: 'note', ...named('Snipe too') }));
    for (let n = 0; n < 2; n++) expect((await ask(node, me, 'POST /entities/batch', { entities })).status).toBe(201);
    const lacking = { index: { complete: false, changes_missing: 200 } };
    expect(await metadata()).toMatchObject({ result_count: 1, ...lacking });
    expect((await asked()).metadata).toMatchObject(lacking);
    expect(await alike()).toMatchObject({ entities: [], count: 0, ...lacking });
    expect((await ask(node, me, 'POST /query', { path: 'type:user' })).body).not.toHaveProperty('metadata.index');
  } finally {
    held.exec('ROLLBACK');
    held.close();
  }
  await vi.waitFor(async () => expect(await metadata()).not.toHaveProperty('index'), 30_000);
  expect((await asked()).metadata).not.toHaveProperty('index');
  expect(await find(node, 'snipe too')).toHaveLength(100);
});
