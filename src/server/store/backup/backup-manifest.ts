import { readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { z } from 'zod';
import { cidBytes } from '../../blocks/cid.ts';
import { FileStore } from '../../blocks/file-store.ts';
import { ValidationError } from '../../errors.ts';
import type { Network } from '../../model/ids.ts';
import { identityFile } from '../accounts/identity-schema.ts';
import { filesFolder } from '../network-folders.ts';

/** The name of the file that describes a backup. */
export const manifestName = 'backup.json';
export const backupFormat = 'archeion/backup@v1';

/** A file below the backup's folder; `path` with slashes, `sha256` in hex. */
export interface BackedUpFile {
  path: string;
  size: number;
  sha256: string;
}

/**
 * What a network has. `missing_files`: that versions name and that were not here. `damaged_files`: whose bytes were not those
 * of their CID, or could not be read; `damaged`: the first of their CIDs. Earlier backups do not say these.
 */
export interface BackedUpNetwork {
  network: Network;
  entities: number;
  versions: number;
  moves: number;
  missing_files?: number | undefined;
  damaged_files?: number | undefined;
  damaged?: string[] | undefined;
}

/** What a backup holds, and what restoring checks it against. */
export interface BackupManifest {
  format: typeof backupFormat;
  /** Of the program that made it. */
  version: string;
  /** The node that it is of. */
  instance: string;
  /** ISO 8601. */
  time: string;
  networks: BackedUpNetwork[];
  files: BackedUpFile[];
}

/** Nothing else is ever taken out of a backup, so that no path leads out of the folder. */
const paths =
  /^(?:identity\.db|chat\.db|operator\.key|(?:main|test)\/(?:archeion|attest)\.db|(?:main|test)\/files\/[a-z0-9]{2}\/[a-z0-9]{50,80}|(?:main|test)\/spool\/[0-9a-f-]{36}\.car)$/;

const amongContent = /^(?:main|test)\/files\//;

/** Whether one of a manifest's `files` is content of versions, under its CID. */
export function isContent(path: string): boolean {
  return amongContent.test(path);
}

/** Archives whose import was under way (spool.ts). */
const spooled = /^(?:main|test)\/spool\//;

/** Whether a restore goes on without one of a manifest's `files`, where it is not what it was. */
export function isDispensable(path: string): boolean {
  return isContent(path) || spooled.test(path);
}

const count = z.number().int().min(0);

const backupManifest = z.object({
  format: z.literal(backupFormat),
  version: z.string(),
  instance: z.string(),
  time: z.string(),
  networks: z.array(
    z.object({
      ...{ network: z.enum(['main', 'test']), entities: count, versions: count, moves: count },
      ...{ missing_files: count.optional(), damaged_files: count.optional() },
      damaged: z.array(z.string()).optional(),
    }),
  ),
  files: z.array(
    z.object({
      // Earlier programs also took along what others had put beside the kept files: `.DS_Store`, `Thumbs.db`.
      path: z.string().refine((path) => paths.test(path) || amongContent.test(path), 'a file that no backup has'),
      size: count,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** What a backup holds, and which of its files are nothing that a node keeps, which are not among `files`. */
export interface FoundBackup {
  manifest: BackupManifest;
  strays: string[];
}

/** Reads a backup's manifest. @throws ValidationError where the folder has none that can be restored */
export async function readManifest(folder: string): Promise<FoundBackup> {
  const refuse = (why: string) => ValidationError.at(['dir'], `${folder} ${why}`);
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw refuse(`cannot be read (${message})`);
    throw refuse(`is no backup: it has no ${manifestName}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(`is no sound backup: its ${manifestName} is not JSON`);
  }
  const { data, error } = backupManifest.safeParse(value);
  const [issue] = error?.issues ?? [];
  if (!data) throw refuse(`is no backup that this program can read: ${issue?.path.join('.')}: ${issue?.message}`);
  const files = data.files.filter(({ path }) => paths.test(path)).map(inItsPlace);
  for (const { network } of data.networks) files.push(...(await unlisted(folder, network, files)));
  if (!files.some(({ path }) => path === identityFile)) throw refuse('is no sound backup: it has no identity.db');
  return {
    manifest: { ...data, files },
    strays: data.files.flatMap(({ path }) => (paths.test(path) ? [] : [path])),
  };
}

/** Content lies where its CID says, whatever the list says of the folder: under another one no node would find it. */
function inItsPlace(file: BackedUpFile): BackedUpFile {
  const { path } = file;
  if (!isContent(path)) return file;
  const cid = posix.basename(path);
  return { ...file, path: posix.join(path, '../..', cid.slice(-2), cid) };
}

/**
 * Content of a network that lies in a backup without being on its list, which may be damaged as everything else: the name says by
 * itself what bytes it has.
 */
async function unlisted(folder: string, network: Network, files: readonly BackedUpFile[]): Promise<BackedUpFile[]> {
  const listed = new Set(files.map(({ path }) => path));
  const found: BackedUpFile[] = [];
  const kept = new FileStore(filesFolder(join(folder, network)));
  try {
    for await (const cid of kept.list()) {
      const path = posix.join(network, 'files', kept.place(cid).path);
      if (listed.has(path)) continue;
      const there = await stat(join(folder, path)).catch(() => null);
      if (there)
        found.push({ path, size: there.size, sha256: Buffer.from(cidBytes(cid).subarray(-32)).toString('hex') });
    }
  } catch {
    // Of what cannot be looked through the list is all that is known.
  }
  return found;
}
