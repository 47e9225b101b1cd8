import { answered } from '../../api/client.ts';
import { mostSelected } from './selection.ts';
import { fetchRows, type TableRow, type TableWanted } from './table-queries.ts';

/** As many rows as one request gives. */
const step = 500;

/**
 * The first rows of a table, as many as can be selected at once, and how many it has in all. `onRead` is told how far it is.
 * @throws Failure
 */
export async function allRows(
  table: TableWanted,
  signal: AbortSignal,
  onRead?: (done: number, total: number) => void,
): Promise<{ rows: TableRow[]; total: number }> {
  const rows: TableRow[] = [];
  let view: string | undefined;
  let total = mostSelected;
  // All pages are cut from one order, so that none is missed while others write.
  for (let offset = 0; offset < Math.min(mostSelected, total); offset += step) {
    const limit = Math.min(step, mostSelected - offset);
    const page = await answered(fetchRows({ ...table, columns: [] }, { offset, limit, view }, signal));
    ({ view, total } = page);
    rows.push(...page.rows.filter(({ gone }) => !gone));
    const most = Math.min(mostSelected, total);
    onRead?.(Math.min(most, offset + limit), most);
  }
  return { rows, total };
}
