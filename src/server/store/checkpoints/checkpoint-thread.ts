import { basename } from 'node:path';
import { StorageError } from '../../errors.ts';
import { makeCheckpoint, openCheckpointer } from '../connection.ts';
import { isOfStorage } from '../storage-error.ts';

/** The pages of the log, or why it could not be made: an error's code does not survive the way to another thread. */
export type MadeCheckpoint = { pages: number } | { failed: string };

/** See checkpoints.ts. */
export function checkpointLog({ file, fileId }: { file: string; fileId: string | null }): MadeCheckpoint {
  try {
    const connection = openCheckpointer(file, fileId);
    try {
      return { pages: makeCheckpoint(connection, 'PASSIVE') };
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!isOfStorage(error)) throw error;
    return { failed: error instanceof StorageError ? error.reason : sentence(file, error) };
  }
}

function sentence(file: string, error: unknown): string {
  const said = error instanceof Error && 'code' in error ? `${error.message}, ${error.code}` : error;
  return (
    `What was written cannot be brought from the log into the database ${basename(file)} (${said}). It is kept in the log, which ` +
    'grows until that succeeds. Make room where the disk is full; where it is failing, make a backup on another disk, and restore that.'
  );
}
