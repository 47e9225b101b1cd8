import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FileStore } from '../../blocks/file-store.ts';
import { ValidationError } from '../../errors.ts';
import { type Network, networks } from '../../model/ids.ts';
import { identityFile } from '../accounts/identity-schema.ts';
import { operatorKeyFile, operatorKeyName } from '../accounts/operator-key.ts';
import { attestFile } from '../attest-log.ts';
import { chatFile } from '../chats/chats.ts';
import { openReader } from '../connection.ts';
import { lastMove } from '../events.ts';
import { type OpenFiles, sameFileCheck } from '../file-identity.ts';
import { refuseLostIdentity, refuseLostNetwork } from '../lost-database.ts';
import { filesFolder } from '../network-folders.ts';
import { databaseFile } from '../network-store.ts';
import type { Progress } from '../progress.ts';
import { missingContent } from '../verify/missing-content.ts';
import { fillWhole, realPlace, whyNotFillable } from '../whole-folder.ts';
import { type Copy, takeContent, takeDatabase, takeFile, takeNetwork } from './backup-copy.ts';
import {
  type BackedUpNetwork,
  type BackupManifest,
  backupFormat,
  manifestName,
  readManifest,
} from './backup-manifest.ts';

/** Facts that the task cannot know by itself. */
export interface BackupOrder {
  data: string;
  /** Absolute; must not exist, or be an empty folder. */
  to: string;
  instance: string;
  version: string;
  /** ISO 8601. */
  time: string;
  /** Of the databases that the node has open. */
  openFiles: OpenFiles;
}

/** A database that was moved away is not one that the node does not have, and one in its place is not the node's. @throws StorageError */
function checkFiles(openFiles: OpenFiles, files = Object.keys(openFiles)): void {
  for (const file of files) if (openFiles[file]) sameFileCheck(file, openFiles[file])();
}

/**
 * Copies what a node has into a new folder while it runs. Each database is one moment of it: identity.db is copied last,
 * so that it knows every account that the others name. No backup.json stands in the folder before it is complete.
 * Aborting `stopped` ends it after the database or the file in hand, and leaves nothing.
 * @throws ValidationError for a folder that cannot be used; an AbortError once it is stopped
 */
export async function makeBackup(
  { data, to, instance, version, time, openFiles }: BackupOrder,
  report: (progress: Progress) => void,
  stopped?: AbortSignal,
): Promise<BackupManifest> {
  const target = await realPlace(resolve(to));
  await checkTarget(target, await realPlace(resolve(data)));
  return fillWhole(target, manifestName, async (folder) => {
    const manifest: BackupManifest = { format: backupFormat, version, instance, time, networks: [], files: [] };
    const copy: Copy = { from: data, to: folder, files: manifest.files, openFiles, stopped };
    const told = (progress: Progress) => {
      report(progress);
      stopped?.throwIfAborted();
    };
    // The others are looked at when they are taken.
    checkFiles(
      openFiles,
      networks.map((network) => databaseFile(data, network)),
    );
    refuseLostIdentity(data);
    for (const network of networks) {
      refuseLostNetwork(data, network);
      if (!existsSync(databaseFile(data, network))) continue;
      await mkdir(join(folder, network), { mode: 0o700 });
      told({ step: `${network} database`, done: 0 });
      // First, since it follows the other: a log must not know moves that are not in the backup.
      await takeDatabase(copy, attestFile(network));
      await takeNetwork(copy, network);
      const damaged = await takeContent(copy, network, told);
      manifest.networks.push({ network, ...(await countsOf(folder, network, damaged)) });
    }
    await takeDatabase(copy, chatFile);
    await takeDatabase(copy, identityFile);
    if (existsSync(operatorKeyFile(data))) await takeFile(copy, operatorKeyName);
    checkFiles(openFiles);
    manifest.files.sort((a, b) => (a.path < b.path ? -1 : 1));
    await writeSynced(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    // A backup that cannot be restored must not be called one.
    await readManifest(folder);
    return manifest;
  });
}

async function checkTarget(target: string, data: string): Promise<void> {
  const refuse = (why: string) => ValidationError.at(['dir'], `${target} ${why}`);
  if (target === data || target.startsWith(join(data, '/'))) throw refuse('lies in the data folder: name one outside');
  if (!existsSync(dirname(target))) throw refuse('cannot be made: the folder above it does not exist');
  const why = await whyNotFillable(target);
  if (why !== null) throw refuse(why);
}

const mostNamed = 100;

/** `damaged` are CIDs, of which none counts as missing as well. */
async function countsOf(
  folder: string,
  network: Network,
  damaged: Set<string>,
): Promise<Omit<BackedUpNetwork, 'network'>> {
  const db = openReader(databaseFile(folder, network));
  try {
    const count = (sql: string) => db.get<{ n: number | null }>(sql)?.n ?? 0;
    let missing_files = 0;
    const files = new FileStore(filesFolder(join(folder, network)));
    for await (const { cid } of missingContent(db, files)) if (!damaged.has(cid)) missing_files++;
    return {
      entities: count('SELECT count(*) AS n FROM entity WHERE tip IS NOT NULL'),
      versions: count('SELECT count(*) AS n FROM block'),
      moves: lastMove(db),
      missing_files,
      damaged_files: damaged.size,
      damaged: [...damaged].sort().slice(0, mostNamed),
    };
  } finally {
    db.close();
  }
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
