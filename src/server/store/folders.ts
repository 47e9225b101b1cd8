import { maxFoldersAbove, type Placing } from '../model/folder-rules.ts';
import type { Surroundings } from '../model/guard-step.ts';
import type { Reader } from './connection.ts';
import { predicateKey } from './entity-keys.ts';

/**
 * What the guard's rules may ask about the entities around the one that is written.
 * Good for one read transaction: it remembers what it has looked up, since the children of one folder ask the same.
 */
export class FolderTree implements Surroundings {
  readonly #db: Reader;
  readonly #placings: readonly Placing[];
  /** By where the way up begins. */
  readonly #above = new Map<string, string[]>();

  /** `placings`: links of versions that are written together with the one that is looked at, and not stored yet. */
  constructor(db: Reader, placings: readonly Placing[] = []) {
    this.#db = db;
    this.#placings = placings;
  }

  typesOf(ids: readonly string[]): ReadonlyMap<string, string> {
    const rows = this.#db.all<{ id: string; type: string }>(
      `SELECT e.id, e.type FROM json_each(?) wanted CROSS JOIN entity e ON e.id = wanted.value
        WHERE e.type IS NOT NULL`,
      JSON.stringify(ids),
    );
    return new Map(rows.map(({ id, type }) => [id, type]));
  }

  foldersAbove(id: string, parents: readonly string[], holders: boolean): ReadonlySet<string> | null {
    const above = this.#allAbove(id, parents, holders);
    return above.length > maxFoldersAbove ? null : new Set(above);
  }

  /** Goes on from what the placings add until they add nothing more. */
  #allAbove(id: string, parents: readonly string[], holders: boolean): string[] {
    const others = this.#placings.filter(({ by }) => by !== id);
    const starts = new Set(parents);
    if (holders) for (const { child, parent } of others) if (child === id) starts.add(parent);
    for (;;) {
      const above = this.#foldersAbove(id, [...starts], holders);
      const met = starts.union(new Set(above));
      const more = others.filter(({ child, parent }) => child !== id && met.has(child) && !met.has(parent));
      if (more.length === 0 || above.length > maxFoldersAbove) return above;
      for (const { parent } of more) starts.add(parent);
    }
  }

  #foldersAbove(id: string, parents: readonly string[], holders: boolean): string[] {
    const self = this.#db.get<{ key: number; type: string | null }>('SELECT key, type FROM entity WHERE id = ?', id);
    const starts = self && holders ? [...parents, ...this.#holders(self.key)] : parents;
    // One that is only named so far is no folder to a way that does not know it.
    if (self && self.type !== 'folder') return this.#upwards(starts, self.key);
    const from = starts.join();
    const all = this.#above.get(from) ?? this.#upwards(starts, null);
    this.#above.set(from, all);
    return self && all.includes(id) ? this.#upwards(starts, self.key) : all;
  }

  /** Folders that contain the entity. */
  #holders(key: number): string[] {
    const rows = this.#db.all<{ id: string }>(
      `SELECT p.id FROM edge d JOIN entity p ON p.key = d.source
        WHERE d.peer = ? AND d.predicate = ? AND p.type = 'folder'`,
      key,
      predicateKey(this.#db, 'contains') ?? none,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * By both sides of the pair: the folders that one is in, and the folders that contain it. The entity `self` ends the way
   * where it is met, and what its stored version contains does not lead to it: its next version decides on that.
   */
  #upwards(starts: readonly string[], self: number | null): string[] {
    const end = self ?? none;
    const inside = predicateKey(this.#db, 'in') ?? none;
    const contains = predicateKey(this.#db, 'contains') ?? none;
    const rows = this.#db.all<{ id: string }>(
      `WITH RECURSIVE up (key) AS (
         SELECT e.key FROM json_each(?) wanted CROSS JOIN entity e ON e.id = wanted.value
          WHERE e.type = 'folder' OR e.key = ?
         UNION
         SELECT p.key FROM up CROSS JOIN edge d ON d.source = up.key AND d.predicate = ?
           CROSS JOIN entity p ON p.key = d.peer
          WHERE up.key <> ? AND (p.type = 'folder' OR p.key = ?)
         UNION
         SELECT p.key FROM up CROSS JOIN edge d ON d.peer = up.key AND d.predicate = ?
           CROSS JOIN entity p ON p.key = d.source
          WHERE up.key <> ? AND p.key <> ? AND p.type = 'folder'
         LIMIT ?)
       SELECT e.id FROM up JOIN entity e ON e.key = up.key`,
      ...[JSON.stringify(starts), end],
      ...[inside, end, end],
      ...[contains, end, end],
      maxFoldersAbove + 1,
    );
    return rows.map(({ id }) => id);
  }
}

/** The key of nothing. */
const none = -1;
