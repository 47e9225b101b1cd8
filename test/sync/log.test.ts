import { expect, test } from 'vitest';
import type { PendingChangesView, RemoteView } from '../../src/server/resources/node/remotes/wire.ts';
import type { SyncLogView, SyncStateView } from '../../src/server/resources/node/sync/wire.ts';
import { misfits } from '../contract/document.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { create, enrol, invalid, ok, read, update } from '../helpers/entities.ts';
import type { Answer, TestNode } from '../helpers/node.ts';
import { keyOf, lines, type Pair, startCurated, startPair, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

/** An answer that is as the document says. */
function fitting<T>(route: string, answer: Answer): T {
  expect(misfits(route, answer.status, answer.body), answer.text).toEqual([]);
  return ok<T>(answer);
}

const get = async <T>({ mirror, here }: Pair, route: string, path: string): Promise<T> =>
  fitting<T>(`GET ${route}`, await ask(mirror, here, `GET ${path}`));
const log = (pair: Pair, query = '') => get<SyncLogView>(pair, '/node/sync/log', `/node/sync/log${query}`);
const state = (pair: Pair) => get<SyncStateView>(pair, '/node/sync/state', '/node/sync/state');
const pending = (pair: Pair, query = '') =>
  get<PendingChangesView>(pair, '/node/remotes/{name}/pending', `/node/remotes/origin/pending${query}`);
const remote = (pair: Pair, name = 'origin') => get<RemoteView>(pair, '/node/remotes/{name}', `/node/remotes/${name}`);
const kinds = ({ events }: SyncLogView) => events.map(({ kind }) => kind);

/** Waits until no sync is under way. */
async function ended(pair: Pair, name = 'origin'): Promise<RemoteView> {
  await expect.poll(async () => (await remote(pair, name)).running).toBe(null);
  return remote(pair, name);
}

/** Begins a sync, as soon as one that began by itself is over. */
async function run({ mirror, here }: Pair, name = 'origin'): Promise<void> {
  const begin = () => ask(mirror, here, `POST /node/remotes/${name}/run`);
  await expect.poll(async () => (await begin()).status).toBeLessThan(300);
}

async function conflicting() {
  const pair = await startCurated();
  const { origin, mirror, curator, here, work } = pair;
  await update(mirror, here, work, { properties: { label: 'ours' } });
  const theirs = await update(origin, curator, work, { properties: { label: 'theirs' } });
  await sync(mirror, here);
  return { ...pair, theirs };
}

test('the log tells what happened, newest first, by page, remote and kind', async () => {
  await using pair = await conflicting();
  const { mirror, here, work } = pair;
  const events = (await log(pair)).events;
  expect(kinds({ events, next: null })).toEqual(['run', 'conflict', 'run', 'added']);
  expect(events[0]?.run).toMatchObject({ error: null, fault: null, report: { conflicts: 1, stop: null } });
  expect(events[1]).toMatchObject({ entity: { id: work.id, type: 'document', label: 'ours' }, run: null, words: null });
  expect(events[3]).toMatchObject({ remote: 'origin', words: pair.origin.url, entity: null });

  // Nothing new is nothing to tell; the same conflict is told once.
  await sync(mirror, here);
  expect((await log(pair)).events).toEqual(events);
  ok(await ask(mirror, here, `POST /node/conflicts/${work.id}/resolve`, { resolution: 'ours' }));
  expect(kinds(await log(pair, '?limit=1'))).toEqual(['decided']);
  const { events: first, next } = await log(pair, '?limit=2');
  const second = await log(pair, `?limit=10&before=${next}`);
  expect([...first, ...second.events].map(({ seq }) => seq)).toEqual([5, 4, 3, 2, 1]);
  expect(second.next).toBe(null);
  expect(kinds(await log(pair, '?kind=added'))).toEqual(['added']);
  expect(kinds(await log(pair, '?open=true'))).toEqual(['conflict']);
  expect(kinds(await log(pair, '?remote=other'))).toEqual([]);
});

test('a conflict is told once, and was found when it was found first, whatever news come to it', async () => {
  await using pair = await conflicting();
  const { origin, mirror, curator, here, theirs } = pair;
  const found = async () => {
    const { conflicts } = ok<{ conflicts: object[] }>(await ask(mirror, here, 'GET /node/conflicts'));
    return conflicts as { theirs: string; found_at: string }[];
  };
  const [first] = await found();
  const newer = await update(origin, curator, theirs, { properties: { label: 'theirs, newer' } });
  await sync(mirror, here);
  expect(await found()).toMatchObject([{ theirs: newer.cid, found_at: first?.found_at }]);
  expect(kinds(await log(pair)).filter((kind) => kind === 'conflict')).toHaveLength(1);
});

test('what is open is told without a look at the remote', async () => {
  await using pair = await conflicting();
  expect(await state(pair)).toEqual({
    remotes: [{ name: 'origin', pending: 1, conflicts: 1, refused: 0, failing: false, running: false, watch: false }],
    conflicts: 1,
  });
  expect(await pending(pair)).toMatchObject({
    changes: [{ id: pair.work.id, intent: 'none', standing: 'conflict', there: pair.theirs.cid }],
    next: null,
  });
});

test('what is pending is given by page, with what a sync would do and the versions to compare', async () => {
  await using pair = await startCurated();
  const { mirror, here, work, place } = pair;
  const changed = await update(mirror, here, work, { properties: { label: 'changed' } });
  const made = await create(mirror, here, { collection: place.id, properties: { label: 'new' } });
  const first = await pending(pair, '?limit=1');
  const second = await pending(pair, `?limit=1&after=${first.next}`);
  expect([...first.changes, ...second.changes]).toMatchObject([
    { id: work.id, label: 'changed', intent: 'update', standing: 'quiet', here: changed.cid, there: work.cid },
    { id: made.id, label: 'new', intent: 'create', standing: 'quiet', here: made.cid, there: null, lacks: [] },
  ]);
  const { changes, next } = await pending(pair, `?after=${second.next}`);
  expect([changes, next]).toEqual([[], null]);
});

test('a sync goes on by itself once it has begun, and what it came to is kept', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here, work } = pair;
  await update(mirror, here, work, { properties: { label: 'sent' } });
  const begun = await ask(mirror, here, 'POST /node/remotes/origin/run');
  expect(begun.status).toBe(202);
  fitting('POST /node/remotes/{name}/run', begun);
  expect(await ended(pair)).toMatchObject({ pending: 0, last_run: { fault: null, report: { updated: 1 } } });

  await origin[Symbol.asyncDispose]();
  ok(await ask(mirror, here, 'POST /node/remotes/origin/run'));
  // It tries again and again for a while; nobody has to wait for that.
  expect((await remote(pair)).running).not.toBe(null);
  expect((await ask(mirror, here, 'POST /node/remotes/origin/run')).status).toBe(409);
  ok(await ask(mirror, here, 'POST /node/remotes/origin/stop'));
  expect((await ended(pair)).last_run).toMatchObject({ fault: 'ended' });
  expect(await state(pair)).toMatchObject({ remotes: [{ failing: false }] });
  await expect.poll(async () => kinds(await log(pair, '?limit=1'))).toEqual(['ended']);
  // Where there is none, there is nothing to end.
  expect(ok<RemoteView>(await ask(mirror, here, 'POST /node/remotes/origin/stop')).running).toBe(null);
});

