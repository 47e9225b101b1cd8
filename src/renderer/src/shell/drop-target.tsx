import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useInstead } from '../components/loss-dialog.tsx';
import { useTexts } from '../messages/texts.tsx';
import { putFiles } from '../session/dropped-files.ts';
import { useLoss } from '../session/unsaved.ts';

/** Files that are dropped anywhere on the window are opened where they are imported; beneath a dialog nothing is. */
export function DropTarget() {
  const { t } = useTexts();
  const go = useNavigate();
  const [over, setOver] = useState(false);
  const { instead, question } = useInstead(useLoss());
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      const taken = !isUnderDialog();
      if (!taken && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
      setOver(taken);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0 || isUnderDialog()) return;
      instead(() => {
        putFiles(files);
        void go({ to: '/import', ignoreBlocker: true });
      });
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, [go, instead]);
  if (!over) return question;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-shade p-6">
      <p className="flex items-center gap-3 rounded-lg border-2 border-dashed border-accent bg-surface px-8 py-6 text-base font-semibold">
        <FileUp size={22} className="text-accent" aria-hidden />
        {t('import.dropHere')}
      </p>
    </div>
  );
}

/**
 * Whether a dialog is to be answered first: what it asks, or offers, is of the screen beneath it. What hangs on a button, as the
 * form of a condition, calls itself a dialog and closes when one goes on elsewhere.
 */
function isUnderDialog(): boolean {
  return document.querySelector('[role="dialog"]:not([data-radix-popper-content-wrapper] *)') !== null;
}
