import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Node } from './processes.ts';

/** Resolves when the search index is at rest, its vectors as well, so that a measure is of what it names alone. */
export async function indexed(node: Node): Promise<void> {
  for (;;) {
    const answer = await fetch(`${node.url}/node/status`, { headers: node.headers });
    const { networks } = (await answer.json()) as { networks: { index: { behind: boolean; learning: boolean } }[] };
    if (networks.every(({ index }) => !index.behind && !index.learning)) return;
    await delay(500);
  }
}

/** Resolves when there are vectors of all entities, of an embedder that is wanted. */
export async function allVectors(index: string, wanted: (embedder: string) => boolean): Promise<void> {
  while (!hasAll(index, wanted)) await delay(500);
}

function hasAll(index: string, wanted: (embedder: string) => boolean): boolean {
  try {
    const db = new Database(index, { readonly: true, fileMustExist: true });
    try {
      const due = db.prepare('SELECT count(*) FROM due').pluck().get();
      const done = db.prepare('SELECT name FROM model WHERE reached IS NULL').pluck().all() as string[];
      return due === 0 && done.some(wanted);
    } finally {
      db.close();
    }
  } catch {
    // It is being made.
    return false;
  }
}
