import { resolve } from 'node:path';

// What this program has kept since it began, by folder, whoever kept it: for those who wait for bytes. What was kept before
// is found by looking.

interface Lately {
  /** How many there were. */
  count: number;
  /** The last of them, oldest first. */
  cids: string[];
}

/** So many of a folder are remembered at least. */
const remembered = 10_000;
const folders = new Map<string, Lately>();

/** To be called when bytes lie under their CID, and their name is on the disk. */
export function noteKept(folder: string, cid: string): void {
  const key = resolve(folder);
  const lately = folders.get(key) ?? { count: 0, cids: [] };
  folders.set(key, lately);
  lately.count++;
  lately.cids.push(cid);
  if (lately.cids.length >= 2 * remembered) lately.cids.splice(0, remembered);
}

/** How many bytes have been kept in a folder so far, by their CIDs. */
export function keptSoFar(folder: string): number {
  return folders.get(resolve(folder))?.count ?? 0;
}

/** The CIDs of what was kept after the first `count`, each once; null where that is more than is remembered. */
export function keptAfter(folder: string, count: number): string[] | null {
  const { count: all, cids } = folders.get(resolve(folder)) ?? { count: 0, cids: [] };
  const came = all - count;
  if (came > cids.length) return null;
  return came <= 0 ? [] : [...new Set(cids.slice(-came))];
}
