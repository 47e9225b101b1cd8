import type { Reader } from '../store/connection.ts';
import { frequencyOf } from '../store/search/search-hits.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What a search by words needs of the index. */
export interface Lexicon {
  /** Indexed entities. */
  size: number;
  vocabulary: Vocabulary;
  /** Frequencies looked up lately. */
  frequencies: Map<string, number>;
}

/** So many frequencies are remembered. */
const mostFrequencies = 50_000;

/** How many texts have a word. */
export function frequency(db: Reader, { frequencies }: Lexicon, word: string): number {
  const known = frequencies.get(word);
  if (known !== undefined) return known;
  const found = frequencyOf(db, word);
  if (frequencies.size >= mostFrequencies) frequencies.clear();
  frequencies.set(word, found);
  return found;
}
