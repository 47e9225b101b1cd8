import { join } from 'node:path';
import { sampleBody } from '../samples.ts';
import type { Document, Edge, Paths, Peer } from './peer.ts';
import { startPeer } from './script.ts';

const feedPage = 1000;
const headers = { 'content-type': 'application/json' };

/** PostgreSQL behind bare express: one table of JSONB versions, a compare-and-swap update. */
export async function startPostgres(folder: string): Promise<Peer & { connect(edges: Edge[]): Promise<Paths> }> {
  const server = await startPeer('postgres', join(folder, 'data'));
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${server.url}${path}`, body && { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  return {
    name: 'PostgreSQL',
    server,
    documents: {
      headers,
      create: (n) => ({ method: 'POST', path: '/documents', body: JSON.stringify(sampleBody(n)) }),
      batch: (numbers) => ({
        method: 'POST',
        path: '/documents/batch',
        body: JSON.stringify(numbers.map(sampleBody)),
      }),
      written: (answer) =>
        (JSON.parse(answer) as { id: string; ver: number }[]).map(
          ({ id, ver }): Document => ({ id, revision: String(ver) }),
        ),
      get: ({ id }) => ({ method: 'GET', path: `/documents/${id}` }),
      update: ({ id, revision }, n) => ({
        method: 'PUT',
        path: `/documents/${id}`,
        body: JSON.stringify({ ver: Number(revision), body: sampleBody(n) }),
      }),
      refusal: 409,
    },
    changes: async function* () {
      for (let after = '0'; ; ) {
        const rows = (await ask(`/changes?after=${after}&limit=${feedPage}`)) as { seq: string }[];
        const last = rows.at(-1);
        if (!last) return;
        yield rows.length;
        after = last.seq;
      }
    },
    connect: async (edges) => {
      for (let from = 0; from < edges.length; from += 20_000) {
        const part = edges.slice(from, from + 20_000);
        await ask('/edges', { sources: part.map(({ source }) => source), targets: part.map(({ target }) => target) });
      }
      await ask('/edges/index', {});
      return async (from, to) => ((await ask(`/paths?from=${from}&to=${to}`)) as { length: number | null }).length;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
