import { useId, useLayoutEffect, useSyncExternalStore } from 'react';
import { newListeners } from '../listeners.ts';

/** With which the names of drafts begin that lie in the tab's storage (entity/draft.ts). */
export const draftPrefix = 'draft ';

/** What goes with its screen, named after the words in which it is asked for (`loss.typed.title` and so on). */
export type Loss = 'typed' | 'bulk' | 'told' | 'import' | 'archive' | 'undo' | 'files' | 'key';

// What would be lost with the tab, by names: drafts, also those that were typed before the page was loaded again, and what
// goes with its screen.
const inTab = new Set<string>(storedDrafts());
const onScreen = new Map<string, Loss>();
const { subscribe, tell } = newListeners();

addEventListener('beforeunload', (event) => {
  if (inTab.size + onScreen.size > 0) event.preventDefault();
});

function storedDrafts(): string[] {
  try {
    return Object.keys(sessionStorage).filter((name) => name.startsWith(draftPrefix));
  } catch {
    return [];
  }
}

/** Says whether something is unsaved that outlives its screen, but not the tab. */
export function setUnsaved(name: string, unsaved: boolean): void {
  if (unsaved) inTab.add(name);
  else inTab.delete(name);
}

/** Says that something is unsaved, or under way, that goes with its screen: it is asked for before that is left. */
export function useUnsaved(unsaved: boolean, loss: Loss = 'typed'): void {
  const name = useId();
  // With what is shown of it: a key may come right after that.
  useLayoutEffect(() => {
    if (!unsaved) return;
    onScreen.set(name, loss);
    tell();
    return () => {
      onScreen.delete(name);
      tell();
    };
  }, [unsaved, loss, name]);
}

/** What goes with the screen, of several what came last; null where nothing does. */
export function lossNow(): Loss | null {
  return [...onScreen.values()].at(-1) ?? null;
}

/** The same, followed. */
export function useLoss(): Loss | null {
  return useSyncExternalStore(subscribe, lossNow);
}
