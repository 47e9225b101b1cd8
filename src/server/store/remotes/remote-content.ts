import { cidBytes, cidText } from '../../blocks/cid.ts';
import type { Reader, Writer } from '../connection.ts';
import { ensureEntityKey, entityKey } from '../entity-keys.ts';
import { dueArguments, isDueIn } from './next-ask.ts';
import type { ContentTrouble, SyncRow } from './sync-rows.ts';

type ContentRow = Extract<
  SyncRow,
  { kind: 'content_there' | 'content_settled' | 'content_sending' | 'content_trouble' }
>;

/** What is known of bytes that an entity names at a remote. */
export interface ContentState {
  state: 'there' | 'sending' | ContentTrouble;
  /** Of what is being sent the address that takes it, else words for people. */
  evidence: string | null;
  /** When they are asked for again, epoch milliseconds; null for what is not to be. */
  again: number | null;
  tries: number;
}

export function applyContentRow(db: Writer, remote: number, row: ContentRow): void {
  const place = [remote, ensureEntityKey(db, row.id), cidBytes(row.cid)] as const;
  if (row.kind === 'content_settled') {
    db.run(
      "DELETE FROM remote_content WHERE remote = ? AND entity = ? AND cid = ? AND state NOT IN ('there', 'sending')",
      ...place,
    );
    return;
  }
  const [state, evidence, again] =
    row.kind === 'content_there'
      ? ['there', null, null]
      : row.kind === 'content_sending'
        ? ['sending', row.address, null]
        : [row.trouble, row.evidence, row.again];
  db.run(
    `INSERT INTO remote_content (remote, entity, cid, state, evidence, again, tries) VALUES (?, ?, ?, ?, ?, ?, 1)
       ON CONFLICT (remote, entity, cid) DO UPDATE SET state = excluded.state, evidence = excluded.evidence,
         again = excluded.again, tries = tries + 1`,
    ...place,
    state,
    evidence,
    again,
  );
}

/** What could not be had, or sent, is to be asked for again at once: of one entity, or of all. */
export function askContentsAgain(db: Writer, remote: number, entity?: number): void {
  const sql = "UPDATE remote_content SET again = 0, tries = 0 WHERE remote = ? AND state NOT IN ('there', 'sending')";
  if (entity === undefined) db.run(sql, remote);
  else db.run(`${sql} AND entity = ?`, remote, entity);
}

/** Nothing is known any more: of one entity, or of all. */
export function dropContents(db: Writer, remote: number, entity?: number): void {
  const sql = 'DELETE FROM remote_content WHERE remote = ?';
  if (entity === undefined) db.run(sql, remote);
  else db.run(`${sql} AND entity = ?`, remote, entity);
}

/** What is known of all bytes that an entity names at a remote, by CID. */
export function contentStates(db: Reader, remote: number, id: string): Map<string, ContentState> {
  const entity = entityKey(db, id);
  if (entity === undefined) return new Map();
  const rows = db.all<ContentState & { cid: Uint8Array }>(
    'SELECT cid, state, evidence, again, tries FROM remote_content WHERE remote = ? AND entity = ?',
    remote,
    entity,
  );
  return new Map(rows.map(({ cid, ...state }) => [cidText(cid), state]));
}

/** Entities that a remote has and of which a version names content, by the store's order; `next` null on the last page. */
export function contentEntities(
  db: Reader,
  remote: number,
  after: number,
  limit: number,
): { ids: string[]; next: number | null } {
  const rows = db.all<{ key: number; id: string; known: number }>(
    `SELECT e.key, e.id, k.theirs IS NOT NULL AS known
       FROM (SELECT DISTINCT entity FROM content WHERE entity > ? ORDER BY entity LIMIT ?) c
       JOIN entity e ON e.key = c.entity LEFT JOIN remote_entity k ON k.entity = e.key AND k.remote = ?
      ORDER BY e.key`,
    after,
    limit,
    remote,
  );
  return {
    ids: rows.filter(({ known }) => known === 1).map(({ id }) => id),
    next: rows.length === limit ? (rows.at(-1)?.key ?? null) : null,
  };
}

/** Entities that a remote has and of which a version names that content, as `contentEntities`. */
export function holdersAt(
  db: Reader,
  remote: number,
  cid: string,
  { after, limit }: { after: number; limit: number },
): { ids: string[]; next: number | null } {
  const rows = db.all<{ key: number; id: string }>(
    `SELECT e.key, e.id FROM content c JOIN entity e ON e.key = c.entity
       JOIN remote_entity k ON k.entity = e.key AND k.remote = ?
      WHERE c.cid = ? AND c.entity > ? AND k.theirs IS NOT NULL ORDER BY c.entity LIMIT ?`,
    remote,
    cidBytes(cid),
    after,
    limit,
  );
  return { ids: rows.map(({ id }) => id), next: rows.length === limit ? (rows.at(-1)?.key ?? null) : null };
}

/** Entities whose bytes are to be asked for again by now (epoch milliseconds). */
export function dueContents(db: Reader, remote: number, now: number): string[] {
  return db
    .all<{ id: string }>(
      `SELECT DISTINCT e.id FROM remote_content c INDEXED BY remote_content_open JOIN entity e ON e.key = c.entity
        WHERE c.remote = ? AND c.state NOT IN ('there', 'sending') AND ${isDueIn('c.again')} ORDER BY e.key`,
      remote,
      ...dueArguments(now),
    )
    .map(({ id }) => id);
}

/** Entities for whose bytes a remote gave no address. */
export function unsentContents(db: Reader, remote: number): string[] {
  const sql = `SELECT DISTINCT e.id FROM remote_content c JOIN entity e ON e.key = c.entity
     WHERE c.remote = ? AND c.state = 'unsent'`;
  return db.all<{ id: string }>(sql, remote).map(({ id }) => id);
}

export interface ContentTroubleRow {
  id: string;
  cid: string;
  trouble: ContentTrouble;
  evidence: string | null;
}

/** Bytes that could not be had, the first of them: by trouble, then as their entities came to be known. */
export function listContentTroubles(db: Reader, remote: number, limit: number): ContentTroubleRow[] {
  const rows = db.all<Omit<ContentTroubleRow, 'cid'> & { cid: Uint8Array }>(
    `SELECT e.id, c.cid, c.state AS trouble, c.evidence FROM remote_content c JOIN entity e ON e.key = c.entity
      WHERE c.remote = ? AND c.state NOT IN ('there', 'sending') ORDER BY c.state, c.entity, c.cid LIMIT ?`,
    remote,
    limit,
  );
  return rows.map((row) => ({ ...row, cid: cidText(row.cid) }));
}

/** How many bytes could not be had, by reason. */
export function countContentTroubles(db: Reader, remote: number): Record<string, number> {
  const rows = db.all<{ state: string; n: number }>(
    `SELECT state, count(*) AS n FROM remote_content WHERE remote = ? AND state NOT IN ('there', 'sending')
      GROUP BY state`,
    remote,
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
