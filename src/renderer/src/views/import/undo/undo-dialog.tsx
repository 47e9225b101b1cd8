import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { AndMore } from '../../../components/and-more.tsx';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Progress } from '../../../components/progress.tsx';
import { toast } from '../../../components/toasts.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { type Made, type UndoProgress, undoImport } from './undo-import.ts';

/** Says what an undo deletes and what it keeps, then does it. */
export function UndoDialog({ made, open, onClose }: { made: Made; open: boolean; onClose(): void }) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<UndoProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const { untouched, changed, deleted, changed_examples, collection_goes } = made;
  const run = async () => {
    stop.current = new AbortController();
    setError(null);
    setProgress({ deleted: 0, total: untouched });
    try {
      const undone = await undoImport(made.import.id, stop.current.signal, setProgress);
      toast(t('undo.done', { count: undone.deleted, number: number(undone.deleted) }));
      onClose();
    } catch (failed) {
      if (!stop.current.signal.aborted) setError(failed);
    } finally {
      setProgress(null);
      void queries.invalidateQueries();
    }
  };
  return (
    <Dialog
      open={open}
      onClose={() => {
        stop.current?.abort();
        onClose();
      }}
      unsaved={progress !== null && 'undo'}
      title={t('undo.title')}
      about={t(made.import.collection ? 'undo.about' : 'undo.aboutArchive')}
      actions={
        <>
          <Button
            onClick={() => {
              stop.current?.abort();
              if (!progress) onClose();
            }}
          >
            {t(progress ? 'import.stop' : 'action.cancel')}
          </Button>
          <Button
            look="danger"
            disabled={progress !== null || (untouched === 0 && !collection_goes)}
            onClick={() => void run()}
          >
            {t('undo.run', { count: untouched, number: number(untouched) })}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {progress && (
          <>
            <Progress label={t('undo.title')} done={progress.deleted} total={progress.total} />
            <p role="status">{t('bulk.ofAll', { done: progress.deleted, total: progress.total })}</p>
          </>
        )}
        {error !== null && <Problem error={error} retry={() => void run()} />}
        <ul className="list-disc space-y-1 pl-5">
          <li>{t('undo.deletes', { count: untouched, number: number(untouched) })}</li>
          {collection_goes && <li>{t('undo.collection', { name: made.import.collection?.label ?? '' })}</li>}
          {deleted > 0 && <li>{t('undo.deletedAlready', { count: deleted, number: number(deleted) })}</li>}
          <li>
            {changed === 0 ? t('undo.nothingKept') : t('undo.keeps', { count: changed, number: number(changed) })}
          </li>
        </ul>
        {changed_examples.length > 0 && <ChangedList changed={changed_examples} total={changed} />}
      </div>
    </Dialog>
  );
}

/** What has changed since an import, and therefore stays. */
export function ChangedList({ changed, total }: { changed: Made['changed_examples']; total: number }) {
  const { t } = useTexts();
  return (
    <>
      <ul aria-label={t('undo.kept')} className="max-h-48 overflow-auto rounded-md border border-line">
        {changed.map(({ id, label, ver, updated_at }) => (
          <li key={id} className="flex items-baseline gap-3 border-b border-line px-3 py-1.5 last:border-b-0">
            <Link to="/entities/$id/history" params={{ id }} className="min-w-0 flex-1 truncate text-accent underline">
              <bdi>{label || t('entity.noLabel')}</bdi>
            </Link>
            <span className="shrink-0 text-xs text-quiet">{t('entity.version', { ver })}</span>
            <span className="shrink-0 text-xs text-quiet">
              <Moment at={updated_at} />
            </span>
          </li>
        ))}
      </ul>
      <AndMore total={total} listed={changed.length} />
    </>
  );
}
