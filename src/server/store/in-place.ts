import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { StorageError } from '../errors.ts';

/**
 * Notes which file a database is, and gives a check that its path still leads there. A connection goes on writing to a file that was
 * moved away or deleted, where nobody would find it, and a new one would make an empty database in its place. `noted`: what placeOf
 * gave before. @throws StorageError
 */
export function inPlace(file: string, noted: string | null = placeOf(file)): () => void {
  return () => {
    if (placeOf(file) !== noted) throw new StorageError(moved(file));
  };
}

/** Which file there is at a path, whatever it is called; null where there is none. */
export function placeOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

function moved(file: string): string {
  return (
    `The database ${basename(file)} was moved away or replaced while the node runs, and nothing of this was kept. ` +
    'Put it back, or stop the node and start it again.'
  );
}
