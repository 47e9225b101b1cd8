import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { describe, expect, test, vi } from 'vitest';
import { ask, on, type Person, user } from '../helpers/callers.ts';
import { create, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { startPair, tipsOf } from './nodes.ts';
import { startProxy } from './proxy.ts';
import { nearlySix, withoutPolls } from './watching.ts';

interface Stream extends AsyncDisposable {
  /** The next event. */
  next(): Promise<{ id: number; event: string; data: Record<string, unknown> }>;
  /** Whether it ends without another event. */
  ends(): Promise<boolean>;
}

async function openStream(node: TestNode, query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const leave = new AbortController();
  const response = await fetch(`${node.url}/node/events/stream${query}`, { headers, signal: leave.signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const chunks = (response.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void waiting.push(message) });
  const decoder = new TextDecoder();
  const message = async () => {
    while (waiting.length === 0) {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      parser.feed(decoder.decode(value, { stream: true }));
    }
    return waiting.shift();
  };
  return {
    async next() {
      const found = await message();
      if (!found) throw new Error('the stream has ended');
      return {
        id: Number(found.id),
        event: found.event ?? '',
        data: JSON.parse(found.data) as Record<string, unknown>,
      };
    },
    ends: async () => (await message()) === undefined,
    async [Symbol.asyncDispose]() {
      leave.abort();
    },
  };
}

async function feed(node: TestNode, who: Person): Promise<{ id: number; pi: string; cid: string }[]> {
  const answer = ok<{ events: { id: number; pi: string; cid: string }[] }>(
    await ask(node, who, 'GET /events?limit=1000'),
  );
  return answer.events.toReversed();
}

describe('GET /node/events/stream', () => {
  test('says where it begins, then each move as GET /events has it', async () => {
    await using node = await startNode();
    const curator = await user(node, 'curator');
    await using stream = await openStream(node);
    const head = (await feed(node, curator)).at(-1)?.id;
    expect(await stream.next()).toEqual({ id: head, event: 'ready', data: { instance: node.ctx.instance, head } });
    const made = await create(node, curator);
    await update(node, curator, made, { properties: { n: 2 } });
    for (const event of (await feed(node, curator)).slice(-2))
      expect(await stream.next()).toEqual({ id: event.id, event: 'move', data: event });
  });

  test('goes on after the event that the client has, by query or as browsers say it', async () => {
    await using node = await startNode();
    const curator = await user(node, 'curator');
    for (let n = 0; n < 250; n++) await create(node, curator);
    const events = await feed(node, curator);
    const from = events.at(-230)?.id ?? 0;
    const rest = events.filter(({ id }) => id > from).map(({ id }) => id);
    await using byQuery = await openStream(node, `?after=${from}`);
    await using byHeader = await openStream(node, '?after=1', { 'Last-Event-ID': String(from) });
    for (const stream of [byQuery, byHeader]) {
      expect(await stream.next()).toMatchObject({ id: from, event: 'ready' });
      const got: number[] = [];
      while (got.length < rest.length) got.push((await stream.next()).id);
      expect(got).toEqual(rest);
    }
  });

  test('is of one network, which header or query names', async () => {
    await using node = await startNode();
    const curator = await user(node, 'curator');
    await using byQuery = await openStream(node, '?network=test');
    await using byHeader = await openStream(node, '', { 'X-Arke-Network': 'test' });
    await create(node, curator);
    const made = await create(node, on('test', curator));
    for (const stream of [byQuery, byHeader]) {
      expect(await stream.next()).toMatchObject({ event: 'ready' });
      for (let event = await stream.next(); event.data.pi !== made.id; event = await stream.next())
        expect(String(event.data.pi)).toMatch(/^II/);
    }
  });

  test('says when what it was asked for is gone, or never was', async () => {
    await using node = await startNode();
    const curator = await user(node, 'curator');
    for (let n = 0; n < 5; n++) await create(node, curator);
    const head = (await feed(node, curator)).at(-1)?.id ?? 0;
    const store = await node.ctx.networks.get('main');
    const row = { kind: 'feed_floor', move: head - 1 } as const;
    await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'local', time: 0 }]);
    for (const after of [1, head + 100]) {
      await using stream = await openStream(node, `?after=${after}`);
      expect(await stream.next()).toMatchObject({ id: head, event: 'reset', data: { head, floor: head - 1 } });
    }
    await using stream = await openStream(node, `?after=${head - 1}`);
    expect(await stream.next()).toMatchObject({ event: 'ready' });
    expect(await stream.next()).toMatchObject({ event: 'move', id: head });
  });

  test('refuses numbers that are none, and more clients than it can serve', async () => {
    await using node = await startNode();
    for (const query of ['?after=-1', '?after=x', '?network=other'])
      expect((await node.fetch(`/node/events/stream${query}`)).status).toBe(400);
    const headers = { 'Last-Event-ID': 'x' };
    expect((await node.fetch('/node/events/stream', { headers })).status).toBe(400);
    await using open = new AsyncDisposableStack();
    const refused = async (headers: Record<string, string>) => {
      const answer = await node.fetch('/node/events/stream', { headers, endless: true });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
    };
    for (let n = 0; n < 50; n++) open.use(await openStream(node));
    await refused({});
    const follower = await user(node, 'follower');
    for (let n = 0; n < 50; n++) open.use(await openStream(node, '', follower.headers));
    await refused(follower.headers);
  });

  test('is answered to HEAD without waiting for events', async () => {
    await using node = await startNode();
    const { status, text } = await node.fetch('/node/events/stream', { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
  });

  test('ends with the node, which does not wait for its clients', async () => {
    await using opened = new AsyncDisposableStack();
    const node = await startNode();
    const stream = opened.use(await openStream(node));
    expect(await stream.next()).toMatchObject({ event: 'ready' });
    await node[Symbol.asyncDispose]();
    expect(await stream.ends()).toBe(true);
  });
});

/** Pulls whenever there is news, one run at a time. */
function following(node: TestNode, signal: AbortSignal) {
  const { sync } = node.ctx;
  let wanted = false;
  let running: Promise<void> | null = null;
  const pull = async () => {
    while (wanted && !signal.aborted) {
      wanted = false;
      await sync.run('main', 'origin').catch(() => undefined);
    }
    running = null;
  };
  const states: boolean[] = [];
  const news: (number | null)[] = [];
  const ended = sync.follow('main', 'origin', {
    onNews: (event) => {
      news.push(event);
      wanted = true;
      running ??= pull();
    },
    onState: (open) => states.push(open),
    signal,
  });
  return { ended, states, news, idle: async () => await running };
}

/** Resolves when it is true, or gives up shortly before the test would. */
function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  return vi.waitFor(async () => expect(await holds()).toBe(true), { timeout: 60_000, interval: 5 });
}

