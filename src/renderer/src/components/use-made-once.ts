import { useEffect, useRef } from 'react';
import { currentNetwork } from '../api/client.ts';
import { deleteUntouched } from '../api/delete-untouched.ts';
import { newEntityId } from '../api/entity-id.ts';
import { Failure } from '../api/failure.ts';

/**
 * Ids for what a dialog makes: `idFor` gives the same one for the same wish until `forget`, so that it is made once, whichever
 * answer was lost. A wish that was changed since replaces what may have been made of the one before. `isAwaited` says whether
 * the dialog is still there for what was made, not closed since, nor left.
 */
export function useMadeOnce() {
  const last = useRef<{ id: string; wish: string }>(undefined);
  const forget = () => {
    last.current = undefined;
  };
  useEffect(
    () => () => {
      last.current = undefined;
    },
    [],
  );
  const isAwaited = (id: string) => last.current?.id === id;
  const idFor = async (body: object): Promise<string> => {
    const wish = JSON.stringify(body);
    const before = last.current;
    if (before?.wish === wish) return before.id;
    if (before) await deleteUntouched(before.id).catch(unlessAway);
    const id = newEntityId(currentNetwork());
    // Where the dialog was closed meanwhile, nobody waits for this one there.
    if (last.current === before) last.current = { id, wish };
    return id;
  };
  return { idFor, forget, isAwaited };
}

/** What was never made, or may not be deleted, keeps nobody from making another. */
function unlessAway(error: unknown): void {
  if (error instanceof Failure && ['missing', 'gone', 'forbidden', 'conflict', 'invalid'].includes(error.kind)) return;
  throw error;
}
