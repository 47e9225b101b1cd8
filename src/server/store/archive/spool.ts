import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '../../blocks/durable-folder.ts';
import type { Reader } from '../connection.ts';
import { spoolFolder } from '../network-folders.ts';
import { storingLater } from '../storage-error.ts';
import { type ArchiveTask, archiveTasks } from '../tasks.ts';

/** A file's name in the spool folder; nothing of a user's text is in it. */
const names = /^[0-9a-f-]{36}\.car$/;

/** Where a spooled file lies; null for what is no name of one. */
export function spooledPath(folder: string, name: string): string | null {
  return names.test(name) ? join(spoolFolder(folder), name) : null;
}

/** Imports that are at work or that the next start goes on with, and those that it cannot complete: their archive is not here. */
export function sortedImports(db: Reader, folder: string): { goOn: ArchiveTask[]; lost: ArchiveTask[] } {
  const isHere = ({ file }: ArchiveTask) => existsSync(spooledPath(folder, file) ?? '');
  const { unfinished, left } = archiveTasks(db);
  const gone = [...unfinished, ...left].filter((task) => !isHere(task));
  // The record of one that is complete goes before its archive.
  const now = archiveTasks(db);
  const still = new Set([...now.unfinished, ...now.left].map(({ file }) => file));
  return {
    goOn: unfinished.filter((task) => !gone.includes(task)),
    lost: gone.filter(({ file }) => still.has(file)),
  };
}

/**
 * Writes what comes to a new file of the spool folder, on disk when it returns; gives its name and size. What ends early
 * is removed. @throws StorageError; whatever the source throws
 */
export async function spool(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ name: string; path: string; size: number }> {
  const name = `${randomUUID()}.car`;
  const path = join(spoolFolder(folder), name);
  await storingLater(() => makeFolder(spoolFolder(folder), folder));
  const file = await storingLater(() => open(path, 'wx', 0o600));
  let size = 0;
  try {
    for await (const chunk of chunks) {
      await storingLater(() => file.writeFile(chunk));
      size += chunk.length;
    }
    await storingLater(() => file.sync());
    await file.close();
    await storingLater(() => syncFolder(spoolFolder(folder)));
    return { name, path, size };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

/** Removes what no import will complete. */
export async function sweepSpool(folder: string, keep: ReadonlySet<string>): Promise<void> {
  const found = await readdir(spoolFolder(folder)).catch(() => []);
  for (const name of found) if (!keep.has(name)) await rm(join(spoolFolder(folder), name), { force: true });
}