const isAtTip = async (node: TestNode, id: string, cid: string) => (await tipsOf(node))[id] === cid;

test('a node that is watched is pulled from when it says that it has something new, not when the next poll is due', async () => {
  await using pair = await startPair({ keyed: false, mirror: { watch: true, now: nearlySix } });
  const { origin, mirror, curator, here } = pair;
  ok(await ask(mirror, here, 'PUT /node/remotes/origin', { watch: true }));
  let entity = await create(origin, curator, { properties: { n: 0 } });
  await until(() => isAtTip(mirror, entity.id, entity.cid));
  await withoutPolls(mirror, here);
  for (let n = 1; n <= 3; n++) {
    entity = await update(origin, curator, entity, { properties: { n } });
    await until(() => isAtTip(mirror, entity.id, entity.cid));
  }
});

describe('a node that follows another one', () => {
  test('has what was there, and each edit soon after it was made', async () => {
    await using pair = await startPair({ keyed: false });
    const { origin, mirror, curator } = pair;
    let entity = await create(origin, curator, { properties: { n: 0 } });
    const leave = new AbortController();
    const live = following(mirror, leave.signal);
    await until(() => isAtTip(mirror, entity.id, entity.cid));
    for (let n = 1; n <= 5; n++) {
      entity = await update(origin, curator, entity, { properties: { n } });
      await until(() => isAtTip(mirror, entity.id, entity.cid));
    }
    leave.abort();
    expect(await live.ended).toBe(true);
    await live.idle();
  });

  test('goes on where it was after the stream broke off, with what came meanwhile', async () => {
    await using pair = await startPair({ keyed: false });
    const { origin, mirror, curator, here } = pair;
    await using proxy = await startProxy(origin.url, { plain: false });
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    ok(await ask(mirror, here, 'POST /node/remotes', { name: 'origin', url: proxy.url }));
    const leave = new AbortController();
    const live = following(mirror, leave.signal);
    await until(() => live.states.includes(true));
    const first = await create(origin, curator);
    await until(() => isAtTip(mirror, first.id, first.cid));
    // What comes from now on is not brought by a pull that began before.
    await until(() => live.news.some((event) => event !== null));
    await live.idle();
    proxy.fault = ({ path }) => (path.startsWith('/node/events/stream') ? 'cut' : undefined);
    proxy.breakOff();
    await until(() => live.states.includes(false));
    const missed = await create(origin, curator);
    proxy.fault = () => undefined;
    await until(() => isAtTip(mirror, missed.id, missed.cid));
    const streams = proxy.calls.filter(({ path }) => path.startsWith('/node/events/stream'));
    expect(streams.at(-1)?.path).toMatch(/after=\d+$/);
    leave.abort();
    await live.ended;
    await live.idle();
  });

  test('knows at once that a remote without such a stream has none', async () => {
    await using pair = await startPair({ keyed: false, plain: true });
    const live = following(pair.mirror, new AbortController().signal);
    expect(await live.ended).toBe(false);
  });

  test('leaves off when it stops itself', async () => {
    await using pair = await startPair({ keyed: false });
    const live = following(pair.mirror, new AbortController().signal);
    await until(() => live.states.includes(true));
    await live.idle();
    await pair.mirror.ctx.sync[Symbol.asyncDispose]();
    expect(await live.ended).toBe(true);
  });
});
