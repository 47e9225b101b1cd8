import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, read as entity, ok, remove } from '../helpers/entities.ts';
import { cidOf } from '../helpers/files.ts';
import {
  activated,
  allow,
  command,
  ended,
  fixture,
  many,
  one,
  program,
  replying,
  shipped,
  within,
  workflow,
} from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { klados, rhiza } from '../helpers/processors.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

let node: TestNode;
let me: Person;
let place: Entity;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin', SECRET: 'of the node' } });
  me = operator(node);
  place = await collection(node, me, { label: 'processors' });
});
afterAll(() => node[Symbol.asyncDispose]());

interface Started {
  status: string;
  job_id: string;
  job_collection: string;
  error?: string;
}

/** Starts a klados on something and waits for its end. */
async function run(of: Entity, target: Entity, where: Entity, more: object = {}) {
  const body = { target_entity: target.id, target_collection: where.id, confirm: true, ...more };
  const started = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/invoke`, body));
  expect(started).toMatchObject({ status: 'started' });
  const status = await ended(node, me, `/kladoi/${of.id}/jobs/${started.job_id}/status`);
  const [log] = await within(node, me, started.job_collection, 'klados_log');
  return { started, status, log: log as Entity };
}

const entryOf = (log: Entity) =>
  (log.properties.log_data as { entry: { [name: string]: unknown; error?: { code: string; message: string } } }).entry;

describe('a klados that is a command', () => {
  test('reads its job, makes entities with content, changes others, and its log says so', async () => {
    const where = await collection(node, me, { label: 'target' });
    const file = await fixture(node, me, where.id, 'letter.html', 'text/html');
    const reply = `
      const fs = require('node:fs');
      const [{ id, files }] = job.entities;
      fs.writeFileSync(job.folder + '/out.txt', fs.readFileSync(files[0].path, 'utf8').slice(0, 15));
      return {
        outputs: [{ type: 'note', properties: { label: 'made', lang: job.input.lang, env: Object.keys(process.env) },
          relationships: [{ predicate: 'about', peer: id }],
          content: [{ path: 'out.txt', key: 'head', content_type: 'text/plain' }] }],
        updates: [{ entity_id: id, properties: { seen: true } }],
        messages: [{ level: 'warning', message: 'look here' }] };`;
    await allow(node, { note: replying(reply, { environment: ['PATH'] }) });
    const of = await command(node, me, place.id, 'note');
    const { status, log, started } = await run(of, file, where, { input: { lang: 'en' } });
    expect(status).toMatchObject({ status: 'done', progress: { total: 1, done: 1 } });
    const [made] = await within(node, me, where.id, 'note');
    expect(made).toMatchObject({
      properties: { label: 'made', lang: 'en', env: ['PATH', 'TMPDIR'], content: { head: { size: 15 } } },
      edited_by: { user_id: of.id, method: 'ai_generated' },
    });
    expect(made?.relationships).toContainEqual(expect.objectContaining({ predicate: 'about', peer: file.id }));
    const head = await ask(node, me, `GET /entities/${made?.id}/content?key=head`);
    expect(head.text).toBe('<!doctype html>');
    expect((await entity(node, me, file.id)).properties.seen).toBe(true);
    expect(entryOf(log)).toMatchObject({ status: 'done', job_id: started.job_id, outputs: [made?.id] });
    expect(log.properties.log_data).toMatchObject({
      messages: [
        { level: 'warning', message: 'look here' },
        { level: 'success', message: 'Job completed' },
      ],
    });
    await expect.poll(() => readdir(join(node.data, 'work'))).toEqual([]);
  });

  test('says nothing of where things lie on this machine, where what it is given cannot be copied', async () => {
    const where = await collection(node, me, { label: 'target' });
    const file = await fixture(node, me, where.id, 'letter.html', 'text/html', 'without a place');
    await allow(node, {
      clears: program(
        "require('node:fs').rmSync(process.env.TMPDIR + '/in', { recursive: true }); process.stdin.resume()",
      ),
    });
    const of = await command(node, me, place.id, 'clears');
    // More than a pipe holds: the file is copied once it reads.
    const { log } = await run(of, file, where, { input: { much: 'x'.repeat(300_000) } });
    expect(entryOf(log).error).toMatchObject({ message: 'ENOENT: no such file or directory' });
    expect(JSON.stringify(log.properties)).not.toContain(node.data);
  });

  test.each<[string, ReturnType<typeof program>, string, string, boolean]>([
    ['fails', program('console.error("no disk"); process.exit(1)'), 'PROCESSING_ERROR', 'no disk', true],
    [
      'fails with a character on the cut',
      program('console.error("🌍".repeat(600) + "!"); process.exit(1)'),
      ...(['PROCESSING_ERROR', 'It said last: 🌍', true] as const),
    ],
    [
      'tells a number that cannot be kept',
      program(
        'console.log(`{"outputs": [{"type": "note"}], "messages": [{"message": "m", "metadata": {"inode": 9223372036854775807}}]}`)',
      ),
      ...(['INVALID_OUTPUT', 'messages.0.metadata.inode: is beyond 2^53-1', false] as const),
    ],
    ['writes HTML', program('console.log("<html>Bad gateway")'), 'INVALID_OUTPUT', 'wrote no JSON', false],
    ['writes nothing', program(''), 'INVALID_OUTPUT', 'wrote nothing', false],
    [
      'says why',
      replying('return { error: { code: "TOO_DARK", message: "scan again", retryable: true } }'),
      'TOO_DARK',
      'scan again',
      true,
    ],
    ['takes too long', program('setInterval(() => {}, 1000)', { seconds: 1 }), 'TIMEOUT', 'within 1 s', true],
    [
      'writes on and on',
      program('const x = "x".repeat(1e6); const w = () => process.stdout.write(x, w); w()', { output_mb: 1 }),
      'OUTPUT_TOO_LARGE',
      '1048576 bytes',
      false,
    ],
    ['is not there', { run: ['/no/such/program'] }, 'SERVICE_UNAVAILABLE', 'could not be started', true],
    [
      'names a file of somebody',
      replying('return { outputs: [{ type: "note", content: [{ path: "../../main/store.db" }] }] }'),
      'INVALID_OUTPUT',
      "not in the job's folder",
      false,
    ],
    [
      'links to a file of somebody',
      replying(
        'require("node:fs").symlinkSync("/etc/passwd", job.folder + "/x"); return { outputs: [{ type: "note", content: [{ path: "x" }] }] }',
      ),
      'INVALID_OUTPUT',
      'is no plain file',
      false,
    ],
    [
      'changes what it was not granted',
      replying(`return { updates: [{ entity_id: job.input.other, properties: { taken: true } }] }`),
      'PERMISSION_DENIED',
      '',
      false,
    ],
    [
      'names an entity that is not there',
      replying('return { updates: [{ entity_id: "01JQZ3M4N5P6Q7R8S9T0V1W2X3", properties: {} }] }'),
      'VALIDATION_ERROR',
      '01JQZ3M4N5P6Q7R8S9T0V1W2X3',
      false,
    ],
  ])('that %s has an error in its log', async (_, entry, code, words, retryable) => {
    const where = await collection(node, me, { label: 'target' });
    const other = await collection(node, me, { label: 'another' });
    const file = await fixture(node, me, where.id, 'letter.html', 'text/html');
    await allow(node, { odd: entry });
    const of = await command(node, me, place.id, 'odd');
    const { status, log } = await run(of, file, where, { input: { other: other.id } });
    expect(entryOf(log).error).toMatchObject({ code, message: expect.stringContaining(words), retryable });
    expect(status).toMatchObject({ status: 'error', errors: [{ code, retryable }] });
    expect((await entity(node, me, other.id)).properties.taken).toBeUndefined();
    expect(await within(node, me, where.id, 'note')).toEqual([]);
  });

  test('of several, of which one was deleted before it is repeated, names that in its log', async () => {
    const where = await collection(node, me, { label: 'target' });
    const [file, other] = [
      await create(node, me, { collection: where.id }),
      await create(node, me, { collection: where.id }),
    ];
    await allow(node, { odd: replying('return { error: { code: "TOO_DARK", message: "scan again" } }') });
    const of = await command(node, me, place.id, 'odd', { accepts: many('*') });
    const { log } = await run(of, file, where, { target_entity: undefined, target_entities: [other.id, file.id] });
    await remove(node, me, file);
    const again = await ask(node, me, `POST /kladoi/${of.id}/reinvoke`, { log_id: log.id });
    const { job_id } = ok<Started>(again);
    expect(await ended(node, me, `/kladoi/${of.id}/jobs/${job_id}/status`)).toMatchObject({
      errors: [{ code: 'NOT_FOUND', message: `Entity not found: ${file.id}`, retryable: false }],
    });
  });

  test('is given a copy of the files: what it does to them stays with it', async () => {
    const where = await collection(node, me, { label: 'target' });
    const file = await fixture(node, me, where.id, 'letter.html', 'text/html');
    await allow(node, {
      vandal: replying('require("node:fs").writeFileSync(job.entities[0].files[0].path, "gone"); return {}'),
      fixity: shipped('fixity'),
    });
    await run(await command(node, me, place.id, 'vandal'), file, where);
    await run(await command(node, me, place.id, 'fixity'), file, where);
    const [check] = await within(node, me, where.id, 'fixity_check');
    expect(check?.properties).toMatchObject({ outcome: 'intact', files: [{ outcome: 'intact' }] });
  });
});

test('a command is given no more than its limit, whatever an entity says of the size of its files', async () => {
  const where = await collection(node, me, { label: 'target' });
  const large = await fixture(node, me, where.id, 'letter.html', 'text/html', 'x'.repeat(2 ** 20));
  const { cid } = large.properties as { cid: string };
  const claims = { content: { k: { cid, size: 1, content_type: 'text/html' } } };
  const file = await create(node, me, { collection: where.id, properties: claims });
  await allow(node, { small: replying('return {}', { input_mb: 1 }) });
  const of = await command(node, me, place.id, 'small', { accepts: one('*') });
  const { status } = await run(of, file, where);
  expect(status).toMatchObject({ status: 'error', errors: [{ code: 'INVALID_INPUT' }] });
  // Bytes that are not here take no room.
  const absent = { k: { cid: cidOf('nowhere'), size: 2 ** 30, content_type: 'text/html' } };
  ok(await ask(node, me, `PUT /entities/${file.id}`, { expect_tip: file.cid, properties: { content: absent } }));
  expect((await run(of, file, where)).status).toMatchObject({ status: 'done' });
});

describe('who may have one', () => {
  test('a command that is not allowed, or no longer, is refused with the way out', async () => {
    const where = await collection(node, me, { label: 'target' });
    await allow(node, { echo: replying('return {}') });
    const of = await command(node, me, place.id, 'echo');
    await allow(node, {});
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    const answer = ok<Started>(await ask(node, me, `POST /kladoi/${of.id}/invoke`, body));
    expect(answer).toMatchObject({
      status: 'rejected',
      error: expect.stringContaining('archeion processor allow echo'),
    });
  });

  test('a workflow says before it begins which commands are not allowed', async () => {
    const where = await collection(node, me, { label: 'target' });
    await allow(node, { echo: replying('return {}') });
    const of = await command(node, me, place.id, 'echo');
    const flow = await workflow(node, me, place.id, { only: { klados: of, then: { done: true } } });
    const body = { target_entity: where.id, target_collection: where.id };
    const preview = () => ask(node, me, `POST /rhizai/${flow.id}/invoke`, body);
    expect((await preview()).body).toMatchObject({ all_ready: true });
    await allow(node, {});
    expect((await preview()).body).toMatchObject({
      all_ready: false,
      klados_issues: [{ id: of.id, reason: expect.stringContaining('archeion processor allow echo') }],
    });
    expect((await ask(node, me, `POST /rhizai/${flow.id}/invoke`, { ...body, confirm: true })).status).toBe(400);
    await writeFile(join(node.data, 'processors.json'), '{"commands": []}', { mode: 0o600 });
    expect(JSON.stringify((await preview()).body)).toContain('processors.json cannot be used');
  });

  test('one that came in an archive does not run, whoever made it where it was', async () => {
    await allow(node, { echo: replying('return {}') });
    const home = await collection(node, me, { label: 'home' });
    await command(node, me, home.id, 'echo');
    await using other = await startNode();
    await allow(other, { echo: replying('return {}') });
    await imported(other, (await exported(node, `?collection=${home.id}`)).car);
    const them = operator(other);
    const [came] = await within(other, them, home.id, 'klados');
    expect(came?.properties).toMatchObject({ endpoint: 'exec:echo', status: 'active' });
    const where = await collection(other, them, { label: 'target' });
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    const start = () => ask(other, them, `POST /kladoi/${came?.id}/invoke`, body);
    expect((await start()).body).toMatchObject({ status: 'rejected', error: expect.stringContaining('archive') });
    // Nor does it when something else of it is changed here.
    ok(await ask(other, them, `PUT /kladoi/${came?.id}`, { expect_tip: came?.cid, label: 'Mine now' }));
    expect((await start()).body).toMatchObject({ status: 'rejected', error: expect.stringContaining('archive') });
  });

  test('others cannot register one, nor turn one of theirs into it', async () => {
    const somebody = await user(node, 'somebody');
    const theirs = await collection(node, somebody, { label: 'theirs' });
    const body = {
      ...{ label: 'x', endpoint: 'exec:echo', actions_required: ['entity:view'], collection: theirs.id },
      ...{ accepts: one('*'), produces: one('*') },
    };
    expect((await ask(node, somebody, 'POST /kladoi', body)).status).toBeGreaterThanOrEqual(400);
    const plain = await klados(node, somebody, theirs.id);
    const turned = { expect_tip: plain.cid, endpoint: 'exec:echo' };
    expect((await ask(node, somebody, `PUT /kladoi/${plain.id}`, turned)).status).toBeGreaterThanOrEqual(400);
    const generic = { expect_tip: plain.cid, properties: { endpoint: 'exec:echo' } };
    expect((await ask(node, somebody, `PUT /entities/${plain.id}`, generic)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('somebody else’s workflow of a command', () => {
  const only = (of: Entity) => ({ only: { klados: of, then: { done: true } } });
  let somebody: Person;
  let theirs: Entity;
  let of: Entity;
  /** Lets everybody do that there, beside looking. */
  const shared = (...actions: string[]) =>
    collection(node, me, { label: 'shared', roles: { public: ['*:view', ...actions] } });
  const invoke = (flow: Entity, more: object = {}) =>
    ask(node, somebody, `POST /rhizai/${flow.id}/invoke`, {
      ...{ target_entity: theirs.id, target_collection: theirs.id },
      ...more,
    });
  beforeAll(async () => {
    somebody = await user(node, 'stranger');
    theirs = await collection(node, somebody, { label: 'theirs' });
    await allow(node, { echo: replying('return {}') });
    of = await command(node, me, (await shared()).id, 'echo');
  });

  const forbidden = async (flow: Entity) => {
    expect((await invoke(flow)).body).toMatchObject({
      all_ready: false,
      klados_issues: [{ id: of.id, reason: expect.stringContaining('not_allowed') }],
    });
    expect((await invoke(flow, { confirm: true })).status).toBe(400);
  };

  test('does not start, where they may not invoke that', async () => {
    expect((await ask(node, somebody, `POST /kladoi/${of.id}/invoke`, {})).status).toBeGreaterThanOrEqual(400);
    await forbidden(await workflow(node, somebody, theirs.id, only(of)));
  });

  test('nor within a workflow of somebody who may', async () => {
    const inner = await workflow(node, me, (await shared()).id, only(of));
    const flow = { outer: { klados: { id: inner.id, type: 'rhiza' }, then: { done: true } } };
    const made = await rhiza(node, somebody, theirs.id, { label: 'outer', entry: 'outer', flow });
    await forbidden(await activated(node, somebody, 'rhizai', made));
  });

  test.each(['first', 'last'])(
    'nor where one that leads to it is not of somebody who may, and comes %s',
    async (place) => {
      const mine = await workflow(node, me, (await shared()).id, only(of));
      const nested = (step: string, { id }: Entity, then: object) => ({
        [step]: { klados: { id, type: 'rhiza' }, then },
      });
      const named = await workflow(node, somebody, theirs.id, only(of));
      const outer = { label: 'outer', entry: 'outer', flow: nested('outer', mine, { done: true }) };
      const around = await activated(node, somebody, 'rhizai', await rhiza(node, somebody, theirs.id, outer));
      for (const other of [named, around]) {
        const [one, two] = place === 'first' ? [other, mine] : [mine, other];
        const flow = { ...nested('a', one, { pass: 'b' }), ...nested('b', two, { done: true }) };
        const body = { label: 'both', entry: 'a', flow };
        const both = await rhiza(node, me, (await shared('rhiza:invoke')).id, body);
        await forbidden(await activated(node, me, 'rhizai', both));
      }
    },
  );

  test('starts where who wrote it may, and shares it', async () => {
    const flow = await workflow(node, me, (await shared('rhiza:invoke')).id, only(of));
    expect(ok<Started>(await invoke(flow, { confirm: true }))).toMatchObject({ status: 'started' });
  });

  test('starts where they may invoke that themselves', async () => {
    const one = await command(node, me, (await shared('klados:invoke')).id, 'echo');
    const flow = await workflow(node, somebody, theirs.id, only(one));
    expect(ok<Started>(await invoke(flow, { confirm: true }))).toMatchObject({ status: 'started' });
  });
});

test('a workflow that came from elsewhere starts no command in the name of whom it says wrote it', async () => {
  await using folder = await temporaryFolder();
  const [here, there] = [join(folder.path, 'here'), join(folder.path, 'there')];
  const label = 'shared';
  let of: Entity;
  let shared: Entity;
  {
    await using first = await startNode({ data: here });
    const who = operator(first);
    await allow(first, { echo: replying('return {}') });
    of = await command(first, who, (await collection(first, who, { label })).id, 'echo');
    shared = await collection(first, who, { label, roles: { public: ['*:view', 'rhiza:invoke'] } });
  }
  // Whoever has what a node holds can write in the name of its operator.
  await cp(here, there, { recursive: true });
  let flow: Entity;
  let car: Uint8Array;
  {
    await using other = await startNode({ data: there });
    flow = await workflow(other, operator(other), shared.id, { only: { klados: of, then: { done: true } } });
    ({ car } = await exported(other, `?collection=${shared.id}`));
  }
  await using second = await startNode({ data: here });
  await imported(second, car);
  const who = operator(second);
  const came = await entity(second, who, flow.id);
  expect(came.edited_by.user_id).toBe(who.id);
  const somebody = await user(second, 'stranger');
  const theirs = await collection(second, somebody, { label: 'theirs' });
  const body = { target_entity: theirs.id, target_collection: theirs.id };
  const invoke = () => ask(second, somebody, `POST /rhizai/${flow.id}/invoke`, body);
  expect((await invoke()).body).toMatchObject({
    all_ready: false,
    klados_issues: [{ id: of.id, reason: expect.stringContaining('not_allowed') }],
  });
  ok(await ask(second, who, `PUT /rhizai/${flow.id}`, { expect_tip: came.cid, label: 'Looked at' }));
  expect((await invoke()).body).toMatchObject({ all_ready: true });
});

describe('a workflow of commands', () => {
  test('checks five files, reads each, puts the texts together; one that breaks is resumed', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const files = [];
    for (let i = 0; i < 5; i++)
      files.push(await fixture(node, me, where.id, 'letter.pdf', 'application/pdf', `\n%copy ${i}\n`));
    await allow(node, {
      fixity: shipped('fixity'),
      'extract-text': shipped('extract-text'),
      'combine-text': shipped('combine-text'),
    });
    const both = await Promise.all([
      command(node, me, place.id, 'fixity', { accepts: many('file'), produces: many('file') }),
      command(node, me, place.id, 'extract-text', { accepts: one('file'), produces: one('document') }),
      command(node, me, place.id, 'combine-text', { accepts: many('document'), produces: one('document') }),
    ]);
    const [check, read, join] = both as [Entity, Entity, Entity];
    const flow = await workflow(node, me, place.id, {
      check: { klados: check, then: { scatter: 'read' } },
      read: { klados: read, then: { gather: 'join' } },
      join: { klados: join, then: { done: true } },
    });
    const body = {
      target_entities: files.map(({ id }) => id),
      target_collection: where.id,
      input: { label: 'All letters' },
    };
    const preview = ok<{ all_ready: boolean; kladoi_count: number }>(
      await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body),
    );
    expect(preview).toMatchObject({ status: 'pending_confirmation', all_ready: true, kladoi_count: 3 });

    // One step breaks: its command is forbidden while the first one runs.
    await allow(node, {
      fixity: shipped('fixity'),
      'extract-text': program('process.exit(7)'),
      'combine-text': shipped('combine-text'),
    });
    const started = ok<Started>(await ask(node, me, `POST /rhizai/${flow.id}/invoke`, { ...body, confirm: true }));
    const path = `/rhizai/${flow.id}/jobs/${started.job_id}`;
    const broken = await ended(node, me, `${path}/status`);
    expect(broken).toMatchObject({ status: 'error', progress: { total: 6, done: 1, error: 5 } });
    expect(broken.errors?.[0]).toMatchObject({ klados_id: read.id, code: 'PROCESSING_ERROR', retryable: true });

    await allow(node, {
      fixity: shipped('fixity'),
      'extract-text': shipped('extract-text'),
      'combine-text': shipped('combine-text'),
    });
    const resumed = ok<{ resumed: number }>(await ask(node, me, `POST ${path}/resume`, {}));
    expect(resumed).toMatchObject({ resumed: 5, skipped: 0 });
    const done = await ended(node, me, `${path}/status`);
    expect(done).toMatchObject({ status: 'done', progress: { total: 12, done: 7, error: 5 } });
    const documents = await within(node, me, where.id, 'document');
    expect(documents).toHaveLength(6);
    const all = documents.find(({ properties }) => properties.label === 'All letters');
    expect(all?.properties).toMatchObject({ sources: 5 });
    expect(String(all?.properties.text).match(/celestial globe/g)).toHaveLength(5);
    expect(await within(node, me, where.id, 'fixity_check')).toHaveLength(5);
    const [batch] = await within(node, me, started.job_collection, 'batch');
    expect(batch?.properties).toMatchObject({ status: 'complete', total: 5, completed: 5 });
  }, 120_000);
});

test('a job that a stop of the node interrupts is run again, whatever others say of it', async () => {
  await using folder = await temporaryFolder();
  const go = join(folder.path, 'go');
  const waiting = `
    require('node:fs').appendFileSync(${JSON.stringify(`${go}.log`)}, 'run ');
    if (!require('node:fs').existsSync(${JSON.stringify(go)})) await new Promise(() => setInterval(() => {}, 1000));
    return { outputs: [{ type: 'note', properties: { label: 'made' } }] };`;
  const data = join(folder.path, 'data');
  let status = '';
  {
    await using first = await startNode({ data });
    const who = operator(first);
    await allow(first, { slow: replying(waiting) });
    const where = await collection(first, who, { label: 'target' });
    const of = await command(first, who, where.id, 'slow');
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    const { job_id } = ok<Started>(await ask(first, who, `POST /kladoi/${of.id}/invoke`, body));
    status = `/kladoi/${of.id}/jobs/${job_id}/status`;
    while (!existsSync(`${go}.log`)) await pause(50);
    const properties = { klados_id: of.id, job_id, status: 'done', log_data: { entry: { status: 'done' } } };
    await create(first, who, { type: 'klados_log', collection: where.id, properties });
  }
  await writeFile(go, '');
  await using second = await startNode({ data });
  expect(await ended(second, operator(second), status)).toMatchObject({ status: 'done' });
  expect(await readFile(`${go}.log`, 'utf8')).toBe('run run ');
});

test('a job that a service took is not run after a restart by the command that its klados has become', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await startProcessorEndpoint();
  const data = folder.path;
  let path = '';
  let job = '';
  {
    await using first = await startNode({ data });
    const who = operator(first);
    await allow(first, { late: replying('return {}') });
    const where = await collection(first, who, { label: 'target' });
    const { klados: of } = await activeKlados(first, who, where.id, { endpoint: `${endpoint.url}/accept` });
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    job = ok<Started>(await ask(first, who, `POST /kladoi/${of.id}/invoke`, body)).job_id;
    path = `/kladoi/${of.id}/jobs/${job}/status`;
    const another = { expect_tip: of.cid, endpoint: 'exec:late' };
    const moved = ok<Entity>(await ask(first, who, `PUT /kladoi/${of.id}`, another));
    await activated(first, who, 'kladoi', moved);
  }
  await using second = await startNode({ data });
  const store = await second.ctx.networks.get('main');
  await second.ctx.invocations.idle();
  const sent = store.read((db) => db.get('SELECT state, attempts FROM job WHERE id = ?', job));
  expect(sent).toEqual({ state: 'accepted', attempts: 1 });
  expect(ok(await ask(second, operator(second), `GET ${path}`))).toMatchObject({ status: 'pending' });
});
