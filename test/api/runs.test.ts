import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunsView, RunView } from '../../src/server/resources/node/jobs/wire.ts';
import type { CommandsView, ProcessorLinesView } from '../../src/server/resources/node/processors/wire.ts';
import { misfits } from '../contract/document.ts';
import { anonymous, ask, operator, type Person, user } from '../helpers/callers.ts';
import {
  collection,
  create,
  type Entity,
  invalid,
  notFound,
  nowhere,
  ok,
  onTest,
  remove,
} from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { allow, command, ended, fixture, many, one, program, replying, shipped, workflow } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { agent, klados } from '../helpers/processors.ts';
import { activate } from '../helpers/worker-processes.ts';

let node: TestNode;
let me: Person;
let ada: Person;
let place: Entity;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  me = operator(node);
  ada = await user(node, 'ada');
  place = await collection(node, me, { label: 'processors' });
});
afterAll(() => node[Symbol.asyncDispose]());

async function got<T>(route: string, path: string): Promise<T> {
  const answer = await ask(node, me, `GET ${path}`);
  expect(misfits(route, answer.status, answer.body), answer.text).toEqual([]);
  return ok<T>(answer);
}
const runs = (query = '') => got<RunsView>('GET /node/jobs', `/node/jobs?${query}`);
const run = (job: string, query = '') => got<RunView>('GET /node/jobs/{job_id}', `/node/jobs/${job}?${query}`);

interface Started {
  status: string;
  job_id: string;
  dispatch_id: string;
  job_collection: string;
}

