import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { lchown, lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../blocks/durable-folder.ts';
import { StorageError } from '../errors.ts';
import { partialBeside } from './partial-name.ts';
import { isFull } from './storage-error.ts';

/** What systems put into folders, and on top of disks, by themselves: a folder with nothing else in it is empty. */
const ofSystems = new Set([
  ...['lost+found', '.DS_Store', '.Spotlight-V100', '.Trashes', '.fseventsd'],
  ...['System Volume Information', '$RECYCLE.BIN', 'desktop.ini', 'Thumbs.db'],
]);

const partialName = /^[0-9a-f]{8}-[0-9a-f-]{27}\.partial$/;

/** Where a path leads, past all links; what is not there yet keeps its name. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    if (await lstat(path).catch(() => null)) throw new StorageError(`${path} is a link to what is not there.`);
    return join(await realPlace(dirname(path)), basename(path));
  }
}

/** Why a folder cannot be filled, in words after its name; null where it is not there, or is empty. */
export async function whyNotFillable(folder: string): Promise<string | null> {
  if (!existsSync(folder)) return (await isBelowFile(folder)) ? 'would lie below a file: name a folder' : null;
  if (!(await stat(folder)).isDirectory()) return 'is a file: name a folder';
  if (isUnfinished(folder))
    return 'has what an interrupted backup or restore has left: empty it first, or name another';
  const names = (await readdir(folder)).filter((name) => !ofSystems.has(name));
  if (names.length > 0) return 'is not empty, and nothing is ever overwritten: name a new or an empty folder';
  return null;
}

/** Of a folder that is not there: whether what is there above it is none. */
async function isBelowFile(folder: string): Promise<boolean> {
  const above = dirname(folder);
  return existsSync(above) ? !(await stat(above)).isDirectory() : isBelowFile(above);
}

/** Whether a folder was being filled when the process or the machine ended. */
export function isUnfinished(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const begun = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && partialName.test(entry.name),
  );
  return begun.some(({ name }) => readdirSync(join(folder, name)).some((inside) => !ofSystems.has(inside)));
}

/**
 * Fills a folder that can be filled, so that a crash leaves nothing that is taken for it. A new one gets its name when it is
 * whole. One that is there stays what it is, a mount perhaps: what it is to hold is made in a folder inside and moved up, and
 * `last` at the end, which is the file that makes the folder what it is.
 */
export async function fillWhole<T>(target: string, last: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const isNew = !existsSync(target);
  const partial = isNew ? partialBeside(target, randomUUID()) : join(target, `${randomUUID()}.partial`);
  try {
    await mkdir(partial, { mode: 0o700 });
    const result = await fill(partial);
    await syncFolders(partial);
    if (isNew) await rename(partial, target);
    else await moveUp(partial, target, last);
    await syncFolder(dirname(partial));
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw isFull(error) ? fullThere(target) : error;
  }
}

/** Who makes a backup on another disk would else look after that of the node. */
function fullThere(target: string): StorageError {
  return new StorageError(
    `There is not enough room on the disk of ${target}, or for what its user may have there. Free some space there, or name a folder on another disk; nothing of it was kept.`,
    true,
  );
}

async function moveUp(partial: string, target: string, last: string): Promise<void> {
  await giveToOwnerOf(target, partial);
  const moved: string[] = [];
  const move = async (name: string) => {
    const to = join(target, name);
    if (existsSync(to))
      throw new StorageError(`Another program has written ${to} meanwhile, which is not overwritten.`);
    await rename(join(partial, name), to);
    moved.push(to);
  };
  try {
    const names = (await readdir(partial)).filter((name) => name !== last && !ofSystems.has(name));
    for (const name of names) await move(name);
    for (const folder of [target, partial]) await syncFolder(folder);
    await move(last);
  } catch (error) {
    for (const path of moved) await rm(path, { recursive: true, force: true });
    throw error;
  }
  await rm(partial, { recursive: true });
}

/** What the administrator puts into the folder of a service's user is for that user. */
async function giveToOwnerOf(target: string, folder: string): Promise<void> {
  const { uid, gid } = await stat(target);
  if ((await stat(folder)).uid === uid) return;
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  try {
    for (const { parentPath, name } of found) await lchown(join(parentPath, name), uid, gid);
  } catch (error) {
    // Nobody else may give files away, and need not where the disk knows of no owners.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Brings the names of all that is below a folder to the disk. */
async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(folder);
}
