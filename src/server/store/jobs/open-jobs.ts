import { existsSync } from 'node:fs';
import type { Network } from '../../model/ids.ts';
import { openReader } from '../connection.ts';
import { databaseFile } from '../network-store.ts';
import { inStateIndex } from './jobs.ts';

/**
 * Whether a network may have jobs to go on with: those that wait to be sent, and those that were sent, whose work may have been ended.
 * `fileId`: where it is open, which file its database is (file-identity.ts).
 */
export function hasOpenJobs(data: string, network: Network, fileId: string | null): boolean {
  const file = databaseFile(data, network);
  if (!existsSync(file)) return false;
  const reader = openReader(file, fileId);
  try {
    const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM job WHERE ${inStateIndex})
      OR EXISTS (SELECT 1 FROM job_batch WHERE next < total)`;
    return reader.get(sql) !== undefined;
  } finally {
    reader.close();
  }
}