describe('what was started', () => {
  test('a workflow is one run, whose jobs say their step, slot, log and what they made', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const files = [
      await fixture(node, me, where.id, 'letter.html', 'text/html'),
      await fixture(node, me, where.id, 'letter.html', 'text/html', ' '),
    ];
    await allow(node, {
      fixity: shipped('fixity'),
      'extract-text': shipped('extract-text'),
      'combine-text': shipped('combine-text'),
    });
    const accepts = many('*');
    const check = await command(node, me, place.id, 'fixity', { accepts, produces: accepts });
    const read = await command(node, me, place.id, 'extract-text', { accepts: one('file') });
    const join = await command(node, me, place.id, 'combine-text', { accepts });
    const flow = await workflow(node, me, place.id, {
      check: { klados: check, then: { scatter: 'read' } },
      read: { klados: read, then: { gather: 'join' } },
      join: { klados: join, then: { done: true } },
    });
    const body = { target_entities: files.map(({ id }) => id), target_collection: where.id, confirm: true };
    const started = ok<Started>(await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body));
    await ended(node, me, `/rhizai/${flow.id}/jobs/${started.job_id}/status`);

    const [line] = (await runs()).runs;
    expect(line).toMatchObject({
      job_id: started.job_id,
      kind: 'rhiza',
      processor: { id: flow.id, label: 'a workflow' },
      target: { id: where.id, label: 'letters' },
      job_collection: started.job_collection,
      status: 'done',
      progress: { total: 4, done: 4, error: 0 },
      completed_at: expect.any(String),
      error: null,
    });
    const { jobs, total, run: same } = await run(started.job_id);
    expect(same).toEqual(line);
    expect(total).toBe(4);
    expect(jobs.map(({ step, batch }) => [step, batch])).toEqual([
      ['check', null],
      ['read', { index: 0, total: 2 }],
      ['read', { index: 1, total: 2 }],
      ['join', null],
    ]);
    const [first, slot, , last] = jobs;
    expect(first).toMatchObject({ parent: null, target_count: 2, targets: files.map(({ id }) => id), status: 'done' });
    expect(slot).toMatchObject({
      parent: first?.job_id,
      targets: [files[0]?.id],
      output_count: 1,
      sending: 'accepted',
    });
    const log = ok<Entity>(await ask(node, me, `GET /entities/${last?.log}`));
    expect(log).toMatchObject({ type: 'klados_log', properties: { job_id: last?.job_id } });
    const made = ok<Entity>(await ask(node, me, `GET /entities/${last?.outputs[0]}`));
    expect(made.type).toBe('document');

    // Any job leads to the run, and its jobs come in pages.
    const page = await run(last?.job_id ?? '', 'offset=3&limit=1');
    expect(page).toMatchObject({ run: { job_id: started.job_id }, total: 4, jobs: [{ job_id: last?.job_id }] });
  });

  test('a failed job says why, until its repetition is done', async () => {
    const where = await collection(node, me, { label: 'target' });
    const note = await create(node, me, { type: 'note', collection: where.id, properties: { label: 'n' } });
    await allow(node, { breaks: program('console.error("no ink"); process.exit(3)') });
    const of = await command(node, me, place.id, 'breaks', { accepts: one('*') });
    const body = { target_entity: note.id, target_collection: where.id, confirm: true };
    const started = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/invoke`, body));
    await ended(node, me, `/kladoi/${of.id}/jobs/${started.job_id}/status`);
    const failed = await run(started.job_id);
    expect(failed.run).toMatchObject({ kind: 'klados', status: 'error', progress: { error: 1 } });
    expect(failed.run.error?.message).toContain('3');
    expect(failed.jobs[0]?.error).toMatchObject(failed.run.error ?? {});

    await allow(node, { breaks: replying('return {}') });
    const again = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/reinvoke`, { log_id: failed.jobs[0]?.log }));
    await ended(node, me, `/kladoi/${of.id}/jobs/${again.job_id}/status`);
    const repeated = await run(started.job_id);
    expect(repeated.run).toMatchObject({ status: 'done', error: null, progress: { total: 2, done: 1, error: 1 } });
    expect(repeated.jobs[1]).toMatchObject({ job_id: again.job_id, retries: started.job_id, status: 'done' });
  });

  test('a batch is one run, and runs come in pages, of one processor if wanted', async () => {
    const where = await collection(node, me, { label: 'many' });
    const notes = await Promise.all(
      ['a', 'b', 'c'].map((label) => create(node, me, { type: 'note', collection: where.id, properties: { label } })),
    );
    await allow(node, { nothing: replying('return {}') });
    const of = await command(node, me, place.id, 'nothing', { accepts: one('*') });
    const invocations = notes.map(({ id }) => ({ target_entity: id }));
    const body = { invocations, target_collection: where.id, confirm: true };
    const batch = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/invoke/batch`, body));
    await ended(node, me, `/kladoi/${of.id}/jobs/${batch.dispatch_id}/status`);
    const single = { target_entity: notes[0]?.id, target_collection: where.id, confirm: true };
    const started = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/invoke`, single));
    await ended(node, me, `/kladoi/${of.id}/jobs/${started.job_id}/status`);

    const newest = await runs(`processor=${of.id}&limit=1`);
    expect(newest.runs).toMatchObject([{ job_id: started.job_id, kind: 'klados' }]);
    const next = await runs(`processor=${of.id}&limit=1&before=${newest.next}`);
    expect(next).toMatchObject({ runs: [{ job_id: batch.dispatch_id, kind: 'batch' }], next: null });
    expect(next.runs[0]).toMatchObject({ status: 'done', progress: { total: 3, done: 3 } });
    expect((await run(batch.dispatch_id)).jobs.flatMap(({ targets }) => targets).sort()).toEqual(
      notes.map(({ id }) => id).sort(),
    );
  });

  test('of an agent only it can say how far it is, but for a refusal', async () => {
    await using scene = await JobScene.open();
    const at = (behaviour: string) => ({ endpoint: `${scene.endpoint.url}/${behaviour}` });
    const made = (behaviour: string) => agent(scene.node, scene.who, scene.home.id, at(behaviour));
    const busy = await activate(scene.node, scene.who, await made('accept'));
    const started = ok<Started>(
      await ask(scene.node, scene.who, `POST /agents/${busy.id}/invoke`, { target: scene.target.id, confirm: true }),
    );
    const answer = await ask(scene.node, scene.who, `GET /node/jobs/${started.job_id}`);
    expect(misfits('GET /node/jobs/{job_id}', 200, answer.body)).toEqual([]);
    const { run: line, jobs } = ok<RunView>(answer);
    expect(line).toMatchObject({ kind: 'agent', processor: { id: busy.id }, status: 'unknown', completed_at: null });
    expect(jobs).toMatchObject([{ status: 'unknown', sending: 'accepted' }]);
    // It may work on, or have ended well: that its time is up is no failure that anybody knows of.
    scene.clock.ms = Date.parse(line.expires_at) + 1000;
    const { run: late } = ok<RunView>(await ask(scene.node, scene.who, `GET /node/jobs/${started.job_id}`));
    expect(late).toMatchObject({ status: 'unknown', error: null, progress: { total: 1, error: 0 } });

    const refusing = await activate(scene.node, scene.who, await made('refuse'));
    await ask(scene.node, scene.who, `POST /agents/${refusing.id}/invoke`, { target: scene.target.id, confirm: true });
    const { runs: lines } = ok<RunsView>(await ask(scene.node, scene.who, `GET /node/jobs?processor=${refusing.id}`));
    expect(lines).toMatchObject([{ status: 'error', error: { code: 'REJECTED' }, progress: { error: 1 } }]);
  });
});

