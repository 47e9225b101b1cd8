import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For the line that the keys are at: it is scrolled to when it has become another one. Where one begins, at the first line,
 * nothing is scrolled.
 */
export function useIntoView<T extends HTMLElement>(active: unknown): RefObject<T | null> {
  const line = useRef<T>(null);
  const begun = useRef(false);
  // Before the router goes where whoever comes back has scrolled to, so that this is what they see.
  useLayoutEffect(() => {
    const isBeginning = !begun.current && active === 0;
    begun.current = true;
    // Newer browsers answer with a promise, which an effect must not.
    if (!isBeginning) void line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return line;
}
