import { ArrowDown, ArrowUp } from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';

interface HeaderCellProps {
  title: string;
  sorted: 'ascending' | 'descending' | null;
  onSort(): void;
  onResize(event: unknown): void;
}

/** A column's head: pressed, it sorts; its right edge is drawn to another width. */
export function HeaderCell({ title, sorted, onSort, onResize }: HeaderCellProps) {
  const { t } = useTexts();
  const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp;
  return (
    <div role="columnheader" aria-sort={sorted ?? 'none'} className="group relative flex min-w-0 items-stretch">
      <button
        type="button"
        onClick={onSort}
        title={t('table.sortBy', { column: title })}
        className="flex min-w-0 flex-1 items-center gap-1 px-2 text-left text-xs font-medium text-quiet hover:text-ink"
      >
        <bdi className="truncate">{title}</bdi>
        {sorted && <Arrow size={12} aria-hidden className="shrink-0" />}
      </button>
      {/* Widths are a convenience of the pointer: everything can be read without. */}
      <span
        aria-hidden
        onMouseDown={onResize}
        onTouchStart={onResize}
        className="absolute top-1 right-0 bottom-1 w-1.5 cursor-col-resize touch-none border-r border-line group-hover:border-edge"
      />
    </div>
  );
}
