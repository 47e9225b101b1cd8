import { type Load, load, median } from '../load.ts';
import { pipelineRate } from '../pipeline.ts';
import type { Node, Server } from '../processes.ts';
import { comparedRow, loopRow, plainRow, ratioRow } from '../report.ts';
import { sampleBody, sampleManifest } from '../samples.ts';

const rounds = 3;

/** Both routes in turn, round by round, so that a drift of the machine's speed meets both; the medians. */
async function against(
  base: () => Promise<Load>,
  subject: () => Promise<Load>,
): Promise<{ base: Load; subject: Load }> {
  const bases: Load[] = [];
  const subjects: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    bases.push(await base());
    subjects.push(await subject());
  }
  return { base: median(bases), subject: median(subjects) };
}

function* samples(count: number) {
  for (let n = 0; n < count; n++) yield sampleManifest(n);
}

/** Durable creates, one by one and by the hundred. */
export async function measureCreates(node: Node, echo: Server): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify(sampleBody(1));
  const post = { method: 'POST', body } as const;
  const { base, subject } = await against(
    () => load(echo, { ...post, path: '/echo', headers: json }),
    () => load(node, { ...post, path: '/entities', headers: node.headers }),
  );
  const pipeline = pipelineRate(samples(30_000), 64);
  const together = 1 / (1 / base.rate + 1 / pipeline);
  plainRow('bare echo POST (E)', base.rate, '/s');
  plainRow('pipeline, 64 a transaction (P)', pipeline, '/s');
  ratioRow('POST /entities', subject.rate, '/s', { name: '1/(1/E+1/P)', value: together }, 0.7);
  // Of E alone: no goal of its own, since the goal above is this much of it only at one proportion of E and P.
  comparedRow('POST /entities against E', subject.rate, '/s', { name: 'E', value: base.rate });
  plainRow('POST /entities p99', subject.p99, 'ms');
  loopRow('POST /entities', subject.loop);

  const hundred = JSON.stringify({ entities: Array.from({ length: 100 }, (_, n) => sampleBody(n)) });
  const batches: Load[] = [];
  for (let round = 0; round < rounds; round++)
    batches.push(
      await load(node, {
        method: 'POST',
        body: hundred,
        path: '/entities/batch',
        headers: node.headers,
        connections: 4,
      }),
    );
  const batch = median(batches);
  const pipeline100 = pipelineRate(samples(30_000), 100);
  ratioRow('POST /entities/batch', batch.rate * 100, 'entities/s', { name: 'P at 100', value: pipeline100 }, 0.5);
  loopRow('POST /entities/batch', batch.loop);
}

/** Reads of one entity among many, over all connections. */
export async function measureReads(node: Node, echo: Server, ids: string[]): Promise<void> {
  const requests = (suffix: string) => ids.map((id) => ({ method: 'GET' as const, path: `/entities/${id}${suffix}` }));
  // As many as there are ids, so that the client does the same work on both sides.
  const echoes = ids.map(() => ({ method: 'GET' as const, path: '/echo' }));
  for (const [name, suffix] of [
    ['GET /entities/{id}', ''],
    ['GET /entities/{id}/tip', '/tip'],
  ] as const) {
    const { base, subject } = await against(
      () => load(echo, { path: '', requests: echoes }),
      () => load(node, { path: '', requests: requests(suffix) }),
    );
    ratioRow(name, subject.rate, '/s', { name: 'echo GET', value: base.rate }, 0.6);
    loopRow(name, subject.loop);
  }
}
