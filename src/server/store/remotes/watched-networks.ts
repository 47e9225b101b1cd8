import { existsSync } from 'node:fs';
import type { Network } from '../../model/ids.ts';
import { openReader } from '../connection.ts';
import { databaseFile } from '../network-store.ts';

/** Whether a network has a remote that the node syncs with by itself. `fileId`: as of hasOpenJobs. */
export function hasWatched(data: string, network: Network, fileId: string | null): boolean {
  const file = databaseFile(data, network);
  if (!existsSync(file)) return false;
  const reader = openReader(file, fileId);
  try {
    return reader.get('SELECT 1 FROM remote WHERE watch = 1 LIMIT 1') !== undefined;
  } finally {
    reader.close();
  }
}
