import { useRef } from 'react';

/**
 * Begins a piece of work unless it is under way. What a mutation says of itself comes with the next drawing of the page:
 * a key that is pressed twice before that would begin it twice. What goes wrong is told by the work itself. `what` tells it from
 * other work, which is begun all the same.
 */
export function useOnce(): (work: () => Promise<unknown>, what?: string) => void {
  const busy = useRef(new Set<string>());
  return (work, what = '') => {
    if (busy.current.has(what)) return;
    busy.current.add(what);
    const done = () => busy.current.delete(what);
    work().then(done, done);
  };
}
