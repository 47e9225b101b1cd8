import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, ok, update } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { first, idOf, step } from '../helpers/store.ts';
import { addRemote, failedSync, keyOf, lines, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';
import { startProxied } from './proxied.ts';
import { type Call, startProxy } from './proxy.ts';
import { look, nearlySix, withoutPolls } from './watching.ts';

interface Watched {
  watch: boolean;
  max_kbps: number | null;
  hours: string | null;
  next_run_at: string | null;
  last_run: { ended_at: string; error: string | null } | null;
  lag: { events: number | null; seconds: number | null };
  unread_expire_in_h: number | null;
  words: string[];
  pending: number;
}

const stateOf = async (...args: Parameters<typeof remoteOf>) => (await remoteOf(...args)) as unknown as Watched;

describe('a remote that is watched', () => {
  test('T7: is pulled from and pushed to by itself, an edit here long before the next poll', async () => {
    await using pair = await startPair({ mirror: { watch: true, now: nearlySix } });
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const work = await create(origin, curator, { collection: place.id, properties: { label: 'One' } });
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
    await vi.waitFor(async () => expect((await read(mirror, here, work.id)).cid).toBe(work.cid), 15_000);

    await withoutPolls(mirror, here);
    const theirs = await update(origin, curator, work, { properties: { label: 'Two' } });
    await vi.waitFor(async () => expect((await read(mirror, here, work.id)).cid).toBe(theirs.cid), 15_000);

    await using onlooker = await look(mirror, here);
    await update(mirror, here, theirs, { properties: { label: 'Three' } });
    await onlooker.until(({ run }) => run !== null && run.report.updated === 1);
    expect((await read(origin, curator, work.id)).properties).toMatchObject({ label: 'Three' });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    // What was pushed comes as an event of the remote, too, which is read a moment later.
    const rest = { watch: true, pending: 0, lag: { events: 0 } };
    await vi.waitFor(async () => expect(await stateOf(mirror, here)).toMatchObject(rest), 15_000);
  });

  test('is listened to once it answers as a node, though it did not when the watching began', async () => {
    await using opened = new AsyncDisposableStack();
    const origin = opened.use(await startNode());
    const proxy = opened.use(await startProxy(origin.url, { plain: false }));
    const mirror = opened.use(await startNode({ watch: true }));
    const here = operator(mirror);
    const streams = () => proxy.calls.filter(({ path }) => path.startsWith('/node/events/stream')).length;
    const cards = () => proxy.calls.filter(({ path }) => path === '/.well-known/archeion').length;
    await addRemote(mirror, here, { url: proxy.url, watch: false });
    proxy.fault = ({ path }) => (path === '/.well-known/archeion' ? { status: 404, body: {} } : undefined);
    const before = cards();
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
    await vi.waitFor(() => expect(cards()).toBeGreaterThan(before), 15_000);
    await vi.waitFor(async () => expect((await stateOf(mirror, here)).last_run).not.toBeNull(), 15_000);
    expect(streams()).toBe(0);
    proxy.fault = () => undefined;
    await sync(mirror, here);
    await vi.waitFor(() => expect(streams()).toBe(1), 15_000);
  });

  test('is listened to with its new key, when it has been given another one', async () => {
    await using opened = new AsyncDisposableStack();
    const origin = opened.use(await startNode());
    const proxy = opened.use(await startProxy(origin.url, { plain: false }));
    const [first, second] = [await user(origin, 'first'), await user(origin, 'second')];
    const mirror = opened.use(await startNode({ watch: true }));
    const here = operator(mirror);
    const listenedWith = (who: Person) =>
      proxy.calls.some(
        ({ path, headers }) => path.startsWith('/node/events/stream') && headers.authorization?.includes(keyOf(who)),
      );
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(first), watch: true });
    await vi.waitFor(() => expect(listenedWith(first)).toBe(true), 15_000);
    expect(listenedWith(second)).toBe(false);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(second) }));
    await vi.waitFor(() => expect(listenedWith(second)).toBe(true), 15_000);
  });

  test('is synced with at once when it has been given another key, however long it failed before', async () => {
    await using scene = await startProxied({ works: 1, mirror: { watch: true, now: nearlySix } });
    const { origin, mirror, proxy, here } = scene;
    proxy.fault = ({ path }) => (path.startsWith('/events') ? { status: 401, body: { error: 'expired' } } : undefined);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
    await withoutPolls(mirror, here);
    const failed = { last_run: { fault: 'denied' }, next_run_at: expect.any(String) };
    await vi.waitFor(async () => expect(await stateOf(mirror, here)).toMatchObject(failed), 15_000);
    proxy.fault = () => undefined;
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(await user(origin, 'second')) }));
    await vi.waitFor(async () => expect(await tipsOf(mirror)).toEqual(await tipsOf(origin)), 15_000);
  });

  test('is synced with at once when it has been given another address', async () => {
    const mirrorOptions = { watch: true, now: nearlySix, wait: async () => undefined };
    await using scene = await startProxied({ works: 1, mirror: mirrorOptions });
    const { origin, mirror, proxy, here } = scene;
    proxy.fault = () => 'cut';
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
    await withoutPolls(mirror, here);
    const failed = { last_run: { fault: 'unreachable' }, next_run_at: expect.any(String) };
    await vi.waitFor(async () => expect(await stateOf(mirror, here)).toMatchObject(failed), 15_000);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/address', { url: origin.url }));
    await vi.waitFor(async () => expect(await tipsOf(mirror)).toEqual(await tipsOf(origin)), 15_000);
  });

  test('is watched on after a restart, also on a network that nobody has asked for yet', async () => {
    await using folder = await temporaryFolder();
    await using origin = await startNode();
    const curator = await user(origin, 'curator');
    const testing = (headers: Record<string, string>) => ({ ...headers, 'X-Arke-Network': 'test' });
    {
      await using mirror = await startNode({ data: folder.path });
      const here = { id: '', headers: testing(operator(mirror).headers) };
      await addRemote(mirror, here, { url: origin.url, watch: true, max_kbps: 8000 });
      // A node that runs for one command leaves remotes alone.
      expect(await stateOf(mirror, here)).toMatchObject({ watch: true, max_kbps: 8000, next_run_at: null });
    }
    const work = await create(origin, { id: '', headers: testing(curator.headers) }, { properties: { label: 'One' } });
    await using again = await startNode({ data: folder.path, watch: true });
    await vi.waitFor(async () => {
      const [store] = again.ctx.networks.opened().filter(({ network }) => network === 'test');
      expect(store && (await tipsOf(again, 'test'))).toEqual({ [work.id]: work.cid });
    }, 15_000);
  });

  test('can be synced by hand and removed at any time, and then is not watched any more', async () => {
    await using pair = await startPair({ mirror: { watch: true } });
    const { origin, mirror, curator, here } = pair;
    await using onlooker = await look(mirror, here);
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
    for (let n = 0; n < 5; n++) {
      await create(origin, curator, { properties: { n } });
      await sync(mirror, here);
    }
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect((await ask(mirror, here, 'DELETE /node/remotes/origin')).status).toBe(204);
    for (let line = await onlooker.next(); line !== undefined; line = await onlooker.next());
    expect((await ask(mirror, here, 'POST /node/remotes/origin/watch')).status).toBe(404);
  });

  test('T3: is left alone for as long as it wants, whatever is edited here meanwhile, also after a restart', async () => {
    await using folder = await temporaryFolder();
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ data: folder.path });
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    proxy.fault = ({ path }) =>
      path.startsWith('/events') ? { status: 429, headers: { 'Retry-After': '7200' } } : undefined;
    await using onlooker = await look(mirror, here);
    const { run, next_run_at } = await onlooker.until((line) => line.run !== null);
    const calls = proxy.calls.length;
    expect(run?.error).toMatch(/wants to be left alone for 7200 seconds/);
    expect(Date.parse(next_run_at ?? '') - Date.parse(run?.ended_at ?? '')).toBeGreaterThanOrEqual(7_200_000);
    await create(mirror, here, { properties: { label: 'mine' } });
    expect(await stateOf(mirror, here)).toMatchObject({ pending: 1, next_run_at });
    expect(proxy.calls).toHaveLength(calls);

    await mirror[Symbol.asyncDispose]();
    await using again = await startNode({ data: folder.path });
    await using next = await look(again, here);
    expect((await next.next())?.next_run_at).toBe(next_run_at);
    const error = expect.stringContaining('left alone');
    expect(await failedSync(again, here)).toEqual({ status: 502, error });
    proxy.fault = () => undefined;
    expect(await sync(again, here)).toMatchObject({ created: 1 });
    const after = await next.until((line) => line.run?.error === null);
    expect(Date.parse(after.next_run_at ?? '')).toBeLessThan(Date.parse(next_run_at ?? ''));
  });

  test('T3: is left alone for as long as it wants, also where a run by hand was ended before it was answered', async () => {
    await using folder = await temporaryFolder();
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ data: folder.path });
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url });
    proxy.fault = ({ path }) =>
      path.startsWith('/events') ? { status: 429, headers: { 'Retry-After': '3600' } } : undefined;
    await ask(mirror, here, 'POST /node/remotes/origin/sync');
    proxy.fault = () => ({ trickles: 1000 });
    const calls = proxy.calls.length;
    const byHand = ask(mirror, here, 'POST /node/remotes/origin/sync');
    await vi.waitFor(() => expect(proxy.calls.length).toBeGreaterThan(calls), 15_000);
    ok(await ask(mirror, here, 'POST /node/remotes/origin/stop'));
    await byHand;
    expect((await stateOf(mirror, here)).last_run?.error).toBe('It was ended before it was done.');
    await mirror[Symbol.asyncDispose]();
    await using again = await startNode({ data: folder.path });
    await using onlooker = await look(again, here);
    const next = Date.parse((await onlooker.next())?.next_run_at ?? '') - Date.now();
    expect(next).toBeGreaterThan(3_000_000);
  });

  test('T3: is left alone for as long as it wants, too, where it says so to writes alone', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode();
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    const work = await create(mirror, here, { properties: { label: 'mine' } });
    const isWrite = ({ method, path }: Call) => method === 'POST' && path.split('?')[0] === '/entities';
    proxy.fault = (call) => (isWrite(call) ? { status: 503, headers: { 'Retry-After': '3600' } } : undefined);
    await using onlooker = await look(mirror, here);
    const { run, next_run_at } = await onlooker.until((line) => line.run !== null);
    expect(run?.error).toMatch(/wants to be left alone for 3600 seconds/);
    expect(Date.parse(next_run_at ?? '') - Date.parse(run?.ended_at ?? '')).toBeGreaterThanOrEqual(3_600_000);
    expect(proxy.calls.filter(isWrite)).toHaveLength(1);
    // It may have done what it was sent: its tip is read first.
    proxy.fault = () => undefined;
    proxy.calls.length = 0;
    expect(await sync(mirror, here)).toMatchObject({ created: 1 });
    const first = proxy.calls.findIndex(isWrite);
    expect(proxy.calls.findIndex(({ path }) => path === `/entities/${work.id}/tip`)).toBeLessThan(first);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  });

  test('T2: that fails at one entity is sent the next edit soon, however often it failed', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode();
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    const poison = await create(mirror, here, { properties: { label: 'poison' } });
    proxy.fault = ({ method, body }) => (method === 'POST' && body.includes(poison.id) ? { status: 500 } : undefined);
    await using onlooker = await look(mirror, here);
    const isFailed = ({ run }: { run: { error: string | null } | null }) => run !== null && run.error !== null;
    for (let failed = 0; failed < 7; failed++) {
      await ask(mirror, here, 'POST /node/remotes/origin/sync');
      await onlooker.until(isFailed);
    }
    expect((await stateOf(mirror, here)).last_run?.error).toContain('Everything else was sent');
    const edit = await create(mirror, here, { properties: { label: 'edit' } });
    await vi.waitFor(async () => expect((await read(origin, curator, edit.id)).id).toBe(edit.id), 15_000);
  });

  test('is watched on where the database cannot be read for a while when a run ends', async () => {
    await using folder = await temporaryFolder();
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ data: folder.path, watch: true });
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    const meddle = (sql: string) => {
      const db = new Database(databaseFile(folder.path, 'main'));
      db.exec(sql);
      db.close();
    };
    proxy.fault = ({ method }) => (method === 'POST' ? { trickles: 100 } : undefined);
    const sent = () => proxy.calls.some(({ method }) => method === 'POST');
    const first = await create(mirror, here, { properties: { label: 'One' } });
    await using onlooker = await look(mirror, here);
    await vi.waitFor(() => expect(sent()).toBe(true), 15_000);
    await create(mirror, here, { properties: { label: 'Two' } });
    meddle('ALTER TABLE push_pending RENAME TO gone');
    proxy.fault = ({ method }) => (method === 'POST' ? 'cut' : undefined);
    proxy.breakOff();
    await onlooker.until(({ run }) => run?.error !== undefined && run.error !== null);
    meddle('ALTER TABLE gone RENAME TO push_pending');
    proxy.fault = () => undefined;
    await vi.waitFor(async () => expect((await read(origin, curator, first.id)).id).toBe(first.id), 60_000);
  });

  test('T4: goes on right after a run by hand with what was edited during that', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ now: nearlySix });
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
    await using onlooker = await look(mirror, here);
    await onlooker.until(({ run }) => run !== null);
    await withoutPolls(mirror, here);
    // Its feed has it wait for a second: at the beginning, and once something was sent first.
    let waits = true;
    let writes = 0;
    const isWrite = ({ method, path }: Call) => method === 'POST' && path.split('?')[0] === '/entities';
    proxy.fault = (call) => {
      const { path } = call;
      if (isWrite(call) && ++writes === 1) waits = true;
      if (!waits || !path.startsWith('/events')) return undefined;
      waits = false;
      return { status: 429, headers: { 'Retry-After': '1' } };
    };
    const waiting = () => vi.waitFor(() => expect(waits).toBe(false), 15_000);
    const isSent = ({ run }: { run: { report: { created: number } } | null }) => run?.report.created === 1;
    const byHand = sync(mirror, here);
    await waiting();
    await create(mirror, here, { properties: { label: 'first' } });
    await vi.waitFor(() => expect(proxy.calls.some(isWrite)).toBe(true), 15_000);
    await waiting();
    await create(mirror, here, { properties: { label: 'second' } });
    expect(await byHand).toMatchObject({ created: 1 });
    await onlooker.until(isSent);
    await onlooker.until(isSent);
  });

  test('T4: is left alone at edits of what does not go there, whatever is held back by a conflict or a refusal', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ now: nearlySix });
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    const place = await collection(origin, curator, { label: 'Works' });
    const work = await create(origin, curator, { collection: place.id, properties: { label: 'One' } });
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), collections: [place.id] });
    await sync(mirror, here);
    await update(mirror, here, work, { properties: { label: 'Mine' } });
    await update(origin, curator, work, { properties: { label: 'Theirs' } });
    const bad = await create(mirror, here, { collection: place.id, properties: { label: 'bad' } });
    proxy.fault = ({ method, body }) =>
      method === 'POST' && body.includes(bad.id) ? { status: 400, body: { error: 'Validation failed' } } : undefined;
    await sync(mirror, here);
    expect(await stateOf(mirror, here)).toMatchObject({ pending: 2, conflicts: 1, refused: 1 });
    await using onlooker = await look(mirror, here);
    await onlooker.until(({ run }) => run !== null);
    await withoutPolls(mirror, here);
    const due = async () => (await stateOf(mirror, here)).next_run_at;
    const evening = await due();
    await create(mirror, here, { properties: { label: 'of this node alone' } });
    expect(await due()).toBe(evening);
    const edit = await update(mirror, here, bad, { properties: { label: 'good' } });
    proxy.fault = () => undefined;
    await vi.waitFor(
      async () => expect((await read(origin, curator, bad.id)).properties).toEqual(edit.properties),
      15_000,
    );
  });

  test('T4: is left alone at edits of what does not go there, however much is held back', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode({ now: nearlySix });
    const curator = await user(origin, 'curator');
    const here = operator(mirror);
    const place = await collection(origin, curator, { label: 'Works' });
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), collections: [place.id] });
    await sync(mirror, here);
    const store = await mirror.ctx.networks.get('main');
    const relationships: [string, string][] = [['collection', place.id]];
    const refused = Array.from({ length: 510 }, (_, n) =>
      step(null, first(idOf(n), { type: 'refused', relationships })),
    );
    await store.submit(refused);
    proxy.fault = ({ method, body }) =>
      method === 'POST' && body.includes('"refused"')
        ? { status: 400, body: { error: 'Validation failed' } }
        : undefined;
    await sync(mirror, here);
    expect(await stateOf(mirror, here)).toMatchObject({ pending: 510, refused: 510 });
    await using onlooker = await look(mirror, here);
    await onlooker.until(({ run }) => run !== null);
    await withoutPolls(mirror, here);
    const due = async () => (await stateOf(mirror, here)).next_run_at;
    const evening = await due();
    await create(mirror, here, { properties: { label: 'of this node alone' } });
    expect(await due()).toBe(evening);
    const mine = await create(mirror, here, { collection: place.id, properties: { label: 'mine' } });
    await vi.waitFor(
      async () => expect((await read(origin, curator, mine.id)).properties).toEqual(mine.properties),
      15_000,
    );
  });

  test('is not synced with outside its hours, and again when they are lifted', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const work = await create(origin, curator, { properties: { label: 'One' } });
    const hour = new Date().getHours();
    const hours = `${(hour + 5) % 24}-${(hour + 7) % 24}`;
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { hours }));
    await using onlooker = await look(mirror, here);
    const first = await onlooker.next();
    expect(new Date(first?.next_run_at ?? '').getHours()).toBe((hour + 5) % 24);
    await create(mirror, here, { properties: { label: 'mine' } });
    expect(await stateOf(mirror, here)).toMatchObject({ hours, pending: 1, next_run_at: first?.next_run_at });
    ok(await ask(mirror, here, 'PUT /node/remotes/origin', { hours: null }));
    expect((await onlooker.next())?.run).toMatchObject({ error: null, report: { created: 1 } });
    expect((await read(mirror, here, work.id)).cid).toBe(work.cid);
  });

  test('T5: is left in the middle of a run when its hours end, and is gone on with when they begin again', async () => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    // Half a second before six, for good.
    const now = new Date(2026, 4, 12, 5, 59, 59, 500).getTime();
    await using mirror = await startNode({ now: () => now });
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, hours: '22-6' });
    proxy.fault = ({ path }) =>
      path.startsWith('/events') ? { status: 429, headers: { 'Retry-After': '59' } } : undefined;
    await using onlooker = await look(mirror, here);
    const { run } = await onlooker.until((line) => line.run !== null);
    expect(run).toMatchObject({ error: 'It was ended before it was done.', report: { versions: 0 } });
    expect(proxy.calls.filter(({ path }) => path.startsWith('/events'))).toHaveLength(1);
  });

  test.each(['by itself', 'by hand'])('T8: is left alone for a minute after a run %s was stopped', async (begun) => {
    await using origin = await startNode();
    await using proxy = await startProxy(origin.url);
    await using mirror = await startNode();
    const here = operator(mirror);
    await addRemote(mirror, here, { url: proxy.url, key: keyOf(await user(origin, 'curator')) });
    const slow = () => ({ trickles: 1000 });
    if (begun === 'by itself') proxy.fault = slow;
    await using onlooker = await look(mirror, here);
    if (begun === 'by hand') {
      await onlooker.until(({ run }) => run !== null);
      proxy.fault = slow;
    }
    const before = proxy.calls.length;
    if (begun === 'by hand') ok(await ask(mirror, here, 'POST /node/remotes/origin/run'));
    await vi.waitFor(() => expect(proxy.calls.length).toBeGreaterThan(before), 15_000);
    ok(await ask(mirror, here, 'POST /node/remotes/origin/stop'));
    const { run, next_run_at } = await onlooker.until((line) => line.run?.error != null);
    expect(run?.error).toBe('It was ended before it was done.');
    expect(Date.parse(next_run_at ?? '') - Date.parse(run?.ended_at ?? '')).toBeGreaterThanOrEqual(60_000);
    // Nor does an edit call for one.
    await create(mirror, here, { properties: { label: 'mine' } });
    expect(await stateOf(mirror, here)).toMatchObject({ pending: 1, next_run_at });
    proxy.fault = () => undefined;
    // Whoever wants one has one at once, and then it goes on as before.
    expect(await sync(mirror, here)).toMatchObject({ created: 1 });
    const after = await onlooker.until((line) => line.run?.error === null);
    expect(Date.parse(after.next_run_at ?? '')).toBeLessThan(Date.parse(next_run_at ?? ''));
  });

  test('tells whoever looks on when the node stops, and keeps what it has done', async () => {
    await using folder = await temporaryFolder();
    await using origin = await startNode();
    const mirror = await startNode({ data: folder.path });
    const here = operator(mirror);
    await addRemote(mirror, here, { url: origin.url });
    await using onlooker = await look(mirror, here);
    const { run } = await onlooker.until((line) => line.run !== null);
    const [stopped] = await Promise.all([onlooker.until(() => false).catch(() => true), mirror[Symbol.asyncDispose]()]);
    expect(stopped).toBe(true);
    await using again = await startNode({ data: folder.path });
    // What the remote said meanwhile may have begun another one.
    const kept = (await stateOf(again, here)).last_run;
    expect(Date.parse(kept?.ended_at ?? '')).toBeGreaterThanOrEqual(Date.parse(run?.ended_at ?? ''));
  });
});

