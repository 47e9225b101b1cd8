import { useState } from 'react';
import type { Difference, Side } from './model/three-way.ts';
import { placeName } from './three-way-table.tsx';

/** So many are shown at first, and so many more each time that more are asked for: thousands at once take seconds. */
const first = 200;
const step = 300;

/** The differences that are shown, and how many that both changed are neither shown nor chosen: they stay as mine. */
export function useShownDifferences(differences: readonly Difference[], choices: Readonly<Record<string, Side>>) {
  const [most, setMost] = useState(first);
  const clashes = differences.filter(({ clash }) => clash);
  // What is to be chosen is left out only for more of that.
  const choosable = new Set(clashes.slice(0, most));
  return {
    shown: differences.filter((one, i) => i < most || choosable.has(one)),
    unseen: clashes.slice(most).filter(({ path }) => choices[placeName(path)] === undefined).length,
    showMore: () => setMost(most + step),
  };
}
