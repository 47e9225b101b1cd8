import { useEffect, useState } from 'react';

/** A value as it was a moment ago, so that not every key asks the node. */
export function useSettled<T>(value: T, milliseconds = 180): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
