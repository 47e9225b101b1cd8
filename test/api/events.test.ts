import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventsView } from '../../src/server/resources/events/wire.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const day = 24 * 3600 * 1000;
const clock = { ms: Date.UTC(2026, 0, 1) };
let node: TestNode;
let ada: Person;
/** The id of the last event before the five that the tests make. */
let start: number;
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  ada = await user(node, 'ada');
  start = (await events('limit=1')).cursor;
  for (let n = 0; n < 5; n++) await create(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

const events = async (query: string) => ok<EventsView>(await ask(node, anonymous, `GET /events?${query}`));
/** The events' distances from `start`, whether others follow, and the cursor's distance. */
const page = async (query: string) => {
  const { events: list, has_more, cursor } = await events(query);
  return [list.map(({ id }) => id - start), has_more, cursor - start];
};

describe('the feed', () => {
  it('goes on after an event, oldest first', async () => {
    expect(await page(`since=${start}&limit=2`)).toEqual([[1, 2], true, 2]);
    expect(await page(`since=${start + 2}&limit=3`)).toEqual([[3, 4, 5], false, 5]);
  });

  it('answers a poll that finds nothing with where it was', async () => {
    expect(await page(`since=${start + 5}`)).toEqual([[], false, 5]);
    const { cursor } = await events(`since=${start + 1000}`);
    expect(cursor).toBe(start + 1000);
  });

  it('goes back from an event, newest first, by both names', async () => {
    expect(await page(`until=${start + 4}&limit=2`)).toEqual([[3, 2], true, 2]);
    expect(await events(`until=${start + 4}&limit=2`)).toEqual(await events(`cursor=${start + 4}&limit=2`));
    expect(await page(`until=${start + 3}&cursor=${start + 5}&limit=1`)).toEqual([[2], true, 2]);
  });

  it('takes both ends, oldest first', async () => {
    expect(await page(`since=${start + 1}&until=${start + 5}&limit=2`)).toEqual([[2, 3], true, 3]);
    expect(await page(`since=${start + 3}&until=${start + 5}`)).toEqual([[4], false, 4]);
    expect(await page(`since=${start + 4}&until=${start + 2}`)).toEqual([[], false, 4]);
  });

  it('says the same of an event in both directions', async () => {
    const [back, forth] = [await events(`until=${start + 2}&limit=1`), await events(`since=${start}&limit=1`)];
    expect(back.events).toEqual(forth.events);
  });

  it('can be read through in both directions while others write', async () => {
    const first = await events('limit=1');
    const all = (await events(`since=${start}&limit=1000`)).events;
    const back = [...first.events];
    for (let cursor = first.cursor; cursor > start + 1; await create(node, ada)) {
      const older = await events(`until=${cursor}&limit=2`);
      back.push(...older.events);
      cursor = older.cursor;
    }
    expect(back.filter(({ id }) => id > start).toReversed()).toEqual(all);
    const forth = [];
    for (let since = start; ; await create(node, ada)) {
      const newer = await events(`since=${since}&limit=3`);
      forth.push(...newer.events);
      if (!newer.has_more) break;
      since = newer.cursor;
    }
    expect(forth).toEqual((await events(`since=${start}&limit=1000`)).events.slice(0, forth.length));
    expect(forth.length).toBeGreaterThan(all.length);
  });

  it('can be read by many at once', async () => {
    const all = (await events(`since=${start}&limit=1000`)).events;
    const read = async () => {
      const list = [];
      for (let [since, more] = [start, true]; more; ) {
        const page = await events(`since=${since}&limit=1`);
        list.push(...page.events);
        [since, more] = [page.cursor, page.has_more];
      }
      return list;
    };
    const readers = await Promise.all(Array.from({ length: 9 }, read));
    for (const list of readers) expect(list).toEqual(all);
  });

  it('shows nothing behind 30 days to who was in the middle of it', async () => {
    expect((await events(`since=${start}&limit=1`)).has_more).toBe(true);
    expect((await events(`since=${start + 1}&limit=1`)).has_more).toBe(true);
    clock.ms += 31 * day;
    await node.ctx.events.prune();
    expect((await events(`since=${start + 2}&limit=1`)).events).toEqual([]);
  });

  it('does not go back behind 30 days', async () => {
    clock.ms += 31 * day;
    await create(node, ada);
    await node.ctx.events.prune();
    const only = await events('since=1');
    expect(only.events).toHaveLength(1);
    expect(only.has_more).toBe(false);
    expect(await events('limit=10')).toEqual(only);
  });
});

it('tells who asks from behind 30 days that events have left the feed, also where it is empty', async () => {
  const time = { ms: clock.ms };
  await using one = await startNode({ now: () => time.ms });
  const who = await user(one, 'ada');
  for (let n = 0; n < 3; n++) await create(one, who);
  const asked = async (query: string) => ok<EventsView>(await ask(one, anonymous, `GET /events?${query}`));
  const last = (await asked('limit=1')).events[0]?.id ?? 0;
  time.ms += 31 * day;
  await one.ctx.events.prune();
  expect(await asked('since=1')).toEqual({ events: [], has_more: false, cursor: last });
  expect((await asked(`since=${last + 5}`)).cursor).toBe(last + 5);
  expect((await asked(`since=1&until=${last}`)).cursor).toBe(last - 1);
  expect((await asked('since=2&until=2')).cursor).toBe(2);
  expect((await asked('limit=1')).cursor).toBe(0);
});

it('is whole again when the clock was ahead and is right', async () => {
  await using folder = await temporaryFolder();
  const time = { ms: clock.ms };
  const open = () => startNode({ data: folder.path, now: () => time.ms });
  const shown = async (by: TestNode) =>
    ok<EventsView>(await ask(by, anonymous, 'GET /events?limit=1000')).events.map(({ pi }) => pi);
  let young: Entity;
  {
    await using first = await open();
    const who = await user(first, 'ada');
    await create(first, who);
    time.ms += 29 * day;
    young = await create(first, who);
  }
  time.ms += 365 * day;
  {
    await using ahead = await open();
    expect(await shown(ahead)).toEqual([]);
  }
  time.ms -= 363 * day;
  await using right = await open();
  expect(await shown(right)).toEqual([young.id]);
  // An hour that finds nothing to move leaves it there.
  await right.ctx.events.prune();
  expect(await shown(right)).toEqual([young.id]);
});

it('shows nothing behind 30 days to the first who asks after a start', async () => {
  await using folder = await temporaryFolder();
  const open = () => startNode({ data: folder.path, now: () => clock.ms });
  const shown = async (by: TestNode) => ok<EventsView>(await ask(by, anonymous, 'GET /events?limit=1000')).events;
  let last: Entity;
  {
    await using before = await open();
    const who = await user(before, 'ada');
    await create(before, who);
    clock.ms += 20 * day;
    last = await create(before, who);
    expect((await shown(before)).length).toBeGreaterThan(2);
  }
  clock.ms += 11 * day;
  await using after = await open();
  expect((await shown(after)).map(({ pi }) => pi)).toEqual([last.id]);
});
