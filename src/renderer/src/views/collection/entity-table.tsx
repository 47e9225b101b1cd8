import {
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { currentNetwork } from '../../api/client.ts';
import { useKept } from '../../components/use-kept.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { Stretch } from './all-rows.ts';
import { columnTitle } from './column-name.ts';
import { HeaderCell } from './header-cell.tsx';
import { RowLine } from './row-line.tsx';
import { mostSelected, type Selection } from './selection.ts';
import type { TableRow, TableWanted } from './table-queries.ts';
import type { Mark } from './use-mark.ts';
import { useRows } from './use-rows.ts';
import { useStayInSight } from './use-stay-in-sight.ts';

const rowHeight = 32;
/** The line of the names of columns, with its border. */
const headHeight = 33;
/** What is in sight is told in steps of so many rows, so that not each one of them fetches and draws anew. */
const stride = 25;
const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, columnResizingFeature });
const nothing: TableRow[] = [];

interface EntityTableProps {
  wanted: TableWanted | undefined;
  columns: string[];
  sort: { column: string; descending: boolean } | null;
  onSort(column: string): void;
  /** Everything that matches is to be selected. */
  onSelectAll(): void;
  /** Selects a stretch of which not all rows have come. */
  onSelectStretch(stretch: Stretch): void;
  selection: Selection;
  /** Where the keys are. */
  mark: Mark;
  onActive(index: number): void;
  onOpen(row: TableRow): void;
  /** Told whenever they change: how many there are, and how a row is read. */
  onRows(rows: ReturnType<typeof useRows>): void;
}

