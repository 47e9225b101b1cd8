import { access, constants, statfs } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, resolve } from 'node:path';
import { makeFolder } from './blocks/durable-folder.ts';
import { UnavailableError } from './errors.ts';

/** File systems over a network, by the magic numbers of Linux: locks and syncs there do not hold what a database needs. */
const networkTypes = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
]);

const synced =
  /(?:^|[/\\])(Dropbox|OneDrive|iCloud ?Drive|iCloud|Mobile Documents|CloudStorage|Google ?Drive)(?=$|[/\\ (-])/i;

/** The name of the service that copies a folder elsewhere while it is written to, if its path names one. */
export function syncedBy(path: string): string | null {
  return synced.exec(path)?.[1] ?? null;
}

/** The name of the network file system that a `statfs` type stands for, if it is one. */
export function networkDrive(type: number): string | null {
  return networkTypes.get(type >>> 0) ?? null;
}

/**
 * Makes the data folder, readable by its owner only, and answers its absolute path.
 * @throws UnavailableError where it cannot be made or written, or lies on a network drive
 */
export async function openDataFolder(path: string): Promise<string> {
  const data = resolve(path);
  let type: number;
  try {
    await makeFolder(data, dirname(data));
    await access(data, constants.R_OK | constants.W_OK | constants.X_OK);
    ({ type } = await statfs(data));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnavailableError(
      `The data folder ${data} cannot be used (${reason}): make it writable, or name another with --data.`,
    );
  }
  const drive = platform() === 'linux' ? networkDrive(type) : null;
  if (drive)
    throw new UnavailableError(
      `The data folder ${data} is on a network drive (${drive}): name a local one with --data.`,
    );
  return data;
}