test('refuses settings that make no sense', async () => {
  await using pair = await startPair();
  const { mirror, here, curator } = pair;
  const put = (body: object) => ask(mirror, here, 'PUT /node/remotes/origin', body);
  for (const [body, path] of [
    [{ hours: '25-6' }, 'hours'],
    [{ hours: '6-6' }, 'hours'],
    [{ hours: 'never' }, 'hours'],
    [{ max_kbps: 7 }, 'max_kbps'],
    [{ max_kbps: 1.5 }, 'max_kbps'],
    [{ watch: 'yes' }, 'watch'],
  ] as const) {
    const answer = await put(body);
    expect(answer.status, JSON.stringify(body)).toBe(400);
    expect(answer.body).toMatchObject({ details: { issues: [{ path: [path] }] } });
  }
  expect(ok(await put({}))).toMatchObject({ watch: false, max_kbps: null, hours: null });
  expect(ok(await put({ watch: true, max_kbps: 64, hours: '22-6' }))).toMatchObject({ watch: true, max_kbps: 64 });
  expect(ok(await put({ hours: null }))).toMatchObject({ watch: true, max_kbps: 64, hours: null });
  expect((await ask(mirror, here, 'PUT /node/remotes/other', {})).status).toBe(404);
  expect((await ask(mirror, curator, 'PUT /node/remotes/origin', {})).status).toBe(401);
});

test('a limit on bandwidth slows a mirror down, and takes nothing from it', async () => {
  await using pair = await startPair({ keyed: false });
  const { origin, mirror, curator, here } = pair;
  const text = 'x'.repeat(10_000);
  for (let n = 0; n < 5; n++) await create(origin, curator, { properties: { text, n } });
  ok(await ask(mirror, here, 'PUT /node/remotes/origin', { max_kbps: 200 }));
  const slow = await ask(mirror, here, 'POST /node/remotes/origin/sync');
  // 50 kB at 25 kB/s with one second for free: lines of progress come while it waits.
  expect(lines(slow.text).length).toBeGreaterThan(1);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});
