import { join } from 'node:path';
import Database from 'better-sqlite3';
import { floats } from '../../../src/server/store/search/vector-functions.ts';
import { indexed } from '../indexed.ts';
import { tateFile, tateMapping } from '../measures/tate.ts';
import { command, type Node } from '../processes.ts';
import type { Edge } from './peer.ts';

/** Imports the Tate's artworks and waits until searches find them; gives their collection. */
export async function importTate(node: Node): Promise<string> {
  await command('import', tateFile, '--collection', 'Tate', '--map', tateMapping, '--data', node.data, '--json');
  await indexed(node);
  using db = open(node.data, 'archeion.db');
  return db.all<{ id: string }>("SELECT id FROM entity WHERE type = 'collection' AND label = 'Tate'")[0]?.id ?? '';
}

/** The relationships of a node besides those that lead to its collections, as other databases are given them. */
export function edgesOf({ data }: Node): Edge[] {
  using db = open(data, 'archeion.db');
  return db.all<Edge>(
    `SELECT s.id AS source, t.id AS target FROM edge e JOIN entity s ON s.key = e.source JOIN entity t ON t.key = e.peer
      JOIN predicate p ON p.key = e.predicate WHERE p.name <> 'collection' AND t.type <> 'collection' AND s.type <> 'collection'`,
  );
}

/** The vectors of some artworks, as the node's own index has them. */
export function vectorsOf({ data }: Node, count: number): [id: string, vector: number[]][] {
  using db = open(data, 'archeion.db');
  db.attach(join(data, 'main/search.db'));
  return db
    .all<{ id: string; vector: Uint8Array }>(
      `SELECT n.id, v.vector FROM search.vec v JOIN entity n ON n.key = v.key WHERE n.type = 'artwork' ORDER BY n.key LIMIT ${count}`,
    )
    .map(({ id, vector }) => [id, [...floats(vector)]]);
}

function open(data: string, name: string) {
  const db = new Database(join(data, 'main', name), { readonly: true });
  return {
    all: <T>(sql: string) => db.prepare(sql).all() as T[],
    attach: (file: string) => void db.prepare('ATTACH ? AS search').run(file),
    [Symbol.dispose]: () => void db.close(),
  };
}
