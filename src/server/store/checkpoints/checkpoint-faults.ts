import type { NetworkStore } from '../network-store.ts';

/** Why what is written stays in the logs of databases, which grow, in words; null where it does not. */
export interface CheckpointFaults {
  /** By the file of each database of the whole node. */
  node(): Record<string, string | null>;
  /** Of a network's databases. */
  network(store: NetworkStore): string | null;
}

/** What is wrong at several places, as one text; null where nothing is. */
export function inOne(faults: readonly (string | null)[]): string | null {
  const found = faults.filter((fault) => fault !== null);
  return found.length > 0 ? found.join(' ') : null;
}
