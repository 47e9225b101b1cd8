import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useKeptInSight } from './use-kept-in-sight.ts';

interface SaveBarProps {
  note: string;
  /** Null where nothing is changed that a note could be about. */
  onNote: ((note: string) => void) | null;
  onSave(): void;
  onDiscard(): void;
  busy: boolean;
  /** Whether something stands in a field that cannot be saved. */
  fault: boolean;
  /** Whether what would be saved is deleted. */
  gone: boolean;
  /** What came in the way. */
  children?: ReactNode;
}

/** Stands below as long as something is not saved: nothing is saved by itself. */
export function SaveBar({ note, onNote, onSave, onDiscard, busy, fault, gone, children }: SaveBarProps) {
  const { t } = useTexts();
  const bar = useKeptInSight();
  return (
    <section
      ref={bar}
      aria-label={t('save.label')}
      className="sticky bottom-0 z-20 space-y-2 border-t border-line bg-surface px-5 py-2.5"
    >
      {children}
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="font-medium">
          {t(fault ? 'save.fault' : 'save.unsaved')}
        </span>
        {onNote && (
          <Input
            aria-label={t('save.note')}
            placeholder={t('save.notePlaceholder')}
            value={note}
            onChange={({ target }) => onNote(target.value)}
            className="min-w-40 flex-1"
          />
        )}
        <Button onClick={onDiscard} disabled={busy}>
          {t('save.discard')}
        </Button>
        <Button look="main" onClick={onSave} disabled={busy || fault || gone}>
          {t('save.save')}
          <KeyCaps keys="Mod+s" />
        </Button>
      </div>
    </section>
  );
}
