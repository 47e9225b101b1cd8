import { useRef } from 'react';

/**
 * Begins a piece of work unless it is under way. What a mutation says of itself comes with the next drawing of the page:
 * a key that is pressed twice before that would begin it twice. What goes wrong is told by the work itself.
 */
export function useOnce(): (work: () => Promise<unknown>) => void {
  const busy = useRef(false);
  return (work) => {
    if (busy.current) return;
    busy.current = true;
    const done = () => {
      busy.current = false;
    };
    work().then(done, done);
  };
}
