import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AllowedCommands } from '../../src/server/jobs/local/allowed-commands.ts';
import { LocalDispatcher } from '../../src/server/jobs/local/local-dispatcher.ts';
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
  const nodes = {
    of: () => barred as unknown as ProcessorNode,
    last: () => node as unknown as ProcessorNode,
    watch: async () => ({ out: out.signal, [Symbol.dispose]: () => undefined }),
    isOut: async () => out.signal.aborted,
    isOperators: async () => true,
  };
  await using local = new LocalDispatcher({
    nodes,
    allowed: new AllowedCommands(join(folder.path, 'processors.json')),
    work: join(folder.path, 'work'),
    environment: { PATH: '/usr/bin:/bin' },
    version: '1',
    now: () => at,
    log: { error: (details) => expect(details).toBe('nothing') },
  });
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
