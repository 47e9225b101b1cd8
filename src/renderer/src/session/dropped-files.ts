import { useSyncExternalStore } from 'react';

// Files cannot stand in an address: they wait here from where they were let go to the screen that takes them.

let files: readonly File[] = [];
const listeners = new Set<() => void>();

export function putFiles(next: readonly File[]): void {
  files = next;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The files that were chosen or dropped last; none once they have been let go of. */
export function useFiles(): readonly File[] {
  return useSyncExternalStore(subscribe, () => files);
}
