import { StorageError } from '../../errors.ts';
import { FaultNews } from '../../model/fault-news.ts';
import type { SideThread } from '../threads/side-thread.ts';
import { workerUrl } from '../threads/worker-url.ts';
import type { MadeCheckpoint } from './checkpoint-thread.ts';

/**
 * Brings what the log of a database's file has into the file; gives the pages of the log. `fileId`: which file the database is that is
 * written to (file-identity.ts). @throws StorageError where that cannot be done, another error where the thread fails
 */
export type Checkpoint = (file: string, fileId: string | null) => Promise<number>;

/**
 * Made beside the writer, which goes on meanwhile: a write that comes then would have to wait for all of it. `failed` hears of
 * each fault of the storage once a minute.
 */
export function checkpointsOn(
  thread: SideThread,
  failed: (file: string, reason: string) => void = () => undefined,
): Checkpoint {
  const faults = new FaultNews();
  return async (file, fileId) => {
    const made = await thread.run<MadeCheckpoint>(workerUrl('checkpoint-thread', import.meta.url), 'checkpointLog', {
      file,
      fileId,
    });
    if ('pages' in made) return made.pages;
    if (faults.isNews(`${file} ${made.failed}`)) failed(file, made.failed);
    throw new StorageError(made.failed);
  };
}
