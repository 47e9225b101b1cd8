import { addedLinks, maxFoldersAbove } from '../model/folder-rules.ts';
import type { Surroundings } from '../model/guard-step.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Guard } from './commit.ts';
import type { Reader } from './connection.ts';
import { entityKey, predicateKey } from './entity-keys.ts';

/** What the guard's rules may ask about the entities around the one that is written. */
export function surroundingsIn(db: Reader): Surroundings {
  return {
    typesOf: (ids) => typesOf(db, ids),
    foldersAbove: (id, parents, holders) => {
      const rows = foldersAbove(db, id, parents, holders);
      return rows.length > maxFoldersAbove ? null : new Set(rows.map((row) => row.id));
    },
  };
}

function typesOf(db: Reader, ids: readonly string[]): Map<string, string> {
  const rows = db.all<{ id: string; type: string }>(
    `SELECT e.id, e.type FROM json_each(?) wanted CROSS JOIN entity e ON e.id = wanted.value
      WHERE e.type IS NOT NULL`,
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, type }) => [id, type]));
}

/**
 * Upwards by both sides of the pair: the folders that one is in, and the folders that contain it. The entity `id` ends
 * the way where it is met, and what its stored version contains does not lead to it: its next version decides on that.
 */
function foldersAbove(
  db: Reader,
  id: string,
  parents: readonly string[],
  holders: boolean,
): { id: string; tip: string }[] {
  const none = -1;
  const self = entityKey(db, id) ?? none;
  const inside = predicateKey(db, 'in') ?? none;
  const contains = predicateKey(db, 'contains') ?? none;
  return db.all(
    `WITH RECURSIVE up (key) AS (
       SELECT e.key FROM json_each(?) wanted CROSS JOIN entity e ON e.id = wanted.value
        WHERE e.type = 'folder' OR e.key = ?
       UNION
       SELECT p.key FROM edge d CROSS JOIN entity p ON p.key = d.source
        WHERE d.peer = ? AND d.predicate = ? AND p.type = 'folder'
       UNION
       SELECT p.key FROM up CROSS JOIN edge d ON d.source = up.key AND d.predicate = ?
         CROSS JOIN entity p ON p.key = d.peer
        WHERE up.key <> ? AND (p.type = 'folder' OR p.key = ?)
       UNION
       SELECT p.key FROM up CROSS JOIN edge d ON d.peer = up.key AND d.predicate = ?
         CROSS JOIN entity p ON p.key = d.source
        WHERE up.key <> ? AND p.key <> ? AND p.type = 'folder'
       LIMIT ?)
     SELECT e.id, e.cid AS tip FROM up JOIN entity e ON e.key = up.key`,
    ...[JSON.stringify(parents), self],
    ...[holders ? self : none, contains],
    ...[inside, self, self],
    ...[contains, self, self],
    maxFoldersAbove + 1,
  );
}

/**
 * What the look for cycles has read, for a commit that adds links between folders: two moves that would make a cycle
 * together must not both be written (architecture.md, section 2). `base` null: a creation.
 */
export function folderGuards(db: Reader, base: Manifest | null, next: Manifest): Guard[] {
  if (next.type !== 'folder' || next.deleted) return [];
  const links = addedLinks(base, next);
  if (links.length === 0) return [];
  const holds = links.some(({ predicate }) => predicate === 'contains');
  const parents = (holds ? next.relationships : links).filter((r) => r.predicate === 'in').map((r) => r.peer);
  const above = foldersAbove(db, next.id, parents, holds).filter(({ id }) => id !== next.id);
  const here = typesOf(db, parents);
  const missing = parents.filter((id) => id !== next.id && !here.has(id));
  return [...above, ...missing.map((id) => ({ id, tip: null }))];
}
