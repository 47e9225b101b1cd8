import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Move, movesAfter } from '../../src/server/store/events.ts';
import { ask, operator, type Person, processor, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, remove } from '../helpers/entities.ts';
import { logBody } from '../helpers/job-scene.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { activate } from '../helpers/worker-processes.ts';
import { writerGate } from '../helpers/writer-gate.ts';

// What somebody is not allowed any more is in no version after the move that took the permission away.

let node: TestNode;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  node = await startNode({ writer: 'thread' });
  [ada, bob] = [await user(node, 'ada'), await user(node, 'bob')];
});
afterAll(() => node[Symbol.asyncDispose]());

const lanes = 16;
const documents = Array.from({ length: 20 }, () => ({ type: 'document' }));

/** Repeats a request in many lanes until one is refused in each; gives the answers that were not refused. */
async function until(refusal: number, send: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const passed: Answer[] = [];
  let n = 0;
  const lane = async () => {
    for (;;) {
      const answer = await send(n++);
      if (answer.status === refusal) return;
      if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`);
      passed.push(answer);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return passed;
}

async function moves(): Promise<Move[]> {
  const store = await node.ctx.networks.get('main');
  const all: Move[] = [];
  for (let more = true; more; ) {
    const page = store.read((db) => movesAfter(db, all.at(-1)?.id ?? 0, 1000));
    all.push(...page.moves);
    more = page.more;
  }
  return all;
}

/** The numbers of the moves that made these versions; each has made one. */
async function madeBy(cids: string[]): Promise<number[]> {
  const wanted = new Set(cids);
  return (await moves()).filter(({ cid }) => wanted.has(cid)).map(({ id }) => id);
}

async function enough(answered: () => number): Promise<void> {
  while (answered() < 50) await new Promise(setImmediate);
}

describe('while the role of an editor is taken away', () => {
  const lost = (home: Entity) => ask(node, ada, `DELETE /collections/${home.id}/members/${bob.id}?role=editor`);

  it.each([
    ['POST /entities', (home: Entity) => ({ type: 'document', collection: home.id })],
    ['POST /entities/batch', (home: Entity) => ({ entities: documents, default_collection: home.id })],
  ])('%s makes nothing after it', async (line, body) => {
    const home = await collection(node, ada);
    await enrol(node, ada, home.id, bob, 'editor');
    let answered = 0;
    const working = until(403, async () => {
      const answer = await ask(node, bob, line, body(home));
      answered++;
      return refusedItem(answer) ? { ...answer, status: 403 } : answer;
    });
    await enough(() => answered);
    const { cid } = ok<{ cid: string }>(await lost(home));
    const cids = (await working).flatMap(cidsOf);
    const [end = 0] = await madeBy([cid]);
    const made = await madeBy(cids);
    expect(made).toHaveLength(cids.length);
    expect((await moves()).filter(({ id }) => id > end)).toEqual([]);
  });

  it('PUT /entities changes nothing after it', async () => {
    const home = await collection(node, ada);
    await enrol(node, ada, home.id, bob, 'editor');
    const tips = await Promise.all(Array.from({ length: lanes }, () => create(node, ada, { collection: home.id })));
    let answered = 0;
    const working = Promise.all(
      tips.map(async (entity) => {
        for (let { cid } = entity; ; answered++) {
          const answer = await ask(node, bob, `PUT /entities/${entity.id}`, { expect_tip: cid });
          if (answer.status === 403) return;
          ({ cid } = ok(answer));
        }
      }),
    );
    await enough(() => answered);
    const { cid } = ok<{ cid: string }>(await lost(home));
    await working;
    const [end = 0] = await madeBy([cid]);
    expect((await moves()).filter(({ id }) => id > end)).toEqual([]);
  });
});

it('what comes to stand first in another of its collections does not after the role there was taken away', async () => {
  const [old, now] = [await collection(node, ada), await collection(node, ada)];
  for (const { id } of [old, now]) await enrol(node, ada, id, bob, 'editor');
  const placed = [old, now].map(({ id: peer }) => ({ predicate: 'collection', peer }));
  const entity = await create(node, bob, { relationships: placed });
  const store = await node.ctx.networks.get('main');
  const waiting = () => store.activity().waitingBytes;
  using gate = writerGate();
  const lost = ask(node, ada, `DELETE /collections/${now.id}/members/${bob.id}?role=editor`);
  await expect.poll(waiting).toBeGreaterThan(0);
  const first = waiting();
  const left = ask(node, bob, `PUT /entities/${entity.id}`, {
    expect_tip: entity.cid,
    relationships_remove: placed.slice(0, 1),
  });
  await expect.poll(waiting).toBeGreaterThan(first);
  gate.open();
  expect((await lost).status).toBe(200);
  expect([(await left).status, (await left).body]).toEqual([403, { error: 'Action not allowed: entity:create' }]);
});

describe('a job that needs no new grant is not begun after the role was taken away', () => {
  const places = ['where its processor lies', 'where it works'] as const;
  it.each(places)('%s', async (place) => {
    await using endpoint = await startProcessorEndpoint();
    // Whose processors may be on this machine.
    const boss = operator(node);
    const roles = { runner: ['*:view', '*:invoke', 'entity:create'] };
    const [home, target] = [await collection(node, boss, { roles }), await collection(node, boss, { roles })];
    for (const { id } of [home, target]) await enrol(node, boss, id, bob, 'runner');
    const at = { endpoint: `${endpoint.url}/accept` };
    const worker = await activate(node, boss, await klados(node, boss, home.id, at));
    const needs = { ...at, actions_required: ['entity:create'] };
    const assistant = await activate(node, boss, await agent(node, boss, home.id, needs));
    const flow = { first: { klados: { id: worker.id, type: 'klados' }, then: { done: true } } };
    const made = await rhiza(node, boss, home.id, { flow });
    ok(await ask(node, boss, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, status: 'active' }));
    const { id: target_entity } = await create(node, boss, { collection: target.id });
    const one = { target_collection: target.id, target_entity, confirm: true };
    ok(await ask(node, boss, `POST /kladoi/${worker.id}/invoke`, one));
    const starts: [string, object][] = [
      [`POST /kladoi/${worker.id}/invoke`, one],
      [
        `POST /kladoi/${worker.id}/invoke/batch`,
        { ...one, target_entity: undefined, invocations: [{ target_entity }] },
      ],
      [`POST /rhizai/${made.id}/invoke`, one],
      [`POST /agents/${assistant.id}/invoke`, { target: target.id, confirm: true }],
    ];
    for (const [line, body] of starts) ok(await ask(node, boss, line, body));
    await expect.poll(() => endpoint.received.length).toBe(5);
    const store = await node.ctx.networks.get('main');
    const waiting = () => store.activity().waitingBytes;
    using gate = writerGate();
    const from = place === 'where it works' ? target : home;
    const lost = ask(node, boss, `DELETE /collections/${from.id}/members/${bob.id}?role=runner`);
    await expect.poll(waiting).toBeGreaterThan(0);
    const begun: Promise<Answer>[] = [];
    for (const [line, body] of starts) {
      const before = waiting();
      begun.push(ask(node, bob, line, body));
      await expect.poll(waiting).toBeGreaterThan(before);
    }
    gate.open();
    expect((await lost).status).toBe(200);
    expect((await Promise.all(begun)).map(({ status }) => status)).toEqual(starts.map(() => 403));
    expect(endpoint.received).toHaveLength(5);
  });
});

describe('what failed is not repeated after the role was taken away', () => {
  const failed = { status: 'error', error: { code: 'TIMEOUT', message: 'too slow', retryable: true } };

  /** A workflow of bob's in which the first step has scattered to `count` jobs, which have failed. */
  async function failing(endpoint: string, count: number) {
    const boss = operator(node);
    const roles = { runner: ['*:view', '*:invoke', 'entity:create', 'entity:update', 'collection:update'] };
    const [home, target] = [await collection(node, boss, { roles }), await collection(node, boss, { roles })];
    for (const { id } of [home, target]) await enrol(node, boss, id, bob, 'runner');
    const { id } = await activate(node, boss, await klados(node, boss, home.id, { endpoint }));
    const self = processor(node, id, boss);
    const step = (then: object) => ({ klados: { id, type: 'klados' }, then });
    const flow = { first: step({ scatter: 'second' }), second: step({ done: true }) };
    const made = await rhiza(node, boss, home.id, { flow });
    ok(await ask(node, boss, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, status: 'active' }));
    const { id: target_entity } = await create(node, boss, { collection: target.id });
    const one = { target_collection: target.id, target_entity, job_collection: target.id, confirm: true };
    const run = ok<{ job_id: string; job_collection: string }>(
      await ask(node, bob, `POST /rhizai/${made.id}/invoke`, one),
    );
    const { job_collection } = run;
    const logs = async (jobs: string[], entry: object): Promise<string[]> => {
      const entities = jobs.map((job_id) =>
        logBody({ clock: { ms: Date.now() } }, self, { job_id, job_collection }, entry),
      );
      const ids: string[] = [];
      for (let from = 0; from < jobs.length; from += 100) {
        const body = { entities: entities.slice(from, from + 100) };
        const { results } = ok<{ results: { id: string }[] }>(await ask(node, self, 'POST /entities/batch', body));
        ids.push(...results.map((result) => result.id));
      }
      return ids;
    };
    const [log = ''] = await logs([run.job_id], { status: 'done' });
    const rhizaOf = { id: made.id, path: ['first', 'second'], parent_logs: [log] };
    const jobs: string[] = [];
    for (let i = 0; i < count; i++) {
      const context = { ...rhizaOf, scatter_total: count, scatter_index: i };
      const body = { ...one, job_collection, rhiza: context };
      jobs.push(ok<{ job_id: string }>(await ask(node, self, `POST /kladoi/${id}/invoke`, body)).job_id);
    }
    const [log_id] = await logs(jobs, failed);
    return {
      ...{ home, target, jobs },
      lines: [
        [`POST /kladoi/${id}/reinvoke`, { log_id }],
        [`POST /rhizai/${made.id}/jobs/${run.job_id}/resume`, {}],
      ] as const,
    };
  }

  /** What is answered to bob, whose role there is taken away when what is asked is on its way to the disk. */
  async function overtaken(
    from: Entity,
    [line, body]: readonly [string, object],
    first: 'asks' | 'loses',
  ): Promise<Answer> {
    const store = await node.ctx.networks.get('main');
    const waiting = () => store.activity().waitingBytes;
    const lose = () => ask(node, operator(node), `DELETE /collections/${from.id}/members/${bob.id}?role=runner`);
    const asks = () => ask(node, bob, line, body);
    using gate = writerGate();
    const one = first === 'asks' ? asks() : lose();
    await expect.poll(waiting).toBeGreaterThan(0);
    const before = waiting();
    const other = first === 'asks' ? lose() : asks();
    await expect.poll(waiting).toBeGreaterThan(before);
    gate.open();
    const [asked, lost] = first === 'asks' ? [await one, await other] : [await other, await one];
    expect(lost.status).toBe(200);
    return asked;
  }

  it.each(['by its log', 'by its run'])('%s', async (how) => {
    await using endpoint = await startProcessorEndpoint();
    const { home, lines } = await failing(`${endpoint.url}/accept`, 1);
    const answer = await overtaken(home, lines[how === 'by its log' ? 0 : 1], 'loses');
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(':invoke')]);
    expect(endpoint.received).toHaveLength(2);
  });

  it('of very many those that have begun by then are named', async () => {
    await using endpoint = await startProcessorEndpoint();
    const { home, lines, jobs } = await failing(`${endpoint.url}/accept`, 201);
    const answer = await overtaken(home, lines[1], 'asks');
    expect([answer.status, answer.body]).toEqual([
      200,
      { resumed: 200, skipped: 1, jobs: expect.any(Array), error: 'Action not allowed: rhiza:invoke' },
    ]);
    const begun = (answer.body as { jobs: { original_job_id: string }[] }).jobs.map((one) => one.original_job_id);
    expect(begun).toEqual(jobs.slice(0, 200));
  });
});

describe('a cascade', () => {
  const planted = async (home: Entity) => {
    const entities = Array.from({ length: 100 }, () => ({ type: 'document' }));
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        ask(node, ada, 'POST /entities/batch', { entities, default_collection: home.id }),
      ),
    );
    const peers = made.flatMap((answer) => ok<{ results: { id: string }[] }>(answer).results.map(({ id }) => id));
    const relationships = peers.map((peer) => ({ predicate: 'has', peer }));
    const body = { type: 'document', collection: home.id, relationships };
    return ok<Entity>(await ask(node, ada, 'POST /entities?validate_relationships=false', body));
  };
  const cascade = (root: Entity, home: Entity) =>
    ask(node, bob, `DELETE /entities/${root.id}/cascade`, {
      expect_tip: root.cid,
      collection_id: home.id,
      cascade_predicates: ['has'],
    });

  it.each([1, 2])('does not begin after the role that allowed it was taken away (%i)', async () => {
    const home = await collection(node, ada, { roles: { sweeper: ['*:view', 'entity:delete'] } });
    await enrol(node, ada, home.id, bob, 'sweeper');
    const root = await planted(home);
    const working = cascade(root, home);
    const { cid } = ok<{ cid: string }>(
      await ask(node, ada, `DELETE /collections/${home.id}/members/${bob.id}?role=sweeper`),
    );
    const answer = await working;
    const [end = 0] = await madeBy([cid]);
    expect((await moves()).filter(({ id }) => id > end)).toEqual([]);
    expect([200, 403]).toContain(answer.status);
  });

  it('goes on where its collection changed meanwhile and still allows it', async () => {
    const home = await collection(node, ada, { roles: { sweeper: ['*:view', 'entity:delete'] } });
    await enrol(node, ada, home.id, bob, 'sweeper');
    const root = await planted(home);
    const working = cascade(root, home);
    const tip = ok<Entity>(await ask(node, ada, `GET /collections/${home.id}`));
    ok(await ask(node, ada, `PUT /collections/${home.id}`, { expect_tip: tip.cid, label: 'another label' }));
    const { summary } = ok<{ summary: { total_deleted: number } }>(await working);
    expect(summary.total_deleted).toBe(800);
  });
});

function refusedItem({ body }: Answer): boolean {
  const { results } = body as { results?: { code?: string }[] };
  return results?.every(({ code }) => code === 'FORBIDDEN') ?? false;
}

function cidsOf({ body }: Answer): string[] {
  const { cid, results } = body as { cid?: string; results?: { cid?: string }[] };
  return (results?.map((item) => item.cid) ?? [cid]).filter((it) => it !== undefined);
}

describe('while a collection changes that still allows it', () => {
  const busy = async (home: Entity, work: () => Promise<Answer>[]) => {
    const roles = Array.from({ length: 10 }, (_, i) => `role_${i}`);
    const changes = roles.map((role) =>
      ask(node, ada, `POST /collections/${home.id}/roles`, { role, actions: ['*:view'] }),
    );
    const answers = work();
    for (const answer of await Promise.all(changes)) ok(answer);
    return (await Promise.all(answers)).map(({ status, text }) => ({ status, text }));
  };

  it('collections are made in it', async () => {
    const home = await collection(node, ada);
    const relationships = [{ predicate: 'collection', peer: home.id }];
    const answers = await busy(home, () =>
      Array.from({ length: 40 }, () => ask(node, ada, 'POST /collections', { label: 'inner', relationships })),
    );
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  });

  it('collections in it take a root', async () => {
    const home = await collection(node, ada);
    const relationships = [{ predicate: 'collection', peer: home.id }];
    const inner = await Promise.all(Array.from({ length: 40 }, () => collection(node, ada, { relationships })));
    const roots = await Promise.all(inner.map(({ id }) => create(node, ada, { collection: id })));
    const answers = await busy(home, () =>
      inner.map(({ id, cid }, i) =>
        ask(node, ada, `PUT /collections/${id}/root`, { expect_tip: cid, entity_id: roots[i]?.id }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

describe('while a collection is deleted', () => {
  it.each([
    ['by its shortcut', (id: string) => ({ collection: id })],
    ['by a relationship', (id: string) => ({ relationships: [{ predicate: 'collection', peer: id }] })],
  ])('nothing new comes into it afterwards, %s', async (_, placed) => {
    const home = await collection(node, ada);
    let answered = 0;
    const working = until(400, async () => {
      const answer = await ask(node, ada, 'POST /entities', { type: 'document', ...placed(home.id) });
      answered++;
      return answer;
    });
    await enough(() => answered);
    const { cid } = await remove(node, ada, home);
    const cids = (await working).flatMap(cidsOf);
    const [end = 0] = await madeBy([cid]);
    expect(await madeBy(cids)).toHaveLength(cids.length);
    expect((await moves()).filter(({ id }) => id > end)).toEqual([]);
  });

  it('nothing comes into it afterwards where targets are not looked at', async () => {
    const home = await collection(node, ada);
    const other = await collection(node, ada);
    const inside = await create(node, ada, { collection: home.id });
    const outside = await create(node, ada, { collection: other.id });
    await remove(node, ada, home);
    const closed = (member: string) => invalid([member], `the collection ${home.id} is deleted`);
    const relationships = [{ predicate: 'collection', peer: home.id }];
    const made = await ask(node, ada, 'POST /entities?validate_relationships=false', {
      type: 'document',
      relationships,
    });
    expect([made.status, made.body]).toEqual([400, closed('relationships')]);
    const put = (entity: Entity, body: object) =>
      ask(node, ada, `PUT /entities/${entity.id}?validate_relationships=false`, { expect_tip: entity.cid, ...body });
    const moved = await put(outside, { relationships_add: relationships });
    expect([moved.status, moved.body]).toEqual([400, closed('relationships_add')]);
    // What lies there may still be changed, and leave.
    expect((await put(inside, { relationships_remove: relationships })).status).toBe(200);
  });
});
