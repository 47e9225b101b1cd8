import { useSyncExternalStore } from 'react';
import { newListeners } from '../listeners.ts';

// Files cannot stand in an address: they wait here from where they were let go to the screen that takes them.

/** Files that were chosen or dropped together. Each choice has a number of its own, also one of the same files. */
interface Choice {
  serial: number;
  files: readonly File[];
}

let choice: Choice = { serial: 0, files: [] };
const { subscribe, tell } = newListeners();

export function putFiles(files: readonly File[]): void {
  choice = { serial: choice.serial + 1, files };
  tell();
}

/** Lets go of the files of a choice with which nothing is left to do; those of another one stay. */
export function letGo(serial: number): void {
  if (choice.serial === serial) putFiles([]);
}

/** The files that were chosen or dropped last; none once they have been let go of. */
export function useChoice(): Choice {
  return useSyncExternalStore(subscribe, () => choice);
}
