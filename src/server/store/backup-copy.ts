import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { copyDurably, finishFile } from '../blocks/durable-file.ts';
import { contentCid } from '../blocks/encode.ts';
import { FileStore } from '../blocks/file-store.ts';
import { StorageError } from '../errors.ts';
import type { Network } from '../model/ids.ts';
import type { BackedUpFile } from './backup-manifest.ts';
import { rollBackJournal } from './connection.ts';
import { digestOf } from './file-digest.ts';
import { filesFolder } from './network-folders.ts';
import type { Progress } from './progress.ts';

/** What goes from one folder into another; `files` is what has gone, with paths below both. */
export interface Copy {
  from: string;
  to: string;
  files: BackedUpFile[];
}

/** One moment of a database that others may go on writing to; nothing where there is none. */
export async function takeDatabase(copy: Copy, path: string): Promise<void> {
  const from = join(copy.from, path);
  if (!existsSync(from)) return;
  rollBackJournal(from);
  const db = new Database(from, { readonly: true, fileMustExist: true });
  try {
    db.prepare('VACUUM INTO ?').run(join(copy.to, path));
  } finally {
    db.close();
  }
  await finishFile(join(copy.to, path));
  await noteFile(copy, path);
}

/** Gives the SHA-256 of what was copied. */
export async function takeFile(copy: Copy, path: string): Promise<Buffer> {
  await copyDurably(join(copy.from, path), join(copy.to, path));
  return noteFile(copy, path);
}

async function noteFile({ to, files }: Copy, path: string): Promise<Buffer> {
  const { size, sha256 } = await digestOf(join(to, path));
  files.push({ path: path.replaceAll('\\', '/'), size, sha256: sha256.toString('hex') });
  return sha256;
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
  const damaged = new Set<string>();
  let done = 0;
  for await (const cid of kept.list()) {
    const path = join(filesFolder(network), kept.place(cid).path);
    await mkdir(dirname(join(copy.to, path)), { recursive: true, mode: 0o700 });
    try {
      if (contentCid(await takeFile(copy, path)) !== cid) {
        if ((await cidOf(join(copy.from, path))) === cid)
          throw new StorageError(`${path} has become another in its copy: look after the disk of the backup.`);
        damaged.add(cid);
      }
    } catch (error) {
      // Nobody wanted it any more, and it has been swept meanwhile.
      if (!kept.has(cid)) continue;
      if ((await cidOf(join(copy.from, path))) !== null) throw error;
      await rm(join(copy.to, path), { recursive: true, force: true });
      damaged.add(cid);
    }
    report({ step: 'content', done: ++done });
  }
  return damaged;
}

/** The CID of a file's bytes; null where they cannot be read. */
async function cidOf(path: string): Promise<string | null> {
  return digestOf(path).then(
    ({ sha256 }) => contentCid(sha256),
    () => null,
  );
}
