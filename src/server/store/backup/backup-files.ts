import { join, posix } from 'node:path';
import { contentCid } from '../../blocks/encode.ts';
import { damagedFolder } from '../../blocks/file-store.ts';
import { StorageError } from '../../errors.ts';
import { type BackedUpFile, isContent } from './backup-manifest.ts';
import { digestOf } from './file-digest.ts';

/** A file of a backup is not there, or not what it was. Others may be whole. */
export class UnsoundFileError extends StorageError {}

/** Of these the machine or its user is the reason, not the file. */
const notOfFile = /^(?:EACCES|EPERM|EBUSY|EMFILE|ENFILE)$/;

/**
 * Compares one file of a backup, or of what is being restored of it, with its list. Content that has the bytes of its name is whole,
 * whatever the list says.
 * @throws UnsoundFileError, StorageError where it may well be whole and cannot be read
 */
export async function checkFile(folder: string, { path, size, sha256 }: BackedUpFile): Promise<void> {
  const found = await digestOf(join(folder, path)).catch(({ code = '', message }: NodeJS.ErrnoException) => {
    const words = `${path} of the backup cannot be read (${message}).`;
    throw notOfFile.test(code) ? new StorageError(words) : new UnsoundFileError(words);
  });
  if (isContent(path) && contentCid(found.sha256) === posix.basename(path)) return;
  if (found.size !== size || found.sha256.toString('hex') !== sha256)
    throw new UnsoundFileError(`The backup is damaged: ${path} is not what it was when the backup was made.`);
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
