import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../blocks/durable-folder.ts';

/** Gives a file that is whole by now its own name. Its bytes and that name are on the disk when this returns. */
export async function nameWhole(partial: string, out: string): Promise<void> {
  const file = await open(partial, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, out);
  await syncFolder(dirname(out));
}
