import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router';
import { LossDialog } from '../components/loss-dialog.tsx';
import { useIsUnsaved } from '../session/unsaved.ts';

/** Asks before a screen is left with which something goes that was typed. */
export function LeaveQuestion() {
  const unsaved = useIsUnsaved();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isElsewhere,
    // The tab is watched for all screens together (session/unsaved.ts).
    enableBeforeUnload: false,
    disabled: !unsaved,
    withResolver: true,
  });
  return <LossDialog open={status === 'blocked'} onKeep={() => reset?.()} onLose={() => proceed?.()} />;
}

const isElsewhere: ShouldBlockFn = ({ current, next }) =>
  current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search);