/** A grid of any number of rows; only those in sight are there, and are fetched as they come into it. */
export function EntityTable(props: EntityTableProps) {
  const { wanted, columns, sort, onSort, onSelectAll, onSelectStretch, selection, mark, onActive, onOpen, onRows } =
    props;
  const texts = useTexts();
  const { t } = texts;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 40 });
  const rows = useRows(wanted, range.first, range.last);
  const count = rows.total ?? 0;
  const { index: active, isLost, moves } = mark;
  useEffect(() => {
    onRows(rows);
  });

  const definitions = useMemo(
    () => [
      { id: 'label', size: 340, minSize: 120 },
      ...columns.map((column) => ({ id: column, size: widthOf(column), minSize: 60 })),
    ],
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: nothing, columnResizeMode: 'onChange' });
  const leaves = table.getVisibleLeafColumns();
  const template = `40px ${leaves.map((column) => `${column.getSize()}px`).join(' ')} minmax(0, 1fr)`;

  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The head stands over the rows, which begin behind it: as much less of them is in sight.
    scrollPaddingEnd: headHeight,
    onChange: (instance) => {
      const { startIndex, endIndex } = instance.range ?? { startIndex: 0, endIndex: 40 };
      const [first, last] = [Math.floor(startIndex / stride) * stride, Math.ceil(endIndex / stride) * stride];
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    },
  });
  // To the row that one has gone to, in this table: not again when others write, wherever one has scrolled to meanwhile.
  const place = `${moves} ${JSON.stringify({ ...wanted, columns: [] })}`;
  const shown = useRef('');
  const activePlace = useRef<HTMLDivElement>(null);
  const before = useKept('scrolled', () => scroller.current?.scrollTop);
  useEffect(() => {
    if (active < 0 || active >= count || shown.current === place) return;
    const isBack = shown.current === '' && before !== undefined;
    shown.current = place;
    // Whoever comes back sees what they saw, wherever the keys are.
    if (isBack) scroller.current?.scrollTo({ top: before });
    else virtual.scrollToIndex(active, { align: 'auto' });
    // A window may have less room than the table takes. Who types what is wanted is not taken away from that.
    if (!isBack && moves > 0) activePlace.current?.scrollIntoView({ block: 'nearest' });
  }, [active, before, count, moves, place, virtual]);

  useStayInSight(scroller, headHeight + (active + 1) * rowHeight);

  // The same function each time, so that rows which stay are not drawn again.
  const extend = (to: number) => {
    const from = isLost ? to : active;
    const [first, last] = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
    const known = rows.stretch(first, Math.min(last, first + mostSelected - 1));
    if (known) selection.add(known);
    else onSelectStretch({ first, last, view: rows.view });
  };
  const now = useRef({ extend, selection, onActive });
  now.current = { extend, selection, onActive };
  const onSelect = useCallback((to: number, row: TableRow | undefined, range: boolean) => {
    if (range) now.current.extend(to);
    else if (row) now.current.selection.toggle(row);
    now.current.onActive(to);
    // The keys go on from there, and not from a box that the next row has, too.
    scroller.current?.focus({ preventScroll: true });
  }, []);

  const rowId = (index: number) => `${id}-${index}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(
      event.key,
      Math.max(1, (virtual.range?.endIndex ?? 20) - (virtual.range?.startIndex ?? 0) - 1),
      count,
    );
    if (step === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, step === 'first' ? 0 : step === 'last' ? count - 1 : active + step));
    if (event.shiftKey) extend(next);
    onActive(next);
  };

  const there = virtual.getVirtualItems().length;
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={t('table.label')}
      aria-rowcount={rows.total === undefined ? -1 : count + 1}
      aria-colcount={columns.length + 2}
      aria-multiselectable
      aria-busy={rows.late || rows.total === undefined}
      aria-activedescendant={
        !isLost && virtual.getVirtualItems().some(({ index }) => index === active) ? rowId(active) : undefined
      }
      onKeyDown={onKeyDown}
      className="min-h-64 flex-1 overflow-auto bg-surface [contain:strict] print:[contain:none]"
    >
      <div
        role="rowgroup"
        className="sticky top-0 z-10 w-max min-w-full border-b border-line bg-paper print:static print:w-full"
      >
        <div
          role="row"
          aria-rowindex={1}
          className="grid h-8 print:auto-cols-fr print:grid-flow-col print:grid-cols-none!"
          style={{ gridTemplateColumns: template }}
        >
          <span role="columnheader" className="flex items-center justify-center print:hidden">
            <input
              type="checkbox"
              aria-label={t(selection.size > 0 ? 'table.selectNone' : 'table.selectEverything')}
              className="size-4 accent-accent"
              ref={(box) => {
                if (box) box.indeterminate = selection.size > 0 && selection.size - selection.elsewhere < count;
              }}
              checked={selection.size > 0}
              disabled={count === 0}
              onChange={() => (selection.size > 0 ? selection.clear() : onSelectAll())}
            />
          </span>
          {table.getFlatHeaders().map((header) => (
            <HeaderCell
              key={header.id}
              title={columnTitle(texts, header.column.id)}
              sorted={sort?.column === header.column.id ? (sort.descending ? 'descending' : 'ascending') : null}
              onSort={() => onSort(header.column.id)}
              onResize={header.getResizeHandler()}
            />
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="relative w-max min-w-full print:h-auto! print:w-full"
        style={{ height: virtual.getTotalSize(), opacity: rows.late ? 0.6 : 1 }}
      >
        <div
          ref={activePlace}
          aria-hidden
          className="absolute inset-x-0 h-8 print:hidden"
          style={{ top: Math.max(0, active) * rowHeight }}
        />
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows.at(index);
          return (
            <RowLine
              key={index}
              id={rowId(index)}
              index={index}
              top={start}
              template={template}
              columns={columns}
              row={row}
              active={index === active && !isLost}
              selected={row !== undefined && selection.has(row.id)}
              onPoint={onActive}
              onOpen={onOpen}
              href={
                row
                  ? `${import.meta.env.BASE_URL}entities/${row.id}${currentNetwork() === 'test' ? '?network=test' : ''}`
                  : ''
              }
              onSelect={onSelect}
            />
          );
        })}
      </div>
      {there < count && (
        <p className="hidden px-5 py-2 print:block">{t('table.printed', { count: there, total: count })}</p>
      )}
    </div>
  );
}

function widthOf(column: string): number {
  if (column === 'created_at' || column === 'updated_at') return 170;
  if (column === 'type' || column === 'ver') return 110;
  return column === 'id' ? 250 : 180;
}

/** How far a key moves. */
function stepOf(key: string, page: number, count: number): number | 'first' | 'last' | null {
  if (count === 0) return null;
  const steps: Record<string, number | 'first' | 'last'> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: 'first',
    End: 'last',
  };
  return steps[key] ?? null;
}
