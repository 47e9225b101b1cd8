import { readdirSync, readlinkSync } from 'node:fs';

/** Files below a folder that this process has open, sorted; on Linux alone. */
export function openBelow(folder: string): string[] {
  const open = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
  return open.sort();
}
