/** Keys in ascending order, each once. */
export function ascending(keys: number[]): readonly number[] {
  let [isOrdered, isUnique] = [true, true];
  for (let i = 1; i < keys.length; i++) {
    const [before, key] = [keys[i - 1] as number, keys[i] as number];
    if (key < before) isOrdered = false;
    if (key === before) isUnique = false;
  }
  const sorted = isOrdered ? keys : [...Float64Array.from(keys).sort()];
  if (isOrdered && isUnique) return sorted;
  return sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
}

/** The keys that two ascending lists have in common. Steps through the shorter one, and leaps through the other one. */
export function* inBoth(a: readonly number[], b: readonly number[]): Generator<number> {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  let at = 0;
  for (let i = 0; i < few.length; i++) {
    const key = few[i] as number;
    at = firstFrom(many, key, at);
    if (at === many.length) return;
    if (many[at] === key) yield key;
  }
}

/** The first `count` keys above `after` of an ascending list. */
export function keysAfter(keys: readonly number[], after: number, count: number): number[] {
  const from = firstFrom(keys, after + 1, 0);
  return keys.slice(from, from + count);
}

/** The place of the first key that is not below `key`, sought from a place on in leaps that double. */
function firstFrom(keys: readonly number[], key: number, from: number): number {
  let leap = 1;
  let low = from;
  while (low + leap < keys.length && (keys[low + leap] as number) < key) {
    low += leap;
    leap *= 2;
  }
  let high = Math.min(low + leap, keys.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Parts that grow from one size to another. */
export function* paged<T>(nodes: Iterable<T>, first: number, last: number): Generator<T[]> {
  let page: T[] = [];
  let size = first;
  for (const node of nodes) {
    page.push(node);
    if (page.length < size) continue;
    yield page;
    page = [];
    size = Math.min(2 * size, last);
  }
  if (page.length > 0) yield page;
}
