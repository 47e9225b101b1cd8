import { join } from 'node:path';
import type { Edge, Nearest, Paths, Peer } from './peer.ts';
import { startPeer } from './script.ts';

const headers = { 'content-type': 'application/json' };

/** SurrealDB embedded in a process, for what the others do not do: paths and nearest neighbours. */
export async function startSurreal(folder: string): Promise<
  Peer & {
    connect(edges: Edge[]): Promise<Paths>;
    index(vectors: [id: string, vector: number[]][]): Promise<Nearest>;
  }
> {
  const server = await startPeer('surreal', join(folder, 'data'));
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${server.url}${path}`, body && { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  return {
    name: 'SurrealDB',
    server,
    connect: async (edges) => {
      const ids = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
      for (let from = 0; from < ids.length; from += 5000)
        await ask(
          '/works',
          ids.slice(from, from + 5000).map((id) => ({ id })),
        );
      for (let from = 0; from < edges.length; from += 5000) await ask('/edges', edges.slice(from, from + 5000));
      return async (from, to) => ((await ask(`/paths?from=${from}&to=${to}`)) as { length: number | null }).length;
    },
    index: async (vectors) => {
      await ask('/works/index', { dimensions: vectors[0]?.[1].length ?? 0 });
      for (let from = 0; from < vectors.length; from += 500)
        await ask(
          '/works',
          vectors.slice(from, from + 500).map(([id, vector]) => ({ id, vector })),
        );
      return async (id, k) => (await ask('/nearest', { id, k })) as string[];
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
