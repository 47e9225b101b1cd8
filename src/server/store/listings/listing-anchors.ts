import type { Reader } from '../connection.ts';

/** A row of a listing, and how many stand before the one after it. */
export interface Anchor {
  created_at: string;
  id: string;
  offset: number;
}

interface Wanted {
  /** Its key. */
  collection: number;
  type?: string | undefined;
  offset: number;
}

/** What stands after an anchor: bound as created_at, created_at, id. */
export const afterAnchor = 'l.created_at <= ? AND NOT (l.created_at = ? AND l.id <= ?)';

const maxListings = 100;

/**
 * Rows of listings at regular distances, as a connection has met them: what pages through a large collection need not be
 * counted from its beginning for each page. They hold until anything is written.
 */
export class ListingAnchors {
  readonly #apart: number;
  #version = -1;
  readonly #listings = new Map<string, Anchor[]>();

  constructor(apart: number) {
    this.#apart = apart;
  }

  /** The last one before an offset; null near the beginning, and at the first look since something was written. In the same snapshot as what is read with it. */
  before(db: Reader, { collection, type, offset }: Wanted): Anchor | null {
    const version = db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? -1;
    if (version !== this.#version || this.#listings.size > maxListings) {
      this.#listings.clear();
      this.#version = version;
      // Setting them takes longer than counting once: where much is written they would never be of use.
      return null;
    }
    const name = `${collection} ${type ?? ''}`;
    const anchors = this.#listings.get(name) ?? [];
    this.#listings.set(name, anchors);
    while ((anchors.length + 1) * this.#apart <= offset) {
      const next = this.#next(db, { collection, type, from: anchors.at(-1) });
      if (!next) break;
      anchors.push(next);
    }
    const last = Math.min(Math.floor(offset / this.#apart), anchors.length);
    return anchors[last - 1] ?? null;
  }

  #next(
    db: Reader,
    { collection, type, from }: { collection: number; type: string | undefined; from: Anchor | undefined },
  ): Anchor | null {
    const row = db.get<{ created_at: string; id: string }>(
      `SELECT l.created_at, l.id FROM listing l WHERE l.collection = ?${type === undefined ? '' : ' AND l.type = ?'}
         ${from ? `AND ${afterAnchor}` : ''} ORDER BY l.created_at DESC, l.id LIMIT 1 OFFSET ?`,
      collection,
      ...(type === undefined ? [] : [type]),
      ...(from ? [from.created_at, from.created_at, from.id] : []),
      this.#apart - 1,
    );
    return row ? { ...row, offset: (from?.offset ?? 0) + this.#apart } : null;
  }
}
