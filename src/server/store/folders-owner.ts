import { lchownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Gives a file that root has just made to the owner of its folder: root may work for a node that runs as a user of its own, as to verify
 * what was restored for it, and that one has to use the file later.
 */
export function giveToFoldersOwner(file: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  if (statSync(file).uid === 0 && uid !== 0) lchownSync(file, uid, gid);
}
