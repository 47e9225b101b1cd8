import { answered } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { mostSelected } from './selection.ts';
import { fetchRows, type TableRow, type TableWanted } from './table-queries.ts';

/** As many rows as one request gives. */
const step = 500;

/** Some rows of a table that stand together, in an order that is known by its name. */
export interface Stretch {
  first: number;
  last: number;
  view: string | undefined;
}

/**
 * The first rows of a table, or those of a stretch, as many as can be selected at once, and how many it has in all. What was
 * changed or deleted since they were put in order may be none of them any more: it is left out, and `changed` says how much was
 * changed. `onRead` is told how far it is.
 * @throws Failure; a stretch of an order that is no longer known is one that somebody has changed (`conflict`)
 */
export async function allRows(
  table: TableWanted,
  signal: AbortSignal,
  onRead?: (done: number, total: number) => void,
  stretch?: Stretch,
): Promise<{ rows: TableRow[]; total: number; changed: number }> {
  const rows: TableRow[] = [];
  const { first, last } = stretch ?? { first: 0, last: mostSelected - 1 };
  const most = Math.min(mostSelected, last - first + 1);
  let view = stretch?.view;
  let total = first + most;
  let changed = 0;
  // All pages are cut from one order, so that none is missed while others write.
  for (let done = 0; done < Math.min(most, total - first); done += step) {
    const limit = Math.min(step, most - done);
    const page = await answered(fetchRows({ ...table, columns: [] }, { offset: first + done, limit, view }, signal));
    if (stretch && page.view !== stretch.view) throw new Failure('conflict', 'the order has changed', 409);
    ({ view, total } = page);
    rows.push(...page.rows.filter((row) => !row.gone && !row.changed));
    changed += page.rows.filter((row) => !row.gone && row.changed).length;
    const all = Math.min(most, total - first);
    onRead?.(Math.min(all, done + limit), all);
  }
  return { rows, total, changed };
}
