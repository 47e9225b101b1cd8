import { type RefObject, useEffect, useRef } from 'react';

/** For the line that the keys are at: it is scrolled to when it has become another one. */
export function useIntoView<T extends HTMLElement>(active: unknown): RefObject<T | null> {
  const line = useRef<T>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which line it is is all that counts
  useEffect(() => {
    // Newer browsers answer with a promise, which an effect must not.
    void line.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return line;
}
