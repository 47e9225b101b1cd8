import { useMemo, useState } from 'react';
import type { TableRow } from './table-queries.ts';

/** The entities that are selected, with the version that was seen of each. */
export interface Selection {
  readonly size: number;
  readonly rows: readonly TableRow[];
  has(id: string): boolean;
  toggle(row: TableRow): void;
  /** As many of these as can be selected at once, with those that are. */
  add(rows: readonly TableRow[]): void;
  /** Selects these and no others. */
  replace(rows: readonly TableRow[]): void;
  clear(): void;
}

/** More at once would be more than a person means. */
export const mostSelected = 10_000;

export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, TableRow>>(new Map());
  return useMemo(
    () => ({
      size: chosen.size,
      rows: [...chosen.values()],
      has: (id) => chosen.has(id),
      toggle: (row) =>
        setChosen((old) => {
          const next = new Map(old);
          if (!next.delete(row.id) && !row.gone && next.size < mostSelected) next.set(row.id, row);
          return next;
        }),
      add: (rows) =>
        setChosen((old) => {
          const next = new Map(old);
          for (const row of rows)
            if (!row.gone && (next.has(row.id) || next.size < mostSelected)) next.set(row.id, row);
          return next;
        }),
      replace: (rows) => setChosen(new Map(rows.slice(0, mostSelected).map((row) => [row.id, row]))),
      clear: () => setChosen(new Map()),
    }),
    [chosen],
  );
}
