import { stat } from 'node:fs/promises';
import { logOf } from './connection.ts';

/** Bytes of a database's file and of its log; 0 for what is not there. */
export async function databaseSize(file: string): Promise<{ database: number; log: number }> {
  const [database, log] = await Promise.all([bytesOf(file), bytesOf(logOf(file))]);
  return { database, log };
}

async function bytesOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
