import { readFileSync } from 'node:fs';
import { UnavailableError } from '../errors.ts';
import { connectionLimits } from './connections.ts';

/** What a node has open for itself at most, with both networks in use and all its threads at work. */
const ownFiles = 200;
/** As few connections as a browser and a few commands need. */
const fewest = 10;

/** How many files and connections this process may have open; Infinity where the system does not tell. */
export function openFilesLimit(): number {
  try {
    // Node has raised the soft limit as far as it may.
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** With fewer it starts, and can then open neither its databases nor its threads, or takes connections that it loses. */
const fewestFiles = 64;

/** @throws UnavailableError, with the way out, where the system lets this process open too few files for a node */
export function refuseFewFiles(files: number): void {
  if (files < fewestFiles)
    throw new UnavailableError(
      `The system lets this process have ${files} files and connections open, and a node takes ${fewestFiles} at least: raise that, as by "ulimit -n 1024" in the shell that starts it.`,
    );
}

/**
 * How many connections a process that may have so many files open serves at once. The system would refuse one beyond the
 * limit before another could make room for it, and the node could not open its own files. Each may have a file open.
 */
export function mostConnections(files: number): number {
  return Math.max(fewest, Math.min(connectionLimits.most, Math.floor((files - ownFiles) / 2)));
}
