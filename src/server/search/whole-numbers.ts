import type { Json } from '../model/manifest.ts';

/** So many different numbers of an entity: of places on pictures and the like there may be thousands. */
const maxNumbers = 500;
/** The numbers of longer lists are measurements, coordinates and the like. */
const longestList = 10;

/**
 * The whole numbers among the values of properties as they are written, those that stand least deep first: a year or an
 * inventory number stands by itself or in a short list. Of longer lists, and of lists within lists, none.
 */
export function wholeNumbers(values: readonly Json[], maxDepth: number): string[] {
  const levels = Array.from({ length: maxDepth + 1 }, () => new Set<string>());
  const walk = (value: Json, depth: number, isListed: boolean): void => {
    const level = levels[depth];
    if (!level) return;
    if (Number.isSafeInteger(value)) {
      if (level.size < maxNumbers) level.add(String(value));
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      const isSeries = isList && (isListed || value.length > longestList);
      for (const inner of Object.values(value))
        if (!isSeries || typeof inner === 'object') walk(inner, depth + 1, isList);
    }
  };
  for (const value of values) walk(value, 0, false);
  return [...new Set(levels.flatMap((level) => [...level]))].slice(0, maxNumbers);
}
