import { useState } from 'react';

/** Names for the items of a list, which have none, so that each keeps its field wherever it comes to stand. */
export interface ItemKeys {
  keys: readonly number[];
  move(from: number, to: number): void;
  remove(at: number): void;
}

/** Those of a list of so many; what comes to it comes at its end. */
export function useItemKeys(length: number): ItemKeys {
  const [kept, keep] = useState<readonly number[]>([]);
  const fresh = Math.max(-1, ...kept) + 1;
  const missing = Array.from({ length: Math.max(0, length - kept.length) }, (_, i) => fresh + i);
  const keys = kept.length === length ? kept : [...kept.slice(0, length), ...missing];
  if (keys !== kept) keep(keys);
  return {
    keys,
    move: (from, to) => keep(moved(keys, from, to)),
    remove: (at) => keep(keys.toSpliced(at, 1)),
  };
}

/** A list in which one item has come to another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, list[from] as T);
}
