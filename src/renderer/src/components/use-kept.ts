import { type ParsedLocation, useRouter } from '@tanstack/react-router';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

// By place in the history and name. The tab forgets them with its page, and those of places that were left long ago.
const kept = new Map<string, unknown>();
const most = 200;

function nameAt({ state }: ParsedLocation, name: string): string {
  return `${state.__TSR_key ?? ''} ${name}`;
}

/**
 * Keeps something of a screen with its place in the history: gives what was kept there when it was left last, if whoever is
 * here has come back by the browser's ways back and forth. `now` is asked when it is left.
 */
export function useKept<T>(name: string, now: () => T): T | undefined {
  const router = useRouter();
  const [before] = useState(() => kept.get(nameAt(router.latestLocation, name)) as T | undefined);
  const latest = useRef(now);
  latest.current = now;
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
        if (!fromLocation) return;
        const at = nameAt(fromLocation, name);
        kept.delete(at);
        kept.set(at, latest.current());
        const [oldest] = kept.keys();
        if (kept.size > most && oldest !== undefined) kept.delete(oldest);
      }),
    [router, name],
  );
  return before;
}

/** A state that is kept so. `renewed`: what has become of it while it was left, where that is known. */
export function useKeptState<T>(
  name: string,
  initial: T,
  renewed: (before: T) => T = (before) => before,
): [T, Dispatch<SetStateAction<T>>] {
  const latest = useRef(initial);
  const before = useKept(name, () => latest.current);
  const [state, setState] = useState(() => (before === undefined ? initial : renewed(before)));
  latest.current = state;
  return [state, setState];
}
