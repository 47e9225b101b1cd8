// A worker in a process of its own, on a free port of this machine. It is told what it is by its parent:
// {klados, key, work, control}; it says {port}, and {request} for each /process that comes.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idsOf, runJob, type Work } from './job.ts';
import type { JobCall } from './node-calls.ts';

/** What the kladoi of the tests do. */
const works: Record<string, Work> = {
  /** Reads its targets and gives them on. */
  split: async (job, calls) => {
    for (const id of idsOf(job)) await calls.read(id);
    return idsOf(job);
  },
  /** Makes a document from its target; fails for those that are named in `failing`. */
  work: async (job, calls) => {
    const [id = ''] = idsOf(job);
    await calls.read(id);
    if (failing.delete(id)) throw new Error('request timed out');
    const made = await calls.create({
      type: 'document',
      collection: job.target_collection,
      properties: { label: `text of ${id}`, quality: job.input?.quality ?? null },
      relationships: [{ predicate: 'derived_from', peer: id, peer_type: 'file' }],
    });
    return [made.id];
  },
  /** Makes one document of all its targets. */
  join: async (job, calls) => {
    const made = await calls.create({
      type: 'document',
      collection: job.target_collection,
      properties: { label: `joined ${idsOf(job).length}` },
      relationships: idsOf(job).map((peer) => ({ predicate: 'derived_from', peer, peer_type: 'document' })),
    });
    return [made.id];
  },
  /** Nothing: the log is all that it leaves. */
  echo: async (job) => idsOf(job),
};

interface Told {
  klados?: string;
  key?: string;
  work?: string;
  failing?: string[];
  /** What the node that verifies the endpoint wants to see. */
  token?: string;
  patient?: boolean;
  expires_in?: number;
}

const failing = new Set<string>();
const self: Required<Omit<Told, 'failing'>> = {
  ...{ klados: '', key: '', work: 'echo', token: '', patient: false, expires_in: 3600 },
};

process.on('message', (told: Told) => {
  const { failing: ids = [], ...more } = told;
  for (const id of ids) failing.add(id);
  Object.assign(self, more);
  process.send?.({ told: true });
});
process.on('disconnect', () => process.exit());

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const server = createServer(async (request, response) => {
  const text = await textOf(request);
  response.setHeader('Content-Type', 'application/json');
  if (request.url === '/.well-known/arke-verification') {
    response.end(JSON.stringify({ verification_token: self.token, klados_id: self.klados }));
    return;
  }
  if (request.method !== 'POST' || request.url !== '/process') {
    response.statusCode = 404;
    response.end('{"error":"not found"}');
    return;
  }
  const job = JSON.parse(text) as JobCall;
  process.send?.({ request: { headers: request.headers, text } });
  response.end(JSON.stringify({ accepted: true, job_id: job.job_id }));
  const work = works[self.work] as Work;
  await runJob(job, { ...self, work }).catch((error: Error) => process.send?.({ failed: error.message }));
  process.send?.({ finished: true });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
