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
    if (last.current && last.current.wish !== wish) {
      await deleteUntouched(last.current.id).catch(unlessAway);
      forget();
    }
    last.current ??= { id: newEntityId(currentNetwork()), wish };
    return last.current.id;
  };
  return { idFor, forget, isAwaited };
}

/** What was never made, or may not be deleted, keeps nobody from making another. */
function unlessAway(error: unknown): void {
  if (error instanceof Failure && ['missing', 'gone', 'forbidden', 'conflict', 'invalid'].includes(error.kind)) return;
  throw error;
}
