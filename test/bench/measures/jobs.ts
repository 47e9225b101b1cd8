import { call } from '../call.ts';
import { ended, made, prepareScatter, startKladoi } from '../kladoi.ts';
import type { Node } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow, plainRow } from '../report.ts';

const invocations = 1000;
const atOnce = 32;
const previews = 300;
const scattered = 5000;

/** Processors that do nothing: how many jobs a second begin and are logged. */
export async function measureJobs(node: Node): Promise<void> {
  await using kladoi = await startKladoi();
  const home = await made(node, 'POST /collections', { label: 'processors' });
  const target = await made(node, 'POST /collections', { label: 'target' });
  const echo = await kladoi.register(node, home, 'echo', 'one');
  const file = await made(node, 'POST /entities', { type: 'file', collection: target });
  const body = { target_collection: target, target_entity: file };
  const invoke = `POST /kladoi/${echo}/invoke`;

  for (let i = 0; i < 20; i++) await call(node, invoke, body);
  const times: number[] = [];
  for (let i = 0; i < previews; i++) {
    const begun = performance.now();
    await call(node, invoke, body);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  atMostRow('preview of an invocation, median', times[previews / 2] ?? 0, 'ms', 5);

  const begun = performance.now();
  node.reset();
  const jobs: { job_id: string }[] = [];
  await together(invocations, async () => void jobs.push(await call(node, invoke, { ...body, confirm: true })));
  await together(jobs.length, (i) => ended(node, `/kladoi/${echo}/jobs/${jobs[i]?.job_id}/status`, 20));
  atLeastRow('invocations of a klados over HTTP, each logged', rate(invocations, begun), '/s', 300);
  loopRow('invocations', (await node.loopDelay()).p99);

  const batchBegun = performance.now();
  const items = Array.from({ length: invocations }, () => ({ target_entity: file }));
  const { dispatch_id } = await call<{ dispatch_id: string }>(node, `${invoke}/batch`, {
    target_collection: target,
    invocations: items,
    confirm: true,
  });
  await ended(node, `/kladoi/${echo}/jobs/${dispatch_id}/status`, 20);
  plainRow('the same as one batch', rate(invocations, batchBegun), '/s');
  if (kladoi.failures.length > 0) throw new Error(`a klados failed: ${kladoi.failures[0]}`);
}

/** Does a piece of work so many times, some at once. */
async function together(times: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let at = 0;
  const some = async () => {
    while (at < times) await work(at++);
  };
  await Promise.all(Array.from({ length: atOnce }, some));
}

/** A workflow over many targets; on a node of its own, whose peak of memory it is. */
export async function measureScatter(node: Node): Promise<void> {
  await using kladoi = await startKladoi();
  const scatter = await prepareScatter(node, kladoi, scattered);
  const scatterBegun = performance.now();
  node.reset();
  const { job_id } = await scatter.start();
  const { progress, errors } = await ended(node, scatter.status(job_id));
  if (progress.done !== scattered + 2 || errors) throw new Error(`the scatter ended as ${JSON.stringify(progress)}`);
  plainRow(`scatter over ${scattered} targets with a gather`, (performance.now() - scatterBegun) / 1000, 's');
  loopRow('the scatter', (await node.loopDelay()).p99);
  atMostRow('peak memory with the scatter', node.memory().peak, 'MB', 250);
  if (kladoi.failures.length > 0) throw new Error(`a klados failed: ${kladoi.failures[0]}`);
}

const rate = (count: number, begun: number): number => (count * 1000) / (performance.now() - begun);
