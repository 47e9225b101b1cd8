import type { Json } from '../../entity/model/json.ts';
import { numberOf } from '../../entity/model/kinds.ts';

/** What a property can be compared with. */
export type RouteValue = string | number | boolean | null;

/** A value as it is typed. `as`: what was chosen for it to be, a text or what else it says; null where nothing was. */
export interface TypedValue {
  text: string;
  as: 'text' | 'plain' | null;
}

const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Numbers as they are usually written; 007 and +49 are rather names of something. */
const usual = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** What a text says beside itself: a number that can be kept exactly, yes, no or nothing; undefined if none of these. */
export function plainOf(text: string): number | boolean | null | undefined {
  const word = words.get(text);
  return word === undefined ? (numberOf(text) ?? undefined) : word;
}

/** The value that is meant. */
export function meantBy({ text, as }: TypedValue): RouteValue {
  const plain = plainOf(text);
  if (plain === undefined || as === 'text') return text;
  return as === 'plain' || typeof plain !== 'number' || usual.test(text) ? plain : text;
}

/** A value as it would be typed. */
export function typedOf(value: RouteValue): TypedValue {
  const text = String(value);
  if (meantBy({ text, as: null }) === value) return { text, as: null };
  return { text, as: typeof value === 'string' ? 'text' : 'plain' };
}

/** Whether a field of one line shows all of a value. */
export function isTypable(value: Json): value is RouteValue {
  return typeof value === 'string' ? !/[\r\n]/.test(value) : typeof value !== 'object' || value === null;
}
