import { expect, test } from 'vitest';
import { NodeCallError } from '../../src/server/kit/job-error.ts';
import type { Properties } from '../../src/server/kit/node-api.ts';
import { jsonIssues } from '../../src/server/model/json-value.ts';
import { end, MemoryRun, type Worker } from './memory-run.ts';

const klados = '01JQZ3M4N5P6Q7R8S9T0V1W2K1';
const target = '01JQZ3M4N5P6Q7R8S9T0V1W2F1';
const inode = 2 ** 63;

/** A node that takes only what can be kept. */
function picky(worker: Worker): MemoryRun {
  const node = new MemoryRun({ [klados]: worker });
  node.put(target, 'file');
  node.start(klados, { target_entity: target });
  node.onCall = (call, _, body) => {
    const [issue] = call === 'add' ? jsonIssues(body, []) : [];
    if (issue) throw new NodeCallError(400, `Validation failed (${issue.path.join('.')}: ${issue.message})`);
  };
  return node;
}

interface Data {
  messages: { level: string; message: string }[];
  entry: Properties;
}

const logOf = (node: MemoryRun) => node.ofType('klados_log')[0]?.properties as { status: string; log_data: Data };
const saidOfIt = (node: MemoryRun) => node.entities.get('JOBS')?.relationships.map(({ predicate }) => predicate);

test('a job is done without its messages where the node refuses them', async () => {
  const node = picky(async ({ note }) => {
    note('info', 'seen', { inode });
    return [target];
  });
  await node.settle();
  const { status, log_data } = logOf(node);
  expect([status, log_data.entry]).toMatchObject(['done', { status: 'done', outputs: [target] }]);
  expect(log_data.messages).toEqual([
    expect.objectContaining({ level: 'warning', message: expect.stringContaining('metadata.inode: is beyond 2^53-1') }),
  ]);
});

test('and so it fails with its own error', async () => {
  const node = picky(async ({ note, error }) => {
    note('info', 'seen', { inode });
    throw error('TOO_DARK', `scan again ${'\ud83c'}`);
  });
  await node.settle();
  const { status, log_data } = logOf(node);
  expect([status, log_data.entry.error]).toMatchObject(['error', { code: 'TOO_DARK', message: 'scan again \ufffd' }]);
  expect(log_data.messages).toHaveLength(1);
});

test.each([
  ['done', { level: 'success', message: 'Job completed' }],
  ['error', { level: 'error', message: 'Job failed' }],
])('a log has room for what becomes of the job, however much is said before: %s', async (end, last) => {
  const node = picky(async ({ note, error }) => {
    for (let i = 1; i <= 1003; i++) note('warning', `No. ${i}`);
    if (end === 'error') throw error('TOO_DARK', 'scan again');
    return [target];
  });
  await node.settle();
  const { status, log_data } = logOf(node);
  expect(status).toBe(end);
  expect(log_data.messages.slice(949)).toMatchObject([
    { level: 'warning', message: 'No. 950' },
    { level: 'warning', message: '53 more messages are left out.' },
    last,
  ]);
});

test('a long message is cut between characters', async () => {
  const node = picky(async ({ note }) => {
    note('info', `a${'🌍'.repeat(2000)}`);
    return [];
  });
  await node.settle();
  expect(logOf(node).log_data.messages[0]?.message).toBe(`a${'🌍'.repeat(1999)}`);
});

test('what it came to is refused: it has failed, with the refusal', async () => {
  const node = picky(async () => [target]);
  const refuse = node.onCall;
  node.onCall = (call, id, body) => {
    refuse(call, id, body);
    const { entry } = ((body as Properties)?.log_data ?? {}) as Partial<Data>;
    if (call === 'add' && entry?.outputs) throw new NodeCallError(413, 'The outputs are too many');
  };
  const ended = await node.run(node.started[0] as (typeof node.started)[number]);
  const failure = { code: 'INVALID_INPUT', message: 'The outputs are too many', retryable: false };
  expect(ended).toEqual({ state: 'error', failure });
  expect(logOf(node)).toMatchObject({ status: 'error', log_data: { entry: { error: failure } } });
  expect(saidOfIt(node)).toEqual(['log_started']);
});

