import { useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type BulkProgress, type Changed, changeAll, undoAll } from './bulk.ts';
import { type BulkDraft, BulkForm, changeOf, noDraft } from './bulk-form.tsx';
import { BulkReport } from './bulk-report.tsx';
import type { Selection } from './selection.ts';

interface BulkDialogProps {
  collection: string;
  selection: Selection;
  /** Names that can be chosen from. */
  properties: readonly string[];
  open: boolean;
  onClose(): void;
}

/** What is under way or done: the change of all, or its undoing. */
interface Run {
  undoing: boolean;
  total: number;
  busy: boolean;
  progress: BulkProgress;
}

const begun: BulkProgress = { done: 0, changed: [], failed: [] };

/**
 * One change for all that is selected: a property, a relationship, or their deletion. Each becomes a version of its own, and
 * all of it can be undone before the dialog is closed.
 */
export function BulkDialog({ collection, selection, properties, open, onClose }: BulkDialogProps) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<BulkDraft>(noDraft);
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef(false);
  const change = changeOf(draft);

  const start = async (
    undoing: boolean,
    total: number,
    work: (watch: Parameters<typeof undoAll>[2]) => Promise<BulkProgress>,
  ) => {
    stop.current = false;
    setRun({ undoing, total, busy: true, progress: begun });
    const progress = await work({
      onProgress: (standing) => setRun({ undoing, total, busy: true, progress: standing }),
      stopped: () => stop.current,
    });
    setRun({ undoing, total, busy: false, progress });
    void queries.invalidateQueries();
  };
  const apply = () => {
    if (!change) return;
    const { rows } = selection;
    void start(false, rows.length, (watch) => changeAll(rows, change, draft.note, watch));
  };
  const undo = (changed: readonly Changed[]) =>
    void start(true, changed.length, (watch) => undoAll(changed, t('bulk.undoNote'), watch));
  const close = () => {
    // What is under way is stopped first, so that it can be seen how far it came.
    stop.current = true;
    if (run?.busy) return;
    if (run) {
      setRun(null);
      setDraft(noDraft);
      selection.clear();
    }
    onClose();
  };
  const total = run?.total ?? selection.size;
  const undoable = run && !run.busy && !run.undoing && run.progress.changed.length > 0;
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t(run?.undoing ? 'bulk.undoTitle' : 'bulk.title', { count: total, number: number(total) })}
      about={t('bulk.about')}
      actions={
        <>
          {undoable && (
            <Button onClick={() => undo(run.progress.changed)}>
              <Undo2 size={14} aria-hidden />
              {t('action.undo')}
            </Button>
          )}
          <Button onClick={close} {...(run && !run.busy ? { look: 'main' as const, autoFocus: true } : {})}>
            {t(run?.busy ? 'bulk.stop' : run ? 'dialog.close' : 'action.cancel')}
          </Button>
          {!run && (
            <Button look={draft.kind === 'delete' ? 'danger' : 'main'} disabled={!change} onClick={apply}>
              {t(`bulk.${draft.kind}`)}
            </Button>
          )}
        </>
      }
    >
      {run ? (
        <BulkReport progress={run.progress} total={run.total} busy={run.busy} undoing={run.undoing} />
      ) : (
        <BulkForm draft={draft} onChange={setDraft} collection={collection} properties={properties} />
      )}
    </Dialog>
  );
}
