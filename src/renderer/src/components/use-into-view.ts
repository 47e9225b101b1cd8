import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For the line that the keys are at: it is scrolled to when it has become another one, and not when others come above it. Where one
 * begins, at the first line, nothing is scrolled. `id`: which line it is, where that is not told by its place.
 */
export function useIntoView<T extends HTMLElement>(place: unknown, id: unknown = place): RefObject<T | null> {
  const line = useRef<T>(null);
  const begun = useRef(false);
  const at = useRef(place);
  at.current = place;
  // Before the router goes where whoever comes back has scrolled to, so that this is what they see.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another line that is scrolled to
  useLayoutEffect(() => {
    const isBeginning = !begun.current && at.current === 0;
    begun.current = true;
    // Newer browsers answer with a promise, which an effect must not.
    if (!isBeginning) void line.current?.scrollIntoView({ block: 'nearest' });
  }, [id]);
  return line;
}
