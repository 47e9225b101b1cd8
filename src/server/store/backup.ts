import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { copyDurably, finishFile } from '../blocks/durable-file.ts';
import { syncFolder } from '../blocks/durable-folder.ts';
import { FileStore } from '../blocks/file-store.ts';
import { ValidationError } from '../errors.ts';
import { type Network, networks } from '../model/ids.ts';
import { attestFile } from './attest-log.ts';
import {
  type BackedUpNetwork,
  type BackupManifest,
  backupFormat,
  manifestName,
  readManifest,
} from './backup-manifest.ts';
import { chatFile } from './chats.ts';
import { openReader, rollBackJournal } from './connection.ts';
import { digestOf } from './file-digest.ts';
import { identityFile } from './identity-schema.ts';
import { missingContent } from './missing-content.ts';
import { filesFolder } from './network-folders.ts';
import { databaseFile } from './network-store.ts';
import type { Progress } from './progress.ts';

const keyFile = 'operator.key';

/** Facts that the task cannot know by itself. */
export interface BackupOrder {
  data: string;
  /** Absolute; must not exist, or be an empty folder. */
  to: string;
  instance: string;
  version: string;
  /** ISO 8601. */
  time: string;
}

/**
 * Copies what a node has into a new folder while it runs. Each database is one moment of it: identity.db is copied last,
 * so that it knows every account that the others name. Nothing stands under the folder's name before it is complete.
 * @throws ValidationError for a folder that cannot be used
 */
export async function makeBackup(
  { data, to, instance, version, time }: BackupOrder,
  report: (progress: Progress) => void,
): Promise<BackupManifest> {
  const target = resolve(to);
  await checkTarget(target, resolve(data));
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    await mkdir(partial, { mode: 0o700 });
    const manifest: BackupManifest = { format: backupFormat, version, instance, time, networks: [], files: [] };
    const copy: Copy = { from: data, to: partial, paths: [] };
    for (const network of networks) {
      if (!existsSync(databaseFile(data, network))) continue;
      await mkdir(join(partial, network), { mode: 0o700 });
      report({ step: `${network} database`, done: 0 });
      // First, since it follows the other: a log must not know moves that are not in the backup.
      await takeDatabase(copy, attestFile(network));
      await takeDatabase(copy, databaseFile('', network));
      await takeContent(copy, network, report);
      manifest.networks.push({ network, ...(await countsOf(partial, network)) });
    }
    await takeDatabase(copy, chatFile);
    await takeDatabase(copy, identityFile);
    if (existsSync(join(data, keyFile))) await takeFile(copy, keyFile);
    for (const path of copy.paths.sort()) {
      const { size, sha256 } = await digestOf(join(partial, path));
      manifest.files.push({ path, size, sha256: sha256.toString('hex') });
      report({ step: 'files', done: manifest.files.length });
    }
    await writeSynced(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    // A backup that cannot be restored must not be called one.
    await readManifest(partial);
    await syncFolders(partial);
    if (existsSync(target)) await rmdir(target);
    await rename(partial, target);
    await syncFolder(dirname(target));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function checkTarget(target: string, data: string): Promise<void> {
  const refuse = (why: string) => ValidationError.at(['dir'], `${target} ${why}`);
  if (target === data || target.startsWith(join(data, '/'))) throw refuse('lies in the data folder: name one outside');
  if (!existsSync(dirname(target))) throw refuse('cannot be made: the folder above it does not exist');
  if (!existsSync(target)) return;
  if (!(await stat(target)).isDirectory()) throw refuse('is a file: name a folder');
  if ((await readdir(target)).length > 0) throw refuse('is not empty: name a new or an empty folder');
}

/** What goes from one folder into another; `paths` is what has gone, below both. */
interface Copy {
  from: string;
  to: string;
  paths: string[];
}

/** One moment of a database that others may go on writing to; nothing where there is none. */
async function takeDatabase({ from, to, paths }: Copy, path: string): Promise<void> {
  if (!existsSync(join(from, path))) return;
  rollBackJournal(join(from, path));
  const db = new Database(join(from, path), { readonly: true, fileMustExist: true });
  try {
    db.prepare('VACUUM INTO ?').run(join(to, path));
  } finally {
    db.close();
  }
  await finishFile(join(to, path));
  paths.push(slashed(path));
}

async function takeFile({ from, to, paths }: Copy, path: string): Promise<void> {
  await copyDurably(join(from, path), join(to, path));
  paths.push(slashed(path));
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

async function countsOf(folder: string, network: Network): Promise<Omit<BackedUpNetwork, 'network'>> {
  const db = openReader(databaseFile(folder, network));
  try {
    const count = (sql: string) => db.get<{ n: number | null }>(sql)?.n ?? 0;
    let missing_files = 0;
    const files = new FileStore(filesFolder(join(folder, network)));
    for await (const _ of missingContent(db, files)) missing_files++;
    return {
      entities: count('SELECT count(*) AS n FROM entity WHERE tip IS NOT NULL'),
      versions: count('SELECT count(*) AS n FROM block'),
      moves: count('SELECT max(id) AS n FROM moves'),
      missing_files,
    };
  } finally {
    db.close();
  }
}

/**
 * Kept files never change, and each is there before a version names it. What other programs have put beside them is none
 * of the node's.
 */
async function takeContent(copy: Copy, network: Network, report: (progress: Progress) => void): Promise<void> {
  const kept = new FileStore(filesFolder(join(copy.from, network)));
  let done = 0;
  for await (const cid of kept.list()) {
    const path = join(filesFolder(network), kept.place(cid).path);
    await mkdir(dirname(join(copy.to, path)), { recursive: true, mode: 0o700 });
    try {
      await takeFile(copy, path);
    } catch (error) {
      // Nobody wanted it any more, and it has been swept meanwhile.
      if (kept.has(cid)) throw error;
    }
    report({ step: 'content', done: ++done });
  }
}

/** Brings the names of all that is below a folder to the disk. */
export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(folder);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
