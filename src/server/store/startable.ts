import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UnavailableError } from '../errors.ts';
import { manifestName } from './backup/backup-manifest.ts';
import { isUnfinished } from './whole-folder.ts';

/** Whether a folder is a backup in which no node has ever run. */
export function isBackup(folder: string): boolean {
  return existsSync(join(folder, manifestName)) && !hasRunIn(folder);
}

/** Every node gives itself an id before it does anything else. */
function hasRunIn(folder: string): boolean {
  return existsSync(join(folder, 'instance.json'));
}

/** Whether a node may start in a folder. @throws UnavailableError for one that it would spoil */
export function checkStartable(data: string): void {
  if (isBackup(data))
    throw new UnavailableError(
      `${data} is a backup, and a node that runs in it would spoil it: make a data folder of it with "archeion restore ${data} --data DIR", and name that one.`,
    );
  if (existsSync(join(data, manifestName)))
    throw new UnavailableError(
      `${data} was a backup, and a node has run in it since, so that it cannot be restored: delete ${manifestName} there to go on with it as a data folder.`,
    );
  if (isUnfinished(data))
    throw new UnavailableError(
      `${data} has what an interrupted restore or backup has left, which is no data folder yet: empty it, and restore again.`,
    );
}
