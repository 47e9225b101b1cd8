import type { Json } from '../../model/manifest.ts';
import { findBlock } from '../blocks.ts';
import type { Writer } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';

/** What imports keep beside the versions that they write. */
export type ImportRow =
  /**
   * Where an imported entity came from: `digest` is of the source record, `cid` the version that it became. `run`: the
   * import that wrote it; `made`: whether that brought the entity into being. An undone import's deletion is one, too, also of what an archive brought and of its
   * collection; so is the version that brings that collection back.
   */
  | { kind: 'import_source'; id: string; digest: string; cid: string; run?: string; made?: boolean }
  /** An archive brought an entity into being, which it leaves with this version. */
  | { kind: 'archive_made'; run: string; id: string; cid: string }
  /** What says the same stands now in place of the version with which an import left an entity, if it did. */
  | { kind: 'import_tip'; id: string; from: string; to: string }
  /** An import, when it begins, after each file and at its end. */
  | {
      kind: 'import_run';
      id: string;
      /** Null: an archive, which brings its own. */
      collection: string | null;
      /** Whether it made the collection. */
      made: boolean;
      /** Epoch milliseconds. */
      started: number;
      files: string[];
      counts: Json;
      /** Whether it came to its end. */
      ended: boolean;
    };

export function applyImportRow(db: Writer, row: ImportRow): void {
  if (row.kind === 'import_source') putSource(db, row);
  else if (row.kind === 'import_tip') moveTip(db, row);
  else if (row.kind === 'archive_made')
    db.run(
      `INSERT INTO import_made (run, entity, tip) SELECT r.key, e.key, b.key FROM import_run r, entity e, block b
         WHERE r.id = ? AND e.id = ? AND b.key = ? AND e.type <> 'user'
         ON CONFLICT (run, entity) DO UPDATE SET tip = excluded.tip`,
      row.run,
      row.id,
      findBlock(db, row.cid)?.key ?? null,
    );
  else
    db.run(
      `INSERT INTO import_run (id, collection, made, started, files, counts, ended) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET files = excluded.files, counts = excluded.counts, ended = excluded.ended`,
      row.id,
      row.collection,
      row.made ? 1 : 0,
      row.started,
      JSON.stringify(row.files),
      JSON.stringify(row.counts),
      row.ended ? 1 : 0,
    );
}

function putSource(db: Writer, { id, digest, cid, run, made }: Extract<ImportRow, { kind: 'import_source' }>): void {
  const tip = findBlock(db, cid)?.key;
  if (tip === undefined) return;
  db.run(
    `INSERT INTO import_source (entity, digest, tip) SELECT key, ?, ? FROM entity WHERE id = ?
       ON CONFLICT (entity) DO UPDATE SET digest = excluded.digest, tip = excluded.tip`,
    digest,
    tip,
    id,
  );
  if (run === undefined) return;
  // What the same import makes and then changes, a mention that becomes a record, is still as it was made.
  db.run(
    made
      ? `INSERT INTO import_made (run, entity, tip) SELECT r.key, s.entity, s.tip
           FROM import_run r, entity e, import_source s WHERE r.id = ? AND e.id = ? AND s.entity = e.key
           ON CONFLICT (run, entity) DO UPDATE SET tip = excluded.tip`
      : `UPDATE import_made SET tip = (SELECT s.tip FROM import_source s WHERE s.entity = import_made.entity)
           WHERE run = (SELECT key FROM import_run WHERE id = ?) AND entity = (SELECT key FROM entity WHERE id = ?)`,
    run,
    id,
  );
}

function moveTip(db: Writer, { id, from, to }: Extract<ImportRow, { kind: 'import_tip' }>): void {
  const entity = entityKey(db, id);
  const [before, after] = [findBlock(db, from)?.key, findBlock(db, to)?.key];
  if (entity === undefined || before === undefined || after === undefined) return;
  db.run('UPDATE import_source SET tip = ? WHERE entity = ? AND tip = ?', after, entity, before);
  db.run(
    'UPDATE import_made SET tip = ? WHERE run IN (SELECT key FROM import_run) AND entity = ? AND tip = ?',
    ...[after, entity, before],
  );
}
