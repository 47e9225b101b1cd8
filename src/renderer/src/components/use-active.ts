import { useEffect } from 'react';
import { useKeptState } from './use-kept.ts';

interface Active {
  at: number;
  /** The line that the keys were put at; null while nobody has put them anywhere. */
  id: string | null;
}

const first: Active = { at: 0, id: null };

/**
 * At which line of a list the keys are: once they are put at one they stay with it, wherever others that come or go move that, and
 * at its place where the line is gone. -1 where the list is empty. `ids` tells the lines apart. `isHeld`: whether they stay with the
 * line at which they begin as well, as where a key does something to it at once.
 */
export function useActive(
  ids: readonly string[],
  isHeld = false,
): { at: number; put(at: number): void; reset(): void } {
  const [active, setActive] = useKeptState('active', first);
  const found = active.id === null ? -1 : ids.indexOf(active.id);
  const at = found === -1 ? Math.min(active.at, ids.length - 1) : found;
  const id = ids[at] ?? null;
  const isPut = isHeld || active.id !== null;
  useEffect(() => {
    if (isPut && id !== null) setActive((old) => (old.at === at && old.id === id ? old : { at, id }));
  }, [at, id, isPut, setActive]);
  return { at, put: (to) => setActive({ at: to, id: ids[to] ?? null }), reset: () => setActive(first) };
}
