import { useState } from 'react';
import type { Json } from '../model/json.ts';
import { type Kind, type Shown, shownAs, stays } from '../model/kinds.ts';

/** As what a value is edited that stands so many places deep; it stays that while it can, and can be chosen. */
export function useShown(value: Json, depth: number): [Shown, (kind: Kind) => void] {
  const [chosen, choose] = useState<Shown>(() => shownAs(value, depth));
  const shown = stays(chosen, value) ? chosen : shownAs(value, depth);
  if (shown !== chosen) choose(shown);
  return [shown, choose];
}
