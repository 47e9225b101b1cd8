import { open } from 'node:fs/promises';
import { archiveIndex } from '../blocks/archive-index.ts';
import { openArchive } from '../blocks/archive-reader.ts';

/**
 * The index of an archive's file, itself a CAR of the same roots: what a node needs to export what came after. The file is
 * verified first. @throws DamagedArchiveError
 */
export async function* indexOfFile(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, 'r');
  try {
    yield* archiveIndex(await openArchive(file));
  } finally {
    await file.close();
  }
}
