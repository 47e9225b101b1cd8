import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { LossDialog } from '../components/loss-dialog.tsx';
import { type Loss, lossNow, useLoss } from '../session/unsaved.ts';

/** Asks before a screen is left with which something goes. */
export function LeaveQuestion() {
  const loss = useLoss();
  // What was under way may end while it is asked about.
  const last = useRef<Loss>('typed');
  last.current = loss ?? last.current;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isLost,
    // The tab is watched for all screens together (session/unsaved.ts).
    enableBeforeUnload: false,
    withResolver: true,
  });
  const open = status === 'blocked';
  return <LossDialog loss={last.current} open={open} onKeep={() => reset?.()} onLose={() => proceed?.()} />;
}

/** Looked at when it is left: what is under way since a moment goes with it, too. */
const isLost: ShouldBlockFn = ({ current, next }) =>
  lossNow() !== null &&
  (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search));