test('who waits for a sync that somebody else ends is told what it did, and that it was ended', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here } = pair;
  await origin[Symbol.asyncDispose]();
  const waiting = ask(mirror, here, 'POST /node/remotes/origin/sync');
  await expect.poll(async () => (await remote(pair)).running).not.toBe(null);
  ok(await ask(mirror, here, 'POST /node/remotes/origin/stop'));
  expect(lines((await waiting).text).at(-1)).toMatchObject({
    done: { entities: 0, stopped: 'It was ended before it was done.' },
  });
});

test('a remote that does not answer is told so in a word', async () => {
  await using pair = await startPair();
  await pair.origin[Symbol.asyncDispose]();
  await expect(sync(pair.mirror, pair.here)).rejects.toThrow('cannot be read');
  expect((await remote(pair)).last_run).toMatchObject({ fault: 'unreachable' });
  expect(await state(pair)).toMatchObject({ remotes: [{ failing: true }] });
});

test('a remote that does not accept the key any more is told so in a word, and not that it does not answer', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here, curator, work } = pair;
  const prefix = keyOf(curator).slice(0, 12);
  ok(await ask(origin, curator, `DELETE /users/me/keys/${prefix}`));
  await update(mirror, here, work, { properties: { label: 'later' } });
  await expect(sync(mirror, here)).rejects.toThrow(
    'Give it a key that it accepts: archeion remote set origin --key KEY',
  );
  expect((await remote(pair)).last_run).toMatchObject({ fault: 'denied' });
  expect(await state(pair)).toMatchObject({ remotes: [{ failing: true }] });
});

test('a remote gets another name, and all that is known of it stays', async () => {
  await using pair = await conflicting();
  const { mirror, here, place } = pair;
  const rename = (name: string, to: string) => ask(mirror, here, `POST /node/remotes/${name}/rename`, { name: to });
  await sync(mirror, here);
  const before = await remote(pair);
  const renamed = fitting<RemoteView>('POST /node/remotes/{name}/rename', await rename('origin', 'archive'));
  const { words: _, ...facts } = renamed;
  expect(facts).toEqual({ ...before, name: 'archive', words: undefined });
  expect((await ask(mirror, here, 'GET /node/remotes/origin')).status).toBe(404);
  expect((await rename('origin', 'other')).status).toBe(404);
  expect((await rename('archive', 'archive')).status).toBe(409);
  expect((await rename('archive', '../x')).status).toBe(400);
  expect((await rename('archive', 'car')).status).toBe(400);
  expect((await log(pair)).events[0]).toMatchObject({ kind: 'renamed', remote: 'archive', words: 'origin' });
  expect(kinds(await log(pair, '?remote=origin'))).toEqual([]);

  // It goes on as before: what is made here is made by the remote's user.
  await create(mirror, here, { collection: place.id, properties: { label: 'later' } });
  await run(pair, 'archive');
  expect((await ended(pair, 'archive')).last_run).toMatchObject({ error: null, report: { created: 1, refused: 0 } });
});

