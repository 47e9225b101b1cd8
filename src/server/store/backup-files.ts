import { join, posix } from 'node:path';
import { damagedFolder } from '../blocks/file-store.ts';
import { StorageError } from '../errors.ts';
import { type BackedUpFile, isContent } from './backup-manifest.ts';
import { digestOf } from './file-digest.ts';

/** Compares one file of a backup, or of what is being restored of it, with its list. @throws StorageError */
export async function checkFile(folder: string, { path, size, sha256 }: BackedUpFile): Promise<void> {
  const found = await digestOf(join(folder, path)).catch((error: Error) => {
    throw new StorageError(`${path} of the backup cannot be read (${error.message}).`);
  });
  if (found.size !== size || found.sha256.toString('hex') !== sha256)
    throw new StorageError(`The backup is damaged: ${path} is not what it was when the backup was made.`);
}

/**
 * Where in a backup a file lies with the bytes that it is to have. Earlier programs set damaged content aside as they verified
 * a backup, whose list has it as it was. @throws StorageError where it lies nowhere
 */
export async function soundPlace(backup: string, file: BackedUpFile): Promise<string> {
  try {
    await checkFile(backup, file);
    return file.path;
  } catch (error) {
    if (!isContent(file.path)) throw error;
    const aside = posix.join(posix.dirname(file.path), '..', damagedFolder, posix.basename(file.path));
    return checkFile(backup, { ...file, path: aside }).then(
      () => aside,
      () => Promise.reject(error),
    );
  }
}
