import { type RefObject, useEffect, useRef } from 'react';

/**
 * Whether Enter has come before it was known what there is: `take` is called once nothing is waited for any more. The caller
 * sets it, and takes it back where something else is done meanwhile.
 */
export function useEarlyEnter(waits: boolean, take: () => void): RefObject<boolean> {
  const early = useRef(false);
  // Each time: what there is comes late, also after the field was left.
  useEffect(() => {
    if (!early.current || waits) return;
    early.current = false;
    take();
  });
  return early;
}