test('another key for a remote is of another user, and what was refused to the one before is tried again', async () => {
  await using pair = await startCurated();
  const { origin, mirror, here, place, work, curator } = pair;
  const rekey = (body: object) => ask(mirror, here, 'PUT /node/remotes/origin/key', body);
  const guest = await user(origin, 'guest');
  await enrol(origin, curator, place.id, guest, 'editor');
  await sync(mirror, here);
  const before = await remote(pair);
  const set = fitting<RemoteView>('PUT /node/remotes/{name}/key', await rekey({ key: keyOf(guest) }));
  expect(set).toMatchObject({ user: guest.id, keyed: true, direction: 'both', mirrored: before.mirrored });
  expect((await log(pair)).events[0]).toMatchObject({ kind: 'rekeyed', remote: 'origin', words: guest.id });

  // What is done here is done as the guest, who may not there any more; nothing of it is lost.
  await update(mirror, here, work, { properties: { label: 'changed' } });
  ok(await ask(origin, curator, `DELETE /collections/${place.id}/members/${guest.id}?role=editor`));
  const stands = async () => (await remote(pair)).refused + (await remote(pair)).pending;
  await run(pair);
  await ended(pair);
  expect((await remote(pair)).refused).toBe(1);
  ok(await rekey({ key: keyOf(curator) }));
  expect((await remote(pair)).refused).toBe(0);
  await update(mirror, here, await read(mirror, here, work.id), { properties: { label: 'changed again' } });
  await run(pair);
  await ended(pair);
  expect(await stands()).toBe(0);
  expect((await read(origin, curator, work.id)).properties.label).toBe('changed again');

  expect((await rekey({ key: 'uk_wrong' })).body).toEqual(
    invalid(['key'], expect.stringMatching('does not accept it')),
  );
  expect((await rekey({ key: null, direction: 'both' })).body).toEqual(invalid(['key'], 'is needed for pushing'));
  expect((await rekey({})).status).toBe(400);
  expect((await ask(mirror, here, 'PUT /node/remotes/nobody/key', { key: null })).status).toBe(404);
  expect(ok<RemoteView>(await rekey({ key: null }))).toMatchObject({ user: null, keyed: false, direction: 'pull' });
  const refused = await ask(mirror, here, `PUT /entities/${work.id}`, {
    expect_tip: (await read(mirror, here, work.id)).cid,
    properties: { label: 'no' },
  });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    403,
    expect.stringContaining('remote set origin --key'),
  ]);
  expect(ok<RemoteView>(await rekey({ key: keyOf(curator) }))).toMatchObject({ keyed: true, direction: 'both' });
  await origin[Symbol.asyncDispose]();
  expect((await rekey({ key: keyOf(curator) })).status).toBe(502);
  // What cannot be reached can lose its key all the same.
  expect(ok<RemoteView>(await rekey({ key: null }))).toMatchObject({ keyed: false, direction: 'pull' });
});

test('an address is asked what it is, and nothing is kept', async () => {
  await using pair = await startPair();
  const { origin, mirror, here, curator } = pair;
  const check = (body: object, who: Person = here, node: TestNode = mirror) =>
    ask(node, who, 'POST /node/remotes/check', body);
  const known = fitting('POST /node/remotes/check', await check({ url: origin.url, key: keyOf(curator) }));
  expect(known).toEqual({ instance: origin.ctx.instance, user: curator.id });
  expect(ok(await check({ url: origin.url }))).toEqual({ instance: origin.ctx.instance, user: null });
  expect((await check({ url: origin.url, key: 'ak_wrong' })).body).toEqual(
    invalid(['key'], expect.stringMatching('does not accept it')),
  );
  expect((await check({ url: mirror.url })).body).toEqual(invalid(['url'], 'is this node itself'));
  expect((await check({ url: 'ftp://example.org' })).status).toBe(400);
  await using proxy = await startProxy(origin.url, { stranger: true });
  expect(ok(await check({ url: proxy.url }))).toEqual({ instance: null, user: null });
  proxy.fault = () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<p>Sign in' });
  expect(await check({ url: proxy.url })).toMatchObject({
    status: 502,
    body: { error: expect.stringContaining('answers with a page') },
  });
  expect(kinds(await log(pair))).toEqual(['added']);
});