test.each([
  ['is not there', new NodeCallError(0, 'fetch failed: ECONNREFUSED')],
  ['says when it will be well', new NodeCallError(503, 'Too many additive updates wait', { retryAfter: 0.5 })],
  ['fails for a moment', new NodeCallError(507, 'Insufficient storage')],
])('the end of a job waits for a node that %s', async (_, error) => {
  const node = picky(async () => [target]);
  let failures = 0;
  node.onCall = (call, __, body) => {
    if (call === 'add' && (body as Properties)?.status === 'done' && failures++ < 3) throw error;
  };
  expect(await node.run(node.started[0] as (typeof node.started)[number])).toEqual({ state: 'done' });
  expect([failures, logOf(node).status, saidOfIt(node)]).toEqual([4, 'done', ['log_started', 'log_done']]);
});

test('what a worker makes without an id is there once, though the answer that names it is lost', async () => {
  const node = picky(async ({ api }) => [
    (await api.create({ type: 'note', collection: 'TARGET', properties: {} })).id,
  ]);
  let failures = 0;
  const create = node.create.bind(node);
  node.create = async (entity) => {
    const made = await create(entity);
    if (entity.type === 'note' && failures++ < 2) throw new NodeCallError(0, 'fetch failed: ECONNRESET');
    return made;
  };
  expect(await node.run(node.started[0] as (typeof node.started)[number])).toEqual({ state: 'done' });
  expect(node.ofType('note').map(({ id }) => id)).toEqual(logOf(node).log_data.entry.outputs);
});

test('a job whose time is up has no end in its log where the node is not well', async () => {
  const node = picky(async () => [target]);
  node.ms = end - 50;
  const error = new NodeCallError(503, 'busy');
  let calls = 0;
  node.onCall = (call, __, body) => {
    if (call !== 'add' || (body as Properties)?.status !== 'done') return;
    calls++;
    throw error;
  };
  await expect(node.run(node.started[0] as (typeof node.started)[number])).rejects.toBe(error);
  expect([calls, logOf(node).status, saidOfIt(node)]).toEqual([1, 'running', ['log_started']]);
});

test.each([
  ['it refuses that', new NodeCallError(400, 'JOBS: the entity is deleted', { entity: 'JOBS' })],
  ['nobody may write to it', new NodeCallError(403, 'Action not allowed: entity:update')],
])('an end stays as it was written where its collection does not say so: %s', async (_, error) => {
  const node = picky(async () => [target]);
  node.onCall = (call, id) => {
    if (call === 'add' && id === 'JOBS' && logOf(node).status === 'done') throw error;
  };
  const { status, message } = error;
  const ended = node.run(node.started[0] as (typeof node.started)[number]);
  await expect(ended).rejects.toMatchObject({ status, message, entity: 'JOBS' });
  expect(logOf(node).status).toBe('done');
});

test.each(['done', 'error'])(
  'that the log of a job says that it is %s is told in its collection once more, where a worker came no further',
  async (how) => {
    const node = picky(async ({ error }) => {
      if (how === 'error') throw error('TOO_DARK', 'scan again');
      return [target];
    });
    const flow = { one: { klados: { id: klados, type: 'klados' }, then: { done: true } } };
    node.put('R', 'rhiza', { entry: 'one', flow });
    const job = { target_entity: target, rhiza: { id: 'R', path: ['one'], parent_logs: [] } };
    node.started.length = 0;
    node.start(klados, job);
    const [one] = node.started as [(typeof node.started)[number]];
    const stop = new Error('the worker was killed');
    node.onCall = (call, id) => {
      if (call === 'add' && id === 'JOBS' && logOf(node).status === how) throw stop;
    };
    await expect(node.run(one)).rejects.toBe(stop);
    node.onCall = () => undefined;
    const ended = how === 'done' ? ['log_done', 'final_output'] : ['final_error'];
    for (let n = 0; n < 2; n++) {
      expect(await node.run(one)).toEqual({ state: 'ended' });
      expect(saidOfIt(node)).toEqual(['log_started', ...ended]);
    }
  },
);
