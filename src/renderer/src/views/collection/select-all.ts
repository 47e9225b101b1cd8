import { useEffect, useRef, useState } from 'react';
import { answered } from '../../api/client.ts';
import { mostSelected, type Selection } from './selection.ts';
import { fetchRows, type TableRow, type TableWanted } from './table-queries.ts';

/** The selecting of everything that a table shows, also of what has not been scrolled to. */
export interface SelectAll {
  /** How far the reading of the rows has come; null while nothing is read. */
  reading: { done: number; total: number } | null;
  error: Error | null;
  start(): void;
  stop(): void;
}

/** As many rows as one request gives. */
const step = 500;

export function useSelectAll(wanted: TableWanted | undefined, selection: Selection): SelectAll {
  const [reading, setReading] = useState<SelectAll['reading']>(null);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const read = async (table: TableWanted, signal: AbortSignal) => {
    const rows: TableRow[] = [];
    let view: string | undefined;
    let most = mostSelected;
    // All pages are cut from one order, so that none is missed while others write.
    for (let offset = 0; offset < most; offset += step) {
      const limit = Math.min(step, most - offset);
      const page = await answered(fetchRows({ ...table, columns: [] }, { offset, limit, view }, signal));
      view = page.view;
      most = Math.min(mostSelected, page.total);
      rows.push(...page.rows.filter(({ gone }) => !gone));
      setReading({ done: Math.min(most, offset + limit), total: most });
    }
    return rows;
  };
  const start = () => {
    if (!wanted || reading) return;
    const controller = new AbortController();
    running.current = controller;
    setError(null);
    setReading({ done: 0, total: 0 });
    read(wanted, controller.signal)
      .then(
        (rows) => !controller.signal.aborted && selection.replace(rows),
        (failure: Error) => !controller.signal.aborted && setError(failure),
      )
      .finally(() => setReading(null));
  };
  return { reading, error, start, stop: () => running.current?.abort() };
}
