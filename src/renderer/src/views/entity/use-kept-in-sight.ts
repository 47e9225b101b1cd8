import { type RefObject, useLayoutEffect, useRef } from 'react';
import { contentId } from '../../shell/arrival.ts';

/** In pixels: a field with its label. */
const leastRoom = 96;

/**
 * For a bar that stays in sight at the lower end of the screen. What has the focus is not left behind it, however high it becomes, and
 * where it would leave nothing else to be seen it stands after all else.
 */
export function useKeptInSight(): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const bar = ref.current;
    const content = document.getElementById(contentId);
    if (!bar || !content) return;
    const place = () => {
      const room = content.clientHeight - bar.offsetHeight;
      const isKept = room >= leastRoom;
      bar.style.position = isKept ? '' : 'static';
      content.style.scrollPaddingBottom = isKept ? `${bar.offsetHeight}px` : '';
      const { activeElement: at } = document;
      if (isKept && at && content.contains(at) && isBehind(at, bar, room)) at.scrollIntoView({ block: 'nearest' });
    };
    const observer = new ResizeObserver(place);
    observer.observe(bar);
    observer.observe(content);
    place();
    return () => {
      observer.disconnect();
      content.style.scrollPaddingBottom = '';
    };
  }, []);
  return ref;
}

/** Whether a part of an element of which all could be seen stands behind a bar. */
function isBehind(element: Element, bar: Element, room: number): boolean {
  const [{ top, bottom, height }, edges] = [element.getBoundingClientRect(), bar.getBoundingClientRect()];
  return !bar.contains(element) && height <= room && bottom > edges.top && top < edges.bottom;
}
