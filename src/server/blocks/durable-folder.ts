import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';

// A file's name, and a folder's, is an entry of the folder above it: it outlives a power cut only when that has been synced.

/** Folders whose names this process has brought to the disk: others may have made them, and been killed before they did. */
const named = new Set<string>();

/**
 * Makes a folder that only its owner may read, where it is missing. When this returns its name is on the disk, and so are
 * those of the folders above it that had to be made, or that lie below `top`.
 */
export async function makeFolder(path: string, top: string): Promise<void> {
  const unnamed = namesToKeep(path, top, makeMissingNow(path));
  for (const folder of unnamed) await syncFolder(dirname(folder));
  for (const folder of unnamed) named.add(folder);
}

/** As makeFolder, at once. */
export function makeFolderNow(path: string, top: string): void {
  const unnamed = namesToKeep(path, top, makeMissingNow(path));
  for (const folder of unnamed) syncFolderNow(dirname(folder));
  for (const folder of unnamed) named.add(folder);
}

/**
 * Makes a folder and those above it, where they are missing; their names are not on the disk yet. Gives the first of those that
 * had to be made, undefined where none had to. Node's own `recursive` never ends where the folder above is there and says that it
 * is not, as those of /proc do.
 */
export function makeMissingNow(path: string): string | undefined {
  const make = (): boolean => {
    try {
      mkdirSync(path, { mode: 0o700 });
      return true;
    } catch (error) {
      // Windows and macOS do not say of every folder that exists that it exists.
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
      throw error;
    }
  };
  try {
    return make() ? path : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) throw error;
  }
  const above = makeMissingNow(dirname(path));
  return make() ? (above ?? path) : above;
}

/** `made` is the first of the folders that had to be made. */
function namesToKeep(path: string, top: string, made: string | undefined): string[] {
  if (made === undefined && named.has(path)) return [];
  const folders: string[] = [];
  const highest = Math.min(made?.length ?? Number.POSITIVE_INFINITY, top.length + 1);
  for (let at = path; at.length >= highest && at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** Brings the names in a folder to the disk. Some systems cannot do that, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r').catch(unlessItCannot);
  try {
    await handle?.sync().catch(unlessItCannot);
  } finally {
    await handle?.close();
  }
}

/** As syncFolder, at once. */
export function syncFolderNow(folder: string): void {
  if (platform() === 'win32') return;
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch (error) {
    unlessItCannot(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Brings the names of all files in the folders of a folder to the disk: a process that was killed may have given them, and
 * whoever sees them takes them for kept. To be called before that; nothing where there is no such folder.
 */
export function syncNamesNow(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolderNow(join(folder, entry.name));
  syncFolderNow(folder);
}

const cannot = new Set(['EINVAL', 'EPERM', 'EISDIR', 'EACCES', 'EROFS', 'ENOTSUP']);

/** The folder above the node's own may be closed to it, or on a disk that is only read. */
function unlessItCannot(error: unknown): null {
  if (cannot.has((error as NodeJS.ErrnoException).code ?? '')) return null;
  throw error;
}
