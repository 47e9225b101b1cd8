import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { components } from '../../api/schema.d.ts';
import type { Remote } from './sync-queries.ts';

type State = components['schemas']['SyncStateView'];

/**
 * Looks again at what else says how things stand with remotes, once one of it has come to say something else: each is asked by a
 * clock of its own, and two that contradict each other stand side by side until then.
 * @param stand in a text; undefined where it is not known yet
 * @param others second parts of the keys of what else says it
 */
export function useOneStand(stand: string | undefined, others: readonly string[]): void {
  const queries = useQueryClient();
  const seen = useRef(stand);
  useEffect(() => {
    if (stand === undefined || stand === seen.current) return;
    const isNews = seen.current !== undefined;
    seen.current = stand;
    if (isNews) for (const one of others) void queries.invalidateQueries({ queryKey: ['sync', one] });
  }, [stand, others, queries]);
}

/** What is said of remotes at length, and what happened with them. */
export const atLength = ['remotes', 'remote', 'conflicts', 'log'] as const;
export const inShort = ['state'] as const;
/** What waits to go to a remote. */
export const lineByLine = ['pending'] as const;

export function standInShort({ remotes, conflicts: all }: State): string {
  // Among all conflicts are those of archives, which are no remote's.
  return JSON.stringify([
    all,
    ...remotes.map(({ name, conflicts, refused, failing, running, pending }) => [
      ...[name, conflicts, refused, failing, running, pending > 0],
    ]),
  ]);
}

export function standAtLength(remotes: Remote[]): string {
  return JSON.stringify(
    remotes.map(({ name, conflicts, refused, running, pending, last_run: last }) => [
      ...[name, conflicts, refused, running !== null, pending > 0],
      ...[last?.error ?? null, last?.report.stop?.kind ?? null],
    ]),
  );
}
