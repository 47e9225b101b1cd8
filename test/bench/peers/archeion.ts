import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, type Node, startNode } from '../processes.ts';
import { sampleBody } from '../samples.ts';
import type { Document, Peer } from './peer.ts';

const feedPage = 1000;

/** The node itself, used as any client would: REST, one entity a document. */
export async function startArcheion(folder: string): Promise<Peer & { node: Node }> {
  mkdirSync(folder, { recursive: true });
  const node = await startNode(join(folder, 'data'));
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${node.url}${path}`, { headers: node.headers });
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
    return await answer.json();
  };
  return {
    name: 'Archeion',
    server: node,
    node,
    documents: {
      headers: node.headers,
      create: (n) => ({ method: 'POST', path: '/entities', body: JSON.stringify(sampleBody(n)) }),
      batch: (numbers) => ({
        method: 'POST',
        path: '/entities/batch',
        body: JSON.stringify({ entities: numbers.map(sampleBody) }),
      }),
      written: (answer) => {
        const { results } = JSON.parse(answer) as { results: { id: string; cid: string }[] };
        return results.map(({ id, cid }): Document => ({ id, revision: cid }));
      },
      get: ({ id }) => ({ method: 'GET', path: `/entities/${id}` }),
      update: ({ id, revision }, n) => ({
        method: 'PUT',
        path: `/entities/${id}`,
        body: JSON.stringify({ expect_tip: revision, properties: { label: `Study of a harbour, seen again, ${n}` } }),
      }),
      refusal: 409,
    },
    changes: async function* () {
      for (let older = ''; ; ) {
        const page = (await ask(`/events?limit=${feedPage}${older}`)) as {
          events: unknown[];
          has_more: boolean;
          cursor: number;
        };
        yield page.events.length;
        if (!page.has_more) return;
        older = `&cursor=${page.cursor}`;
      }
    },
    replicate: async () => {
      await using copy = await startNode(join(folder, 'copy'));
      await command('remote', 'add', 'origin', node.url, '--key', node.key, '--data', copy.data);
      const answer = await fetch(`${copy.url}/node/remotes/origin/sync`, { method: 'POST', headers: copy.headers });
      const last = (await answer.text()).trim().split('\n').at(-1) ?? '';
      const { done } = JSON.parse(last) as { done?: { entities: number } };
      if (!done) throw new Error(last);
      return done.entities;
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}
