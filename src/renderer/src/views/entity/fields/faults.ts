import { createContext, use, useCallback, useLayoutEffect, useState } from 'react';
import type { Path } from './form.ts';

/** Takes what a field says: that what stands at a place is no value, or is one again. */
export const FaultContext = createContext<((place: string, wrong: boolean) => void) | null>(null);

/** Says that what stands in a field is no value, while it is none and the field is there. */
export function useFault(path: Path, wrong: boolean): void {
  const fault = use(FaultContext);
  if (!fault) throw new Error('a field stands where nobody asks for its faults');
  const place = JSON.stringify(path);
  // With the sign that was typed, so that no key saves without it.
  useLayoutEffect(() => {
    if (!wrong) return;
    fault(place, true);
    return () => fault(place, false);
  }, [fault, place, wrong]);
}

/** Whether any field of a part of the form says so, and what they say it to, which passes it on. */
export function useFaultsWithin(): [boolean, (place: string, wrong: boolean) => void] {
  const above = use(FaultContext);
  const [faults, setFaults] = useState<ReadonlySet<string>>(new Set());
  const fault = useCallback(
    (place: string, wrong: boolean) => {
      above?.(place, wrong);
      setFaults((old) => new Set(wrong ? [...old, place] : [...old].filter((one) => one !== place)));
    },
    [above],
  );
  return [faults.size > 0, fault];
}

/** Whether any field below says so, and what they say it to; `onFault` is told, too. */
export function useFaults(onFault: (wrong: boolean) => void): [boolean, (place: string, wrong: boolean) => void] {
  const [faulty, fault] = useFaultsWithin();
  useLayoutEffect(() => {
    if (!faulty) return;
    onFault(true);
    return () => onFault(false);
  }, [faulty, onFault]);
  return [faulty, fault];
}
