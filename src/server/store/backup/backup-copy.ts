import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyDurably, finishFile } from '../../blocks/durable-file.ts';
import { contentCid } from '../../blocks/encode.ts';
import { FileStore, unwantedFolder } from '../../blocks/file-store.ts';
import { StorageError } from '../../errors.ts';
import type { Network } from '../../model/ids.ts';
import { spooledPath } from '../archive/spool.ts';
import { openReader, refuseLogAlone, rollBackJournal } from '../connection.ts';
import { type OpenFiles, openSameFile } from '../file-identity.ts';
import { filesFolder, spoolFolder } from '../network-folders.ts';
import { databaseFile } from '../network-store.ts';
import type { Progress } from '../progress.ts';
import { archiveTasks } from '../tasks.ts';
import { missingContent } from '../verify/missing-content.ts';
import type { BackedUpFile } from './backup-manifest.ts';
import { digestOf } from './file-digest.ts';

/** What goes from one folder into another; `files` is what has gone, with paths below both. `stopped` ends it. */
export interface Copy {
  from: string;
  to: string;
  files: BackedUpFile[];
  /** Of the databases of `from` that are open. */
  openFiles: OpenFiles;
  stopped?: AbortSignal | undefined;
}

/** One moment of a database that others may go on writing to; nothing where there is none. @throws StorageError */
export async function takeDatabase(copy: Copy, path: string): Promise<void> {
  const from = join(copy.from, path);
  refuseLogAlone(from);
  const fileId = copy.openFiles[from] ?? null;
  if (fileId === null && !existsSync(from)) return;
  copy.stopped?.throwIfAborted();
  rollBackJournal(from, fileId);
  const db = openSameFile(from, fileId, { readonly: true, fileMustExist: true });
  try {
    db.prepare('VACUUM INTO ?').run(join(copy.to, path));
  } finally {
    db.close();
  }
  await finishFile(join(copy.to, path));
  await noteFile(copy, path);
}

/**
 * Takes one moment of a network's database, and the archives whose imports were under way then. One that is complete by the
 * time that its archive is to be copied is in a later moment, which is taken instead.
 */
export async function takeNetwork(copy: Copy, network: Network): Promise<void> {
  const database = databaseFile('', network);
  const before = copy.files.length;
  for (let moment = 1; ; moment++) {
    await takeDatabase(copy, database);
    if ((await takeSpooled(copy, network)) || moment === mostMoments) return;
    await rm(join(copy.to, database));
    await rm(join(copy.to, spoolFolder(network)), { recursive: true, force: true });
    copy.files.length = before;
  }
}

const mostMoments = 3;

/** Whether every archive that a copied database names is in the copy, or was not there without its import having ended. */
async function takeSpooled(copy: Copy, network: Network): Promise<boolean> {
  for (const file of namedArchives(databaseFile(copy.to, network))) {
    const path = spooledPath(network, file);
    if (path === null) continue;
    await mkdir(dirname(join(copy.to, path)), { recursive: true, mode: 0o700 });
    try {
      await takeFile(copy, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const from = databaseFile(copy.from, network);
      if (!namedArchives(from, copy.openFiles[from]).includes(file)) return false;
    }
  }
  return true;
}

function namedArchives(database: string, fileId: string | null = null): string[] {
  const db = openReader(database, fileId);
  try {
    const { unfinished, left } = archiveTasks(db);
    return [...unfinished, ...left].map(({ file }) => file);
  } finally {
    db.close();
  }
}

/** Gives the SHA-256 of what was copied. */
export async function takeFile(copy: Copy, path: string): Promise<Buffer> {
  await copyDurably(join(copy.from, path), join(copy.to, path));
  return noteFile(copy, path);
}

async function noteFile({ to, files, stopped }: Copy, path: string): Promise<Buffer> {
  const { size, sha256 } = await digestOf(join(to, path), stopped);
  files.push({ path: slashed(path), size, sha256: sha256.toString('hex') });
  return sha256;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/**
 * Takes the content that a network keeps: it never changes, and each is there before a version names it. What other programs
 * have put beside it is none of the node's. Gives the CIDs of what is damaged: the backup has its bytes as they are, and
 * goes without those that cannot be read, since one of them must not be the end of all backups.
 */
export async function takeContent(
  copy: Copy,
  network: Network,
  report: (progress: Progress) => void,
): Promise<Set<string>> {
  const kept = new FileStore(filesFolder(join(copy.from, network)));
  await bringBackNamed(copy, network, kept);
  const damaged = new Set<string>();
  let done = 0;
  for await (const cid of kept.list()) {
    const path = join(filesFolder(network), kept.place(cid).path);
    await mkdir(dirname(join(copy.to, path)), { recursive: true, mode: 0o700 });
    try {
      if (contentCid(await takeBytes(copy, path, () => kept.has(cid))) !== cid) {
        if ((await cidOf(join(copy.from, path))) === cid)
          throw new StorageError(`${path} has become another in its copy: look after the disk of the backup.`);
        damaged.add(cid);
      }
    } catch (error) {
      copy.stopped?.throwIfAborted();
      // Nobody wanted it any more, and it is gone meanwhile.
      if (!kept.has(cid)) continue;
      if ((await cidOf(join(copy.from, path))) !== null) throw error;
      await rm(join(copy.to, path), { recursive: true, force: true });
      damaged.add(cid);
    }
    report({ step: 'content', done: ++done });
  }
  return damaged;
}

/** What lies aside as unwanted and is named by a version of the copy comes back by being looked for. */
async function bringBackNamed({ to, stopped }: Copy, network: Network, kept: FileStore): Promise<void> {
  if ((await kept.aside(unwantedFolder)) === 0) return;
  const db = openReader(databaseFile(to, network));
  try {
    for await (const _ of missingContent(db, kept)) stopped?.throwIfAborted();
  } finally {
    db.close();
  }
}

/** Takes bytes that are kept; once more where they were set aside as unwanted meanwhile, since asking for them brings them back. */
async function takeBytes(copy: Copy, path: string, isKept: () => boolean): Promise<Buffer> {
  try {
    return await takeFile(copy, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isKept()) throw error;
    return takeFile(copy, path);
  }
}

/** The CID of a file's bytes; null where they cannot be read. */
async function cidOf(path: string): Promise<string | null> {
  return digestOf(path).then(
    ({ sha256 }) => contentCid(sha256),
    () => null,
  );
}
