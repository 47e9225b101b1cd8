import Database from 'better-sqlite3';
import { describe, expect, it, test } from 'vitest';
import { BusyError, StorageError } from '../../src/server/errors.ts';
import { AdditiveFollower } from '../../src/server/resources/updates/follower.ts';
import { additiveItems } from '../../src/server/store/additive.ts';
import type { QueuedRow } from '../../src/server/store/additive-rows.ts';
import type { Commit } from '../../src/server/store/commit.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { ask, operator, type Person, processor, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

// What waits when the node stops is applied at the next start, with the rights of that time.

interface Item {
  status: string;
  error: string | null;
  attempts: number;
}

const items = async (node: TestNode, id: string) =>
  ok<{ items: Item[] }>(await ask(node, operator(node), `GET /updates/queue/${id}`)).items.toReversed();

function waiting(id: string, asker: object, addition: object): QueuedRow {
  const summary = JSON.stringify({ relationships: 0, first: [], keys: [], note: null });
  return { kind: 'additive', id, actor: JSON.stringify(asker), summary, body: JSON.stringify(addition) };
}

/** Puts updates where a stop would have left them. */
async function leave(folder: string, rows: QueuedRow[]): Promise<void> {
  const store = await NetworkStore.open(folder, 'main', { writer: 'here' });
  const commit: Commit = { changes: [], preconditions: [], rows, origin: 'local', time: 0 };
  expect(await store.submit([commit])).toMatchObject([{ committed: true, queued: rows.map((_, i) => i + 1) }]);
  await store.close();
}

const as = (who: Person) => ({ kind: 'user', id: who.id });

