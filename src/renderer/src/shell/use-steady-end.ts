import { useEffect } from 'react';

/** What was scrolled last, as it stood then, in pixels. */
interface Scrolled {
  element: HTMLElement;
  top: number;
  height: number;
  /** How high the window is. */
  window: number;
  /** What its style has behind its end, and what stands empty there besides. */
  padding: number;
  room: number;
}

/**
 * Leaves what was scrolled to its end where it is when there is more room below it, since a line that said something has gone: the
 * browser would move all of it down, away from under a pointer that is just pressed. The room stays empty until it is scrolled. A
 * window that is made larger, or zoomed out, is to show more.
 */
export function useSteadyEnd(): void {
  useEffect(() => {
    let scrolled: Scrolled | null = null;
    const settle = () => {
      if (scrolled) scrolled = settled(scrolled);
    };
    const observer = new ResizeObserver(settle);
    const follow = ({ target }: Event) => {
      if (target !== scrolled?.element) {
        observer.disconnect();
        if (scrolled) setRoom(scrolled, 0);
        scrolled = target instanceof HTMLElement ? asItStands(target) : null;
        if (scrolled) observer.observe(scrolled.element);
      }
      settle();
    };
    document.addEventListener('scroll', follow, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('scroll', follow, { capture: true });
    };
  }, []);
}

function asItStands(element: HTMLElement): Scrolled {
  const padding = Number.parseFloat(getComputedStyle(element).paddingBottom);
  return { element, ...placeOf(element), padding, room: 0 };
}

function placeOf({ scrollTop, clientHeight }: HTMLElement): Pick<Scrolled, 'top' | 'height' | 'window'> {
  return { top: scrollTop, height: clientHeight, window: innerHeight };
}

function settled(before: Scrolled): Scrolled {
  const { element, top, height } = before;
  const moved = top - element.scrollTop;
  const beyond = element.scrollHeight - element.clientHeight - element.scrollTop;
  const isByGrowth = moved > 0 && moved <= element.clientHeight - height && beyond < 1 && before.window === innerHeight;
  const room = isByGrowth ? before.room + moved : Math.max(0, before.room - beyond);
  setRoom(before, room);
  if (isByGrowth) element.scrollTop = top;
  return { ...before, ...placeOf(element), room };
}

function setRoom({ element, padding, room: before }: Scrolled, room: number): void {
  if (room !== before) element.style.paddingBottom = room > 0 ? `${padding + room}px` : '';
}
