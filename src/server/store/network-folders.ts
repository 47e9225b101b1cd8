import { join } from 'node:path';

/** The name of a network's database in its folder. */
export const networkDatabase = 'archeion.db';

// What lies in a network's folder beside its database.

/** Large bytes by their CID (blocks/file-store.ts). */
export function filesFolder(folder: string): string {
  return join(folder, 'files');
}

/** Archives that have been received and are not imported yet. */
export function spoolFolder(folder: string): string {
  return join(folder, 'spool');
}

/** What has come of content that is being fetched from remotes (blocks/partial-files.ts). */
export function partialsFolder(folder: string): string {
  return join(folder, 'partials');
}

/** What has come of uploads that are not complete (blocks/upload-parts.ts). */
export function uploadsFolder(folder: string): string {
  return join(folder, 'uploads');
}
