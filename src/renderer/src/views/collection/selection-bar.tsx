import { Download, ListChecks, PencilLine, X } from 'lucide-react';
import { sentenceOf } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { SelectAll } from './select-all.ts';
import { mostSelected, type Selection } from './selection.ts';

interface SelectionBarProps {
  selection: Selection;
  /** How many the table shows. */
  total: number;
  all: SelectAll;
  onEdit(): void;
  onExport(): void;
}

/** What is selected, of how many, and what can be done with all of it. */
export function SelectionBar({ selection, total, all, onEdit, onExport }: SelectionBarProps) {
  const { t, number, counted } = useTexts();
  const { reading, error } = all;
  const most = Math.min(total, mostSelected);
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line bg-accent-soft px-5 py-2">
      <div className="min-w-48 flex-1">
        <p role="status" className="font-medium">
          {reading
            ? t('table.reading', { done: reading.done, total: reading.total || most })
            : t('table.selected', { count: selection.size, number: number(selection.size) })}
        </p>
        {!reading && selection.elsewhere > 0 && <p>{counted('table.elsewhere', selection.elsewhere)}</p>}
        {!reading && selection.changed > 0 && <p>{counted('table.changed', selection.changed)}</p>}
        {!reading && selection.size === mostSelected && total > mostSelected && (
          <p className="text-quiet">{t('table.mostSelected', { most: mostSelected, total })}</p>
        )}
        {error && (
          <p role="alert" className="text-danger">
            {t(sentenceOf(error))}
          </p>
        )}
      </div>
      {reading ? (
        <Button onClick={all.stop}>{t('bulk.stop')}</Button>
      ) : (
        <>
          {selection.size - selection.elsewhere < most && (
            <Button onClick={all.start}>
              <ListChecks size={15} aria-hidden />
              {t(total > mostSelected ? 'table.selectFirst' : 'table.selectAll', { count: most, number: number(most) })}
            </Button>
          )}
          {selection.elsewhere > 0 && selection.elsewhere < selection.size && (
            <Button onClick={selection.keepShown}>{t('table.keepShown')}</Button>
          )}
          <Button onClick={selection.clear}>
            <X size={14} aria-hidden />
            {t('table.selectNone')}
          </Button>
          <Button onClick={onExport}>
            <Download size={14} aria-hidden />
            {t('export.open')}
          </Button>
          <Button look="main" onClick={onEdit} disabled={selection.size === 0}>
            <PencilLine size={14} aria-hidden />
            {t('bulk.open')}
          </Button>
        </>
      )}
    </div>
  );
}
