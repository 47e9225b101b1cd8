import { useEffect, useRef, useState } from 'react';
import { allRows, type Stretch } from './all-rows.ts';
import type { Selection } from './selection.ts';
import type { TableRow, TableWanted } from './table-queries.ts';

/** The selecting of everything that a table shows, or of a stretch of it, also of what has not been scrolled to. */
export interface SelectAll {
  /** How far the reading of the rows has come; null while nothing is read. */
  reading: { done: number; total: number } | null;
  error: Error | null;
  start(): void;
  /** Adds a stretch to what is selected. */
  add(stretch: Stretch): void;
  stop(): void;
}

export function useSelectAll(wanted: TableWanted | undefined, selection: Selection): SelectAll {
  const [reading, setReading] = useState<SelectAll['reading']>(null);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController>(undefined);
  // What was wanted before is not what is selected in a table of something else.
  const key = JSON.stringify({ ...wanted, columns: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for all that decides the rows
  useEffect(() => () => running.current?.abort(), [key]);

  const read = (select: (rows: TableRow[], changed: number) => void, stretch?: Stretch) => {
    if (!wanted || reading) return;
    const controller = new AbortController();
    running.current = controller;
    setError(null);
    setReading({ done: 0, total: 0 });
    allRows(wanted, controller.signal, (done, total) => setReading({ done, total }), stretch)
      .then(
        ({ rows, changed }) => !controller.signal.aborted && select(rows, changed),
        (failure: Error) => !controller.signal.aborted && setError(failure),
      )
      .finally(() => setReading(null));
  };
  return {
    reading,
    error,
    start: () => read(selection.replace),
    add: (stretch) => read(selection.add, stretch),
    stop: () => running.current?.abort(),
  };
}
