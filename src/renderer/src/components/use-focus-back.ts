import { useRef } from 'react';
import { contentId, focusContentIfFree } from '../shell/arrival.ts';

/**
 * Gives what a dialog is to call when it has closed: the focus goes back to where it was as it opened, so that typing goes on
 * there, unless something has taken it meanwhile.
 */
export function useFocusBack(open: boolean): (event: Event) => void {
  const wasOpen = useRef(false);
  const before = useRef<HTMLElement | null>(null);
  const screen = useRef('');
  // While it is rendered: what is in the dialog may take the focus before anything is told.
  if (open && !wasOpen.current) [before.current, screen.current] = [focused(), location.pathname];
  wasOpen.current = open;
  return (event) => {
    // Else it would go to the dialog's own button, which none has.
    event.preventDefault();
    const at = focused();
    // What asked before this was closed has given it to the whole screen, as its own place has gone. Another screen has taken it.
    const isGiven = at?.id === contentId && location.pathname === screen.current;
    if (at === null || isGiven) before.current?.focus();
    // That may be disabled by now.
    focusContentIfFree();
  };
}

/** What has the focus; of an item of a menu, which goes as it is chosen, the button that opened the menu. */
function focused(): HTMLElement | null {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return null;
  const button = element.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return button ? document.getElementById(button) : element;
}
