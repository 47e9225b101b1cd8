import { Check, Minus } from 'lucide-react';
import { Moment } from '../../components/moment.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { TableRow } from './table-queries.ts';

/** What a row has in a column. Whatever it is, it is text: nothing of it is markup, and its direction stays its own. */
export function Cell({ row, column }: { row: TableRow; column: string }) {
  const { t, number } = useTexts();
  if (column === 'created_at' || column === 'updated_at') return <Moment at={row[column]} />;
  if (column === 'ver') return number(row.ver);
  if (column === 'type' || column === 'id') return <bdi>{row[column]}</bdi>;
  const value = row.cells[column];
  if (value === undefined) return null;
  if (typeof value === 'boolean') {
    const Icon = value ? Check : Minus;
    return <Icon size={14} role="img" aria-label={t(value ? 'value.true' : 'value.false')} />;
  }
  // Years and numbers of an inventory would be misread with separators.
  return <bdi>{String(value)}</bdi>;
}
