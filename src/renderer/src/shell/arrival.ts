import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Where the screens are; keys begin there. */
export const contentId = 'content';

/** Lets Tab begin with what is new, unless something of it has taken the focus itself. */
export function focusContent(): void {
  const content = document.getElementById(contentId);
  if (content?.contains(document.activeElement) || document.querySelector('[role="dialog"]')) return;
  content?.focus({ preventScroll: true });
}

/** The same where something has changed by itself: whoever is at something else by then is not taken away from it. */
export function focusContentIfFree(): void {
  if (document.activeElement === document.body) focusContent();
}

/** Without this, whoever comes to a screen by keys has the whole navigation to go through before it. */
export function useFocusOnArrival(): void {
  const place = useRouterState({
    select: ({ resolvedLocation: at }) => at && `${at.pathname} ${at.search.network ?? ''}`,
  });
  const before = useRef(place);
  useEffect(() => {
    if (before.current !== undefined && before.current !== place) focusContent();
    before.current = place;
  }, [place]);
}
