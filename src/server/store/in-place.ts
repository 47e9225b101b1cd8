import { statSync } from 'node:fs';
import { StorageError } from '../errors.ts';

const moved =
  'The database was moved away or replaced while the node runs, and nothing of this write was kept. Put it back, or stop the node and start it again.';

/**
 * Notes which file a database is, and gives a check that its path still leads there. A connection goes on writing to a file that was
 * moved away or deleted, where nobody would find it, and a new one would make an empty database in its place.
 */
export function inPlace(file: string): () => void {
  const noted = fileAt(file);
  return () => {
    if (fileAt(file) !== noted) throw new StorageError(moved);
  };
}

function fileAt(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}
