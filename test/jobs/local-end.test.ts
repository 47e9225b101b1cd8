import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AllowedCommands } from '../../src/server/jobs/local/allowed-commands.ts';
import { LocalDispatcher, type LocalNeeds } from '../../src/server/jobs/local/local-dispatcher.ts';
import type { ProcessorNode } from '../../src/server/jobs/local/ports.ts';
import { NodeCallError } from '../../src/server/kit/job-error.ts';
import { allow, replying } from '../helpers/local.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { at, MemoryRun } from './memory-run.ts';

const [first, second, flow, target] = ['K1', 'K2', 'R1', 'F1'].map((end) => `01JQZ3M4N5P6Q7R8S9T0V1W2${end}`) as [
  string,
  string,
  string,
  string,
];

/** Works for a node in memory. */
function dispatcher(
  folder: string,
  { of, last, out }: { of: MemoryRun; last: MemoryRun; out: AbortSignal },
  log: LocalNeeds['log'],
): LocalDispatcher {
  return new LocalDispatcher({
    nodes: {
      of: () => of as unknown as ProcessorNode,
      last: () => last as unknown as ProcessorNode,
      late: () => last as unknown as ProcessorNode,
      watch: async () => ({ out, [Symbol.dispose]: () => undefined }),
      isOut: async () => out.aborted,
      isOperators: async () => true,
    },
    allowed: new AllowedCommands(join(folder, 'processors.json')),
    work: join(folder, 'work'),
    environment: { PATH: '/usr/bin:/bin' },
    version: '1',
    now: () => at,
    log,
  });
}

test('a job is done whose klados is disabled once it has handed on, and before its log says so', async () => {
  await using folder = await temporaryFolder();
  await allow({ data: folder.path }, { quick: replying('return { outputs: [job.target_entity] };') });
  const node = new MemoryRun({});
  const step = (id: string, then: object) => ({ klados: { id, type: 'klados' }, then });
  const steps = { one: step(first, { pass: 'two' }), two: step(second, { done: true }) };
  for (const id of [first, second]) node.put(id, 'klados', { label: id });
  node.put(flow, 'rhiza', { entry: 'one', flow: steps });
  node.put(target, 'file');
  const out = new AbortController();
  node.onCall = (call, _id, body) => {
    if (call === 'add' && (body as { status?: unknown }).status === 'done') disable();
  };
  const disable = () => {
    if (out.signal.aborted) return;
    out.abort();
    throw new NodeCallError(401, 'The klados is disabled or deleted.');
  };
  const barred = new Proxy(node, {
    get: (of, name) => {
      const own: unknown = Reflect.get(of, name);
      if (typeof own !== 'function') return own;
      return async (...args: unknown[]) => {
        if (out.signal.aborted) throw new NodeCallError(401, 'The klados is disabled or deleted.');
        return own.apply(of, args);
      };
    },
  });
  const log = { error: (details: object) => expect(details).toBe('nothing') };
  await using local = dispatcher(folder.path, { of: barred, last: node, out: out.signal }, log);
  node.start(first, { target_entity: target, rhiza: { id: flow, path: ['one'], parent_logs: [] } });
  const [{ job }] = node.started as [(typeof node.started)[number]];
  const processor = { id: first, type: 'klados' as const, endpoint: 'exec:quick' };
  expect(await local.send({ network: 'main', processor, request: job as never })).toEqual({ kind: 'accepted' });
  await local.idle();
  expect(node.started).toHaveLength(2);
  expect(node.logs()).toMatchObject([{ status: 'done', outputs: [target], error: undefined }]);
  expect(node.entities.get('JOBS')?.relationships.map(({ predicate }) => predicate)).toEqual([
    'log_started',
    'log_done',
  ]);
});

test('a job whose log could not be begun is begun once the node takes that', async () => {
  await using folder = await temporaryFolder();
  await allow({ data: folder.path }, { quick: replying('return {};') });
  const node = new MemoryRun({});
  node.put(first, 'klados', { label: first });
  node.put(target, 'file');
  let refusals = 1;
  node.onCall = (call, type) => {
    if (call === 'create' && type === 'klados_log' && refusals-- > 0) throw new NodeCallError(403, 'not yet');
  };
  const errors: string[] = [];
  const nodes = { of: node, last: node, out: new AbortController().signal };
  await using local = dispatcher(folder.path, nodes, { error: (_, words) => errors.push(words) });
  node.start(first, { target_entity: target });
  const [{ job }] = node.started as [(typeof node.started)[number]];
  const processor = { id: first, type: 'klados' as const, endpoint: 'exec:quick' };
  await local.send({ network: 'main', processor, request: job as never });
  await expect.poll(() => node.logs(), { timeout: 10_000 }).toMatchObject([{ status: 'done' }]);
  expect(errors).toEqual(['the log of a job could not be written']);
});