describe('after a stop', () => {
  it('what waits for an entity whose version is damaged ends with that, and what waits for others is applied', async () => {
    await using folder = await temporaryFolder();
    const { me, broken, whole } = await (async () => {
      await using node = await startNode({ data: folder.path });
      const me = operator(node);
      return { me, broken: await create(node, me), whole: await create(node, me) };
    })();
    const db = new Database(databaseFile(folder.path, 'main'));
    const damage = 'UPDATE block SET bytes = zeroblob(length(bytes)) WHERE key = (SELECT tip FROM entity WHERE id = ?)';
    expect(db.prepare(damage).run(broken.id).changes).toBe(1);
    db.close();
    const addition = { properties: { n: 1 } };
    await leave(folder.path, [
      ...Array.from({ length: 300 }, () => waiting(broken.id, as(me), addition)),
      waiting(whole.id, as(me), addition),
    ]);
    await using node = await startNode({ data: folder.path });
    await node.ctx.additive.idle();
    expect((await read(node, me, whole.id)).properties).toEqual(addition.properties);
    const store = await node.ctx.networks.get('main');
    const { failed, items } = store.read((db) => additiveItems(db, broken.id, 1));
    expect([failed, items[0]?.error]).toEqual([300, expect.stringMatching(/damaged.*restore a backup/)]);
  });

  it('what waits for one entity and actor becomes one version, of two actors two', async () => {
    await using folder = await temporaryFolder();
    const { ada, bob, target } = await (async () => {
      await using node = await startNode({ data: folder.path });
      const [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
      const home = await collection(node, ada);
      await enrol(node, ada, home.id, bob, 'editor');
      return { ada, bob, target: await create(node, ada, { collection: home.id }) };
    })();
    const rows = Array.from({ length: 600 }, (_, n) =>
      waiting(target.id, as(n % 2 ? ada : bob), { properties: { [`p${n}`]: n }, note: 'n' }),
    );
    await leave(folder.path, rows);
    for (let start = 0; start < 2; start++) {
      await using node = await startNode({ data: folder.path });
      await node.ctx.additive.idle();
      const { ver, properties } = await read(node, ada, target.id);
      expect(properties).toEqual(Object.fromEntries(rows.map((_, n) => [`p${n}`, n])));
      expect(ver).toBe(3);
      expect((await items(node, target.id)).map(({ status }) => status)).toEqual(Array(100).fill('completed'));
    }
  });

  it('an update whose actor, entity or role is no longer good fails for that reason, and the others do not', async () => {
    await using folder = await temporaryFolder();
    const scene = await (async () => {
      await using node = await startNode({ data: folder.path });
      const [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
      const home = await collection(node, ada, {
        roles: { curator: ['*:view', 'entity:update', 'collection:update'] },
      });
      await enrol(node, ada, home.id, bob, 'curator');
      const klados = await create(node, ada, { type: 'klados', collection: home.id });
      await enrol(node, ada, home.id, processor(node, klados.id, ada), 'editor');
      const [gone, live] = [
        await create(node, ada, { collection: home.id }),
        await create(node, ada, { collection: home.id }),
      ];
      for (const entity of [gone, klados]) await remove(node, ada, entity);
      return { ada, bob, home, klados, gone, live, system: service(node) };
    })();
    const { ada, bob, home, klados, gone, live, system } = scene;
    const a = { properties: { a: 1 } };
    const nobody = '01J00000000000000000000000';
    await leave(folder.path, [
      waiting(gone.id, as(ada), a),
      waiting(live.id, { kind: 'processor', id: klados.id, type: 'klados', owner: ada.id }, a),
      waiting(live.id, as({ ...bob, id: nobody }), a),
      waiting(live.id, { kind: 'service', id: system.id, behalf: bob.id }, a),
      // One group: of these, the second needs collection:manage.
      waiting(home.id, as(bob), { properties: { first: 1 } }),
      waiting(home.id, as(bob), { relationships_add: [{ predicate: 'owner', peer: bob.id, peer_type: 'user' }] }),
      waiting(home.id, as(bob), { properties: { third: 3 } }),
    ]);
    await using node = await startNode({ data: folder.path });
    await node.ctx.additive.idle();
    const failed = (error: string) => ({ status: 'failed', error, attempts: 1 });
    const done = { status: 'completed', error: null, attempts: 1 };
    expect(await items(node, gone.id)).toMatchObject([failed('entity_id the entity is deleted')]);
    expect(await items(node, live.id)).toMatchObject([
      failed('The processor is deleted or disabled'),
      failed('User is not registered any more'),
      done,
    ]);
    expect(await items(node, home.id)).toMatchObject([done, failed('Action not allowed: collection:manage'), done]);
    expect(await read(node, ada, live.id)).toMatchObject({ ver: 2, edited_by: { on_behalf_of: bob.id } });
    const { ver, properties, relationships } = await read(node, ada, home.id);
    expect([ver, properties.first, properties.third]).toEqual([home.ver + 3, 1, 3]);
    expect(relationships.filter((r) => r.predicate === 'owner').map((r) => r.peer)).toEqual([ada.id]);
  });
});

test('the queue takes a bounded number of updates', async () => {
  await using node = await startNode();
  const entity: Entity = await create(node, operator(node));
  const store = await node.ctx.networks.get('main');
  const { writes, additions: preparer, log } = node.ctx;
  const large = { above: 0, prepare: () => Promise.reject(new Error('nothing is applied')) };
  new AdditiveFollower(store, { writes, preparer, large, log, stop: AbortSignal.abort() });
  const rows = Array.from({ length: 1000 }, () => waiting(entity.id, as(operator(node)), {}));
  const queue = (some: QueuedRow[]) =>
    store.submit([{ changes: [], preconditions: [], rows: some, origin: 'local', time: 0 }]);
  for (let n = 0; n < 100; n++) await queue(rows);
  await expect(queue(rows.slice(0, 1))).rejects.toThrow(BusyError);
  expect((await update(node, operator(node), entity, {})).ver).toBe(2);
});

test('after a writer that died with an update on disk and no answer, each later one is applied by itself', async () => {
  await using node = await startNode();
  const me = operator(node);
  const entity: Entity = await create(node, me);
  const main = await node.ctx.networks.get('main');
  let dies = false;
  const store = NetworkStore.beside(node.data, 'main', main.fileId, {
    submit: async (commits: Commit[]) => {
      const outcomes = await main.submit(commits);
      if (!dies) return outcomes;
      dies = false;
      throw new StorageError('The writer stopped unexpectedly');
    },
    load: () => ({ groups: 0, waitingBytes: 0, checkpointFault: null }),
    close: async () => undefined,
  });
  const { writes, additions: preparer, log } = node.ctx;
  // Nothing here is large.
  const large = { above: Infinity, prepare: () => Promise.reject(new Error('not here')) };
  const stop = new AbortController();
  const follower = new AdditiveFollower(store, { writes, preparer, large, log, stop: stop.signal });
  const add = (n: number) => {
    const rows = [waiting(entity.id, as(me), { properties: { [`p${n}`]: n } })];
    return store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: 0 }]);
  };
  const written = async () => {
    await follower.idle();
    return Object.keys((await read(node, me, entity.id)).properties).filter((name) => /^p\d$/.test(name));
  };
  dies = true;
  await expect(add(0)).rejects.toThrow(StorageError);
  expect(await written()).toEqual(['p0']);
  for (const n of [1, 2, 3]) {
    await add(n);
    expect(await written()).toContain(`p${n}`);
  }
  stop.abort();
  await store.close();
});

test('the queue of writes without expect_tip takes a bounded number, too', async () => {
  await using node = await startNode();
  const { writes } = node.ctx;
  const store = await node.ctx.networks.get('main');
  const { promise, resolve } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 1000 }, (_, n) => writes.queued(store, 'A', () => promise.then(() => n)));
  await expect(writes.queued(store, 'A', async () => 0)).rejects.toThrow(BusyError);
  expect(await writes.queued(store, 'B', async () => 'other')).toBe('other');
  resolve();
  expect(await Promise.all(taken)).toEqual(taken.map((_, n) => n));
  expect(await writes.queued(store, 'A', async () => 'again')).toBe('again');
});
