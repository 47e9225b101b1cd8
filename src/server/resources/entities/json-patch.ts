import type { Json, JsonObject } from '../../model/manifest.ts';
import { isObject } from '../../model/objects.ts';
import { equalJson, orderedJson } from '../../model/properties.ts';
import type { PatchDiffView } from './wire.ts';

type Operation = PatchDiffView['patch'][number];

/** Beyond this many comparisons of items a list is replaced whole: which of them stay is found in a table of all pairs. */
const maxComparisons = 250_000;
/** What would take more operations is replaced whole: each names its place, so many of them are longer than what they change. */
const maxOperations = 25_000;

/** What makes one value of another (RFC 6902), at `path`; nothing where they are the same. */
export function jsonPatch(from: Json, to: Json, path: string): Operation[] {
  const whole = (): Operation[] => [{ op: 'replace', path, value: to }];
  const partly = (patch: Operation[] | null) => (patch === null || patch.length > maxOperations ? whole() : patch);
  if (Array.isArray(from) && Array.isArray(to)) return partly(listPatch(from, to, path));
  if (isObject(from) && isObject(to)) return partly(objectPatch(from, to, path));
  return equalJson(from, to) ? [] : whole();
}

function objectPatch(from: JsonObject, to: JsonObject, path: string): Operation[] {
  const at = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const gone = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const come = Object.entries(to).filter(([name]) => !Object.hasOwn(from, name));
  const kept = Object.entries(to).filter(([name]) => Object.hasOwn(from, name));
  return [
    ...gone.map((name): Operation => ({ op: 'remove', path: at(name) })),
    ...come.map(([name, value]): Operation => ({ op: 'add', path: at(name), value })),
    ...kept.flatMap(([name, value]) => jsonPatch(from[name] ?? null, value, at(name))),
  ];
}

/**
 * Between items that stay, those before are changed one by one into those after, as far as there are as many. Null where
 * that would be too much.
 */
function listPatch(from: Json[], to: Json[], path: string): Operation[] | null {
  const stays = staying(from, to);
  if (stays === null) return null;
  const patch: Operation[] = [];
  let [i, at] = [0, 0];
  for (const [next, then] of [...stays, [from.length, to.length] as const]) {
    for (; i < next && at < then; i++, at++)
      for (const one of jsonPatch(from[i] ?? null, to[at] ?? null, `${path}/${at}`)) patch.push(one);
    for (; i < next; i++) patch.push({ op: 'remove', path: `${path}/${at}` });
    for (; at < then; at++) patch.push({ op: 'add', path: `${path}/${at}`, value: to[at] });
    i++;
    at++;
  }
  return patch;
}

/** The places of the most items that stay in their order, in both lists; null where that would be too much to find out. */
function staying(from: Json[], to: Json[]): [number, number][] | null {
  // What is compared here is compared again a level below: lists within lists would each read all that is in them.
  if (from.length === 1 && to.length === 1) return [];
  const most = Math.min(from.length, to.length);
  const same = (i: number, j: number) => equalJson(from[i] ?? null, to[j] ?? null);
  let start = 0;
  while (start < most && same(start, start)) start++;
  const isOne = from.length - start === 1 && to.length - start === 1;
  let end = 0;
  while (!isOne && end < most - start && same(from.length - 1 - end, to.length - 1 - end)) end++;
  const middle = common(from.slice(start, from.length - end), to.slice(start, to.length - end));
  if (middle === null) return null;
  const run = (count: number, i: number, j: number) =>
    Array.from({ length: count }, (_, n): [number, number] => [i + n, j + n]);
  return [
    ...run(start, 0, 0),
    ...middle.map(([i, j]): [number, number] => [start + i, start + j]),
    ...run(end, from.length - end, to.length - end),
  ];
}

/** A longest common subsequence, by places; null likewise. */
function common(old: Json[], now: Json[]): [number, number][] | null {
  if (old.length * now.length > maxComparisons || Math.max(old.length, now.length) > maxOperations) return null;
  if (old.length === 0 || now.length === 0 || (old.length === 1 && now.length === 1)) return [];
  const numbers = new Map<string, number>();
  const numbered = (list: Json[]) =>
    list.map((item) => {
      const text = orderedJson(item);
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    });
  const [before, after] = [numbered(old), numbered(now)];
  const width = after.length + 1;
  /** How long it is of what is left from each pair of places on. */
  const left = new Uint32Array((before.length + 1) * width);
  const from = (i: number, j: number) => left[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      left[i * width + j] = before[i] === after[j] ? from(i + 1, j + 1) + 1 : Math.max(from(i + 1, j), from(i, j + 1));
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) pairs.push([i++, j++]);
    else if (from(i + 1, j) >= from(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
