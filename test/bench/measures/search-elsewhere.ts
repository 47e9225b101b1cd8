import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { builtin } from '../../../src/server/search/embedder.ts';
import { allVectors } from '../indexed.ts';
import { startNode } from '../processes.ts';
import { plainRow } from '../report.ts';

/** Finds the keys of works for a text. */
export type Find = (text: string) => Promise<number[]>;

/**
 * A search with the vectors of the OpenAI-compatible endpoint that `ARCHEION_EMBED_URL` and `ARCHEION_EMBED_MODEL` name, once
 * it has made those of all entities of `database`; null where none is set. `data`: an empty folder, for a node of its own.
 */
export async function withEndpoint<T>(
  database: string,
  data: string,
  measure: (find: Find, model: string) => Promise<T>,
): Promise<T | null> {
  const { ARCHEION_EMBED_URL, ARCHEION_EMBED_MODEL, ARCHEION_EMBED_KEY } = process.env;
  if (!ARCHEION_EMBED_URL || !ARCHEION_EMBED_MODEL) return null;
  const folder = join(data, 'main');
  mkdirSync(folder, { recursive: true });
  renameSync(database, join(folder, 'archeion.db'));
  const env: Record<string, string> = { ARCHEION_EMBED_URL, ARCHEION_EMBED_MODEL };
  if (ARCHEION_EMBED_KEY) env.ARCHEION_EMBED_KEY = ARCHEION_EMBED_KEY;
  {
    await using node = await startNode(data, env);
    // The network is opened, and its index begun, by the first request.
    await fetch(`${node.url}/users/me`, { headers: node.headers });
    const begun = performance.now();
    await allVectors(join(folder, 'search.db'), (name) => name !== builtin);
    plainRow(`vectors by ${ARCHEION_EMBED_MODEL}, all made after`, (performance.now() - begun) / 1000, 's');
    const db = new Database(join(folder, 'archeion.db'), { readonly: true });
    const keyOf = db.prepare('SELECT key FROM entity WHERE id = ?').pluck();
    const find: Find = async (query) => {
      const body = JSON.stringify({ query, types: ['artwork'], limit: 20, expand: 'none' });
      const answer = await fetch(`${node.url}/search/entities`, { method: 'POST', headers: node.headers, body });
      const { results } = (await answer.json()) as { results: { id: string }[] };
      return results.map(({ id }) => Number(keyOf.get(id)));
    };
    try {
      return await measure(find, ARCHEION_EMBED_MODEL);
    } finally {
      db.close();
      rmSync(data, { recursive: true, force: true });
    }
  }
}
