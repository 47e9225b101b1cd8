import type { Reader, Writer } from '../connection.ts';
import { ensureEntityKey } from '../entity-keys.ts';

/**
 * What happened between this node and a remote. `run`, `stopped`, `failed`, `ended`: a run that did something, wants
 * somebody to look, failed, or was ended from here (`detail`: JSON, see apply-sync.ts); `conflict` was found (`detail`:
 * the CID there), `decided` (the CID that stands); `refused` by the remote (`detail`: status and words); and what was
 * done with the remote itself.
 */
const syncLogKinds = [
  ...(['run', 'stopped', 'failed', 'ended', 'conflict', 'decided', 'refused'] as const),
  ...(['added', 'renamed', 'moved', 'rekeyed', 'removed', 'watched', 'unwatched'] as const),
];

export type SyncLogKind = (typeof syncLogKinds)[number];

interface Noted {
  /** Epoch milliseconds. */
  time: number;
  remote: string;
  kind: SyncLogKind;
  id?: string;
  detail?: string;
}

/** So many entries are kept. */
const kept = 20_000;

/** Writes an entry, unless it is what was said of that entity last; the oldest one goes when there are too many. */
export function noteSync(db: Writer, { time, remote, kind, id, detail }: Noted): void {
  const entity = id === undefined ? null : ensureEntityKey(db, id);
  const said = detail ?? null;
  if (entity !== null) {
    const last = db.get<{ remote: string; kind: string; detail: string | null }>(
      'SELECT remote, kind, detail FROM sync_log WHERE entity = ? ORDER BY seq DESC LIMIT 1',
      entity,
    );
    if (last?.remote === remote && last.kind === kind && last.detail === said) return;
  }
  const seq = db.insert(
    'INSERT INTO sync_log (time, remote, kind, entity, detail) VALUES (?, ?, ?, ?, ?)',
    time,
    remote,
    kind,
    entity,
    said,
  );
  db.run('DELETE FROM sync_log WHERE seq <= ?', seq - kept);
}

/** A remote goes on under another name, and so does what is told of it. */
export function renameInLog(db: Writer, from: string, to: string): void {
  db.run('UPDATE sync_log SET remote = ? WHERE remote = ?', to, from);
}

export interface SyncLogRow {
  seq: number;
  time: number;
  remote: string;
  kind: SyncLogKind;
  id: string | null;
  type: string | null;
  label: string | null;
  detail: string | null;
}

export interface SyncLogQuery {
  /** Entries before this one; from the newest on where it is null. */
  before: number | null;
  limit: number;
  /** Only of this remote. */
  remote: string | null;
  /** Only of these kinds; empty: all. */
  kinds: readonly SyncLogKind[];
}

/** A page of the log, newest first. */
export function syncLogPage(db: Reader, { before, limit, remote, kinds }: SyncLogQuery): SyncLogRow[] {
  return db.all<SyncLogRow>(
    `SELECT l.seq, l.time, l.remote, l.kind, l.detail, e.id, e.type, e.label
       FROM sync_log l LEFT JOIN entity e ON e.key = l.entity
      WHERE l.seq < ? AND (? IS NULL OR l.remote = ?) AND (? = '[]' OR l.kind IN (SELECT value FROM json_each(?)))
      ORDER BY l.seq DESC LIMIT ?`,
    before ?? Number.MAX_SAFE_INTEGER,
    remote,
    remote,
    JSON.stringify(kinds),
    JSON.stringify(kinds),
    limit,
  );
}
