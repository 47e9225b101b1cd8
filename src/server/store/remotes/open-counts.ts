import type { Reader } from '../connection.ts';
import { isForAnother } from './pending.ts';
import { countContentTroubles } from './remote-content.ts';

/** What is open between a remote and this node. */
export interface OpenCounts {
  /** Without what is meant for another remote. */
  pending: number;
  conflicts: number;
  refused: number;
  /** By kind. */
  troubles: Record<string, number>;
  /** Bytes that entities name and that could not be had, by kind. */
  contents: Record<string, number>;
}

/** How much is known of a remote's entities. */
export interface RemoteCounts extends OpenCounts {
  mirrored: number;
}

/** It walks the entities that are mirrored, so it runs on a reader thread. */
export function countRemote(db: Reader, remote: number): RemoteCounts {
  const sql = 'SELECT count(*) AS n FROM remote_entity WHERE remote = ? AND theirs IS NOT NULL';
  return { mirrored: db.get<{ n: number }>(sql, remote)?.n ?? 0, ...countOpen(db, remote) };
}

/** Whether more than so many of one kind are open between a remote and this node: these are counted on a reader thread. */
export function isMuchOpen(db: Reader, remote: number, most: number): boolean {
  const beyond = (table: string): string => `EXISTS (SELECT 1 FROM ${table} AND remote = ? LIMIT 1 OFFSET ?)`;
  const sql = `SELECT 1 WHERE ${openIn.map(beyond).join(' OR ')}`;
  return db.get(sql, ...openIn.flatMap(() => [remote, most])) !== undefined;
}

const openIn = [
  ...['push_pending WHERE true', 'sync_conflict WHERE true', 'push_refusal WHERE true'],
  ...['remote_entity WHERE trouble IS NOT NULL', "remote_content WHERE state NOT IN ('there', 'sending')"],
];

export function countOpen(db: Reader, remote: number): OpenCounts {
  const count = (sql: string): number => db.get<{ n: number }>(sql, remote)?.n ?? 0;
  const troubles = db.all<{ trouble: string; n: number }>(
    'SELECT trouble, count(*) AS n FROM remote_entity WHERE remote = ? AND trouble IS NOT NULL GROUP BY trouble',
    remote,
  );
  return {
    pending: count(`SELECT count(*) AS n FROM push_pending p WHERE p.remote = ? AND NOT ${isForAnother}`),
    conflicts: count('SELECT count(*) AS n FROM sync_conflict WHERE remote = ?'),
    refused: count('SELECT count(*) AS n FROM push_refusal WHERE remote = ?'),
    troubles: Object.fromEntries(troubles.map(({ trouble, n }) => [trouble, n])),
    contents: countContentTroubles(db, remote),
  };
}
