import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFile } from '../blocks/durable-file.ts';
import { syncFolder } from '../blocks/durable-folder.ts';

/** Gives a file that is whole by now its own name. Its bytes and that name are on the disk when this returns. */
export async function nameWhole(partial: string, out: string): Promise<void> {
  await syncFile(partial);
  await rename(partial, out);
  await syncFolder(dirname(out));
}
