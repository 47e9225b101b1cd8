import { PencilLine, X } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Selection } from './selection.ts';

/** What is selected, and what can be done with all of it. */
export function SelectionBar({ selection, onEdit }: { selection: Selection; onEdit(): void }) {
  const { t, number } = useTexts();
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line bg-accent-soft px-5 py-2">
      <span role="status" className="flex-1 font-medium">
        {t('table.selected', { count: selection.size, number: number(selection.size) })}
      </span>
      <Button onClick={selection.clear}>
        <X size={14} aria-hidden />
        {t('table.selectNone')}
      </Button>
      <Button look="main" onClick={onEdit}>
        <PencilLine size={14} aria-hidden />
        {t('bulk.open')}
      </Button>
    </div>
  );
}
