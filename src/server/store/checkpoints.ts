import type { SideThread } from './side-thread.ts';
import { workerUrl } from './worker-url.ts';

/** Brings what the log of a database's file has into the file; gives the pages of the log. @throws where the thread fails */
export type Checkpoint = (file: string) => Promise<number>;

/** Made beside the writer, which goes on meanwhile: a write that comes then would have to wait for all of it. */
export function checkpointsOn(thread: SideThread): Checkpoint {
  return (file) => thread.run(workerUrl('checkpoint-thread'), 'checkpointLog', { file });
}
