import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Loss } from '../../session/unsaved.ts';
import { type BulkChange, changing, undoing } from './bulk.ts';
import { type BulkDraft, changeOf, isTyped, noDraft } from './bulk-draft.ts';
import { BulkForm } from './bulk-form.tsx';
import { BulkReport } from './bulk-report.tsx';
import type { Selection } from './selection.ts';
import { type Run, useBulkRun } from './use-bulk-run.ts';

interface BulkDialogProps {
  collection: string;
  selection: Selection;
  /** Names that can be chosen from. */
  properties: readonly string[];
  open: boolean;
  onClose(): void;
}

/**
 * One change for all that is selected: a property, a relationship, or their deletion. Each becomes a version of its own, and
 * all of it can be undone before the dialog is closed. What was stopped, a change or an undoing, can be gone on with.
 */
export function BulkDialog({ collection, selection, properties, open, onClose }: BulkDialogProps) {
  const { t, number, counted } = useTexts();
  const [draft, setDraft] = useState<BulkDraft>(noDraft);
  const { run, start, goOn, stop, clear } = useBulkRun();
  const change = changeOf(draft, properties);
  const begin = (wanted: BulkChange) => {
    start(changing(selection.rows, wanted, draft.note));
    // They are no longer what was selected, however this is left.
    selection.clear();
  };
  const close = () => {
    // What is under way is stopped first, so that it can be seen how far it came.
    if (run?.busy) return stop();
    clear();
    setDraft(noDraft);
    onClose();
  };
  const total = run?.bulk.rows.length ?? selection.size;
  return (
    <Dialog
      open={open}
      onClose={close}
      unsaved={run ? lossOf(run) : isTyped(draft) && 'typed'}
      title={t(run?.bulk.undoing ? 'bulk.undoTitle' : 'bulk.title', { count: total, number: number(total) })}
      about={t('bulk.about')}
      actions={
        run ? (
          <RunActions
            run={run}
            onStop={stop}
            onGoOn={goOn}
            onUndo={() => start(undoing(run.progress.changed, t('bulk.undoNote')))}
            onClose={close}
          />
        ) : (
          <>
            <Button onClick={close}>{t('action.cancel')}</Button>
            <Button
              look={draft.kind === 'delete' ? 'danger' : 'main'}
              disabled={!change}
              onClick={() => change && begin(change)}
            >
              {t(`bulk.${draft.kind}`)}
            </Button>
          </>
        )
      }
    >
      {run ? (
        <BulkReport progress={run.progress} total={total} busy={run.busy} undoing={run.bulk.undoing} />
      ) : (
        <>
          {selection.elsewhere > 0 && (
            <p role="note" className="mb-3 font-medium">
              {counted('table.elsewhere', selection.elsewhere)}
            </p>
          )}
          <BulkForm draft={draft} onChange={setDraft} collection={collection} properties={properties} />
        </>
      )}
    </Dialog>
  );
}

/** What goes once it is closed: what is under way or left, or what is told and can be undone only here. */
function lossOf({ bulk, busy, progress: { left, failed, changed } }: Run): Loss | false {
  if (busy || left.length > 0) return 'bulk';
  return (failed.length > 0 || (!bulk.undoing && changed.length > 0)) && 'told';
}

interface RunActionsProps {
  run: Run;
  onStop(): void;
  onGoOn(): void;
  onUndo(): void;
  onClose(): void;
}

/** What can be done with a change while it is under way, and once it has ended. */
function RunActions({ run: { bulk, busy, progress }, onStop, onGoOn, onUndo, onClose }: RunActionsProps) {
  const { t } = useTexts();
  const isLeft = progress.left.length > 0;
  // Who stops it at its very end is not to close it by the same press.
  if (busy)
    return (
      <Button key="stop" onClick={onStop}>
        {t('bulk.stop')}
      </Button>
    );
  return (
    <>
      {!bulk.undoing && progress.changed.length > 0 && (
        <Button onClick={onUndo}>
          <Undo2 size={14} aria-hidden />
          {t('action.undo')}
        </Button>
      )}
      <Button onClick={onClose} {...(isLeft ? {} : { look: 'main' as const, autoFocus: true })}>
        {t('dialog.close')}
      </Button>
      {isLeft && (
        <Button look="main" autoFocus onClick={onGoOn}>
          {t('bulk.goOn')}
        </Button>
      )}
    </>
  );
}
