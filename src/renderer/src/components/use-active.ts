import { useEffect } from 'react';
import { useKeptState } from './use-kept.ts';

interface Active {
  at: number;
  /** The line that stands there; null until there is one. */
  id: string | null;
}

const first: Active = { at: 0, id: null };

/**
 * At which line of a list the keys are: it stays with its line, wherever others that come or go move that, and at its place where the
 * line is gone. -1 where the list is empty. `ids` tells the lines apart.
 */
export function useActive(ids: readonly string[]): { at: number; put(at: number): void; reset(): void } {
  const [active, setActive] = useKeptState('active', first);
  const found = active.id === null ? -1 : ids.indexOf(active.id);
  const at = found === -1 ? Math.min(active.at, ids.length - 1) : found;
  const id = ids[at] ?? null;
  useEffect(() => {
    if (id !== null) setActive((old) => (old.at === at && old.id === id ? old : { at, id }));
  }, [at, id, setActive]);
  return { at, put: (to) => setActive({ at: to, id: ids[to] ?? null }), reset: () => setActive(first) };
}
