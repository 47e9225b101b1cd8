import { type RefObject, useEffect, useRef } from 'react';

/** Where the view becomes lower, as for the bar of a selection, what ends at `bottom` within it stays in sight if it was. */
export function useStayInSight(view: RefObject<HTMLElement | null>, bottom: number): void {
  const end = useRef(bottom);
  end.current = bottom;
  useEffect(() => {
    const { current } = view;
    if (!current) return;
    let before = current.clientHeight;
    const observer = new ResizeObserver(() => {
      const height = current.clientHeight;
      const at = end.current - current.scrollTop;
      if (at <= before && at > height) current.scrollTop += at - height;
      before = height;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [view]);
}
