import { nameEnd } from '../../../components/name-end.ts';

const longest = 128;

/** The key for a file of this name: the end of the name, and a number where that is taken, as in `scan (2).jpg`. */
export function freeKey(name: string, taken: readonly string[]): string {
  const ending = /(?<=.)\.[^.]{1,20}$/.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  for (let number = 1; ; number++) {
    const tail = number === 1 ? ending : ` (${number})${ending}`;
    const key = nameEnd(stem, longest - tail.length) + tail;
    if (!taken.includes(key)) return key;
  }
}
