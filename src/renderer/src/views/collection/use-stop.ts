import { useEffect, useRef } from 'react';

/** Whether what is under way is to stop, as it is when its screen is left. */
export function useStop() {
  const stopped = useRef(false);
  const stop = () => {
    stopped.current = true;
  };
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );
  return {
    stop,
    isStopped: () => stopped.current,
    begin: () => {
      stopped.current = false;
    },
  };
}
