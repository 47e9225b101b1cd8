import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const pause = 250;

/**
 * What is typed into a field that the address follows, a moment after the last key: trimmed unless `asIs`. `say` writes it there.
 * The field follows the address in its turn, but not what it said itself: more may have been typed since.
 */
export function useTypedAddress(
  q: string,
  say: (q: string | undefined) => void,
  asIs = false,
): [typed: string, type: (text: string) => void] {
  const router = useRouter();
  const [typed, setTyped] = useState(q);
  const said = useRef(q);
  const seen = useRef(q);
  useEffect(() => {
    const isNew = q !== seen.current;
    seen.current = q;
    if (isNew && q !== said.current) {
      // What stood in the field is not said once more, however long the next drawing takes.
      said.current = q;
      setTyped(q);
      return;
    }
    const text = asIs ? typed : typed.trim();
    if (text === said.current) return;
    const timer = setTimeout(() => {
      // Who is on the way to another screen stays on it.
      if (router.latestLocation.pathname !== router.state.resolvedLocation?.pathname) return;
      said.current = text;
      say(text || undefined);
    }, pause);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped];
}
