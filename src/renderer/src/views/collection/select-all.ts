import { useEffect, useRef, useState } from 'react';
import { allRows } from './all-rows.ts';
import type { Selection } from './selection.ts';
import type { TableWanted } from './table-queries.ts';

/** The selecting of everything that a table shows, also of what has not been scrolled to. */
export interface SelectAll {
  /** How far the reading of the rows has come; null while nothing is read. */
  reading: { done: number; total: number } | null;
  error: Error | null;
  start(): void;
  stop(): void;
}

export function useSelectAll(wanted: TableWanted | undefined, selection: Selection): SelectAll {
  const [reading, setReading] = useState<SelectAll['reading']>(null);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = () => {
    if (!wanted || reading) return;
    const controller = new AbortController();
    running.current = controller;
    setError(null);
    setReading({ done: 0, total: 0 });
    allRows(wanted, controller.signal, (done, total) => setReading({ done, total }))
      .then(
        ({ rows }) => !controller.signal.aborted && selection.replace(rows),
        (failure: Error) => !controller.signal.aborted && setError(failure),
      )
      .finally(() => setReading(null));
  };
  return { reading, error, start, stop: () => running.current?.abort() };
}
