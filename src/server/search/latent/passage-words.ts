import type { Passage } from '../embedder.ts';
import { words } from '../tokens.ts';

/** How often a word of a title counts. */
const titleWeight = 6;
const digit = /\p{N}/u;

/**
 * The words of a passage and how much each counts in it. What holds digits is left out: sizes, dates and numbers of
 * inventories bring together what has nothing else in common.
 */
export function passageWords({ title, text }: Passage): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (part: string, weight: number): void => {
    for (const word of words(part)) if (!digit.test(word)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add(title, titleWeight);
  add(text, 1);
  for (const [word, n] of counts) counts.set(word, 1 + Math.log(n));
  return counts;
}
