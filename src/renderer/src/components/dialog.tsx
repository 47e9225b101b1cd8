import { useEffect } from 'react';
import { type Loss, useUnsaved } from '../session/unsaved.ts';
import { DialogFrame, type DialogFrameProps } from './dialog-frame.tsx';
import { useInstead } from './loss-dialog.tsx';

interface DialogProps extends Omit<DialogFrameProps, 'stays'> {
  /** What goes with it, if anything does: a click beside it is not heard, and before it is closed or left, it is asked for. */
  unsaved?: Loss | false;
}

/** A window over the page; what was typed into it goes only when that is wanted. */
export function Dialog({ unsaved = false, ...frame }: DialogProps) {
  const loss = (frame.open && unsaved) || null;
  useUnsaved(loss !== null, loss ?? undefined);
  const { instead, question, forget } = useInstead(loss);
  // Where what was under way has ended, and it has closed, there is nothing left to be asked.
  useEffect(() => {
    if (!frame.open) forget();
  }, [frame.open, forget]);
  return (
    <>
      <DialogFrame {...frame} stays={loss !== null} onClose={() => instead(frame.onClose)} />
      {question}
    </>
  );
}
