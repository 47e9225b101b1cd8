import { useRef } from 'react';

interface StepIds {
  idOf(name: string): number;
  rename(from: string, to: string): void;
}

/** What steps keep under other names: by it the form of one that is renamed stays, and the focus in it. */
export function useStepIds(): StepIds {
  const ids = useRef(new Map<string, number>());
  const idOf = (name: string) => {
    const id = ids.current.get(name) ?? ids.current.size;
    ids.current.set(name, id);
    return id;
  };
  // They change places: no two names ever have the same one.
  const rename = (from: string, to: string) => {
    const [id, other] = [idOf(from), idOf(to)];
    ids.current.set(to, id).set(from, other);
  };
  return { idOf, rename };
}
