import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sampleBody } from '../samples.ts';
import type { Document, Peer } from './peer.ts';
import { startPeer } from './script.ts';

const feedPage = 1000;
const headers = { 'content-type': 'application/json' };

/** PouchDB Server: express-pouchdb over leveldb. */
export async function startPouchdb(folder: string): Promise<Peer> {
  const place = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const server = await startPeer('pouchdb', place('data'));
  const ask = async (url: string, method = 'GET', body?: object): Promise<unknown> => {
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  await ask(`${server.url}/works`, 'PUT');
  return {
    name: 'PouchDB Server',
    server,
    documents: {
      headers,
      create: (n) => ({ method: 'POST', path: '/works', body: JSON.stringify(sampleBody(n)) }),
      batch: (numbers) => ({
        method: 'POST',
        path: '/works/_bulk_docs',
        body: JSON.stringify({ docs: numbers.map(sampleBody) }),
      }),
      written: (answer) =>
        (JSON.parse(answer) as { id: string; rev: string }[]).map(({ id, rev }): Document => ({ id, revision: rev })),
      get: ({ id }) => ({ method: 'GET', path: `/works/${id}` }),
      update: ({ id, revision }, n) => ({
        method: 'PUT',
        path: `/works/${id}`,
        body: JSON.stringify({ ...sampleBody(n), _rev: revision }),
      }),
      refusal: 409,
    },
    changes: async function* () {
      for (let since = 0; ; ) {
        const url = `${server.url}/works/_changes?since=${since}&limit=${feedPage}`;
        const page = (await ask(url)) as { results: unknown[]; last_seq: number };
        if (page.results.length === 0) return;
        yield page.results.length;
        since = page.last_seq;
      }
    },
    replicate: async () => {
      await using copy = await startPeer('pouchdb', place('copy'));
      await ask(`${copy.url}/works`, 'PUT');
      await ask(`${copy.url}/_replicate`, 'POST', { source: `${server.url}/works`, target: `${copy.url}/works` });
      const { doc_count } = (await ask(`${copy.url}/works`)) as { doc_count: number };
      return doc_count;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