describe('the list of processors', () => {
  test('finds them by kind, status and a part of the label, and says what each is', async () => {
    const shelf = await collection(node, me, { label: 'Shelf' });
    const crow = await agent(node, me, shelf.id, { label: 'Große Krähe', description: 'caws' });
    const eagle = await klados(node, me, shelf.id, { label: 'Krähe the second', accepts: many('file', 'note') });
    await remove(node, me, await klados(node, me, shelf.id, { label: 'Krähe the third' }));
    const list = (query: string) => got<ProcessorLinesView>('GET /node/processors', `/node/processors?${query}`);
    const found = await list(`q=${encodeURIComponent('KRÄHE')}`);
    expect(found.total).toBe(2);
    expect(found.processors).toMatchObject([
      {
        id: crow.id,
        type: 'agent',
        description: 'caws',
        status: 'development',
        endpoint: 'https://agent.test',
        endpoint_verified_at: null,
        accepts: null,
        version: null,
        collection: { id: shelf.id, label: 'Shelf' },
      },
      { id: eagle.id, type: 'klados', accepts: { types: ['file', 'note'], cardinality: 'many' }, steps: null },
    ]);
    expect((await list(`q=${eagle.id}`)).processors.map(({ id }) => id)).toEqual([eagle.id]);
    expect((await list('type=rhiza')).processors).toMatchObject([
      { type: 'rhiza', label: 'a workflow', version: '1.0.0', steps: 3, endpoint: null, status: 'active' },
    ]);
    const kladoi = await list('type=klados&status=development&limit=1');
    expect(kladoi).toMatchObject({ total: 1, processors: [{ id: eagle.id }] });
    const all = await list('limit=200');
    const second = await list('limit=2&offset=2');
    expect(second.processors).toEqual(all.processors.slice(2, 4));
  });

  test('the commands are those that the operator allows now', async () => {
    await allow(node, { ocr: program('', { seconds: 900, at_once: 1 }) });
    expect(await got<CommandsView>('GET /node/commands', '/node/commands')).toEqual({
      commands: [{ name: 'ocr', endpoint: 'exec:ocr', seconds: 900, at_once: 1 }],
    });
    await allow(node, { 'NOT A NAME': program('') });
    const refused = await ask(node, me, 'GET /node/commands');
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('must be a short name');
    await allow(node, {});
  });
});

test("all of it is the operator's, and says what is wrong with a request", async () => {
  for (const path of ['jobs', 'jobs/job_x', 'processors', 'commands']) {
    expect((await ask(node, anonymous, `GET /node/${path}`)).status).toBe(401);
    expect((await ask(node, ada, `GET /node/${path}`)).status).toBe(403);
  }
  expect((await ask(node, me, 'GET /node/jobs/job_unknown')).body).toEqual({ ...notFound, error: 'Job not found' });
  expect((await ask(node, me, `GET /node/jobs?processor=${onTest}`)).status).toBe(200);
  expect(await runs(`processor=${nowhere}`)).toEqual({ runs: [], next: null });
  expect((await ask(node, me, 'GET /node/jobs?limit=101')).body).toEqual(invalid(['limit'], 'must be at most 100'));
  expect((await ask(node, me, 'GET /node/processors?type=cat')).status).toBe(400);
  expect((await ask(node, me, `GET /node/processors?q=${'x'.repeat(201)}`)).status).toBe(400);
});
