import { memo } from 'react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { Cell } from './cell.tsx';
import type { TableRow } from './table-queries.ts';

interface RowLineProps {
  id: string;
  index: number;
  /** Pixels from the first row. */
  top: number;
  template: string;
  columns: string[];
  row: TableRow | undefined;
  active: boolean;
  selected: boolean;
  onPoint(index: number): void;
  onOpen(row: TableRow): void;
  onSelect(index: number, row: TableRow | undefined, range: boolean): void;
  /** The entity's address: the router's own links are too much for this many. */
  href: string;
}

/** One row of the grid, also before it has come. */
export const RowLine = memo(function RowLine(props: RowLineProps) {
  const { id, index, top, template, columns, row, active, selected, href, onPoint, onOpen, onSelect } = props;
  const { t } = useTexts();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys for all of its rows
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      onClick={() => onPoint(index)}
      onDoubleClick={() => row && onOpen(row)}
      className={classes(
        'absolute top-0 left-0 grid h-8 w-full border-b border-line/60 [contain:layout_style]',
        'print:static print:h-auto print:transform-none! print:auto-cols-fr print:grid-flow-col print:grid-cols-none! print:py-1',
        selected ? 'bg-accent-soft' : 'hover:bg-paper',
        active && 'shadow-[inset_3px_0_0_var(--color-accent)]',
      )}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
    >
      <span role="gridcell" className="flex items-center justify-center print:hidden">
        <input
          type="checkbox"
          tabIndex={-1}
          className="size-4 accent-accent"
          aria-label={`${t('list.select')}: ${row?.label || t('entity.noLabel')}`}
          checked={selected}
          disabled={!row}
          onChange={() => undefined}
          onClick={(event) => {
            event.stopPropagation();
            onSelect(index, row, event.shiftKey);
          }}
        />
      </span>
      <span role="gridcell" className="flex min-w-0 items-center px-2">
        {row ? (
          <a
            href={href}
            onClick={(event) => {
              // A click with a key held opens another tab or window, as everywhere.
              if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
              event.preventDefault();
              onOpen(row);
            }}
            tabIndex={-1}
            className={classes(
              'truncate font-medium hover:underline',
              row.gone && 'line-through',
              !row.label && 'text-quiet',
            )}
          >
            <bdi>{row.label ?? t('entity.noLabel')}</bdi>
          </a>
        ) : (
          <span className="h-2.5 w-40 rounded bg-sunken" />
        )}
      </span>
      {columns.map((column) => (
        <span key={column} role="gridcell" className="flex min-w-0 items-center overflow-hidden px-2 text-quiet">
          <span className="truncate tabular-nums">{row && <Cell row={row} column={column} />}</span>
        </span>
      ))}
    </div>
  );
});
