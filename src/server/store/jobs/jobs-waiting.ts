import { existsSync } from 'node:fs';
import type { Network } from '../../model/ids.ts';
import { openReader } from '../connection.ts';
import { databaseFile } from '../network-store.ts';
import { inStateIndex } from './jobs.ts';

/** Whether a network has jobs that wait to be sent. `place`: where it is open, which file its database is (in-place.ts). */
export function hasOpenJobs(data: string, network: Network, place: string | null): boolean {
  const file = databaseFile(data, network);
  if (!existsSync(file)) return false;
  const reader = openReader(file, place);
  try {
    const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM job WHERE ${inStateIndex})
      OR EXISTS (SELECT 1 FROM job_batch WHERE next < total)`;
    return reader.get(sql) !== undefined;
  } finally {
    reader.close();
  }
}
