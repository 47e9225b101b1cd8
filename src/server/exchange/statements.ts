import type { Json, JsonObject, Relationship } from '../model/manifest.ts';
import { isObject } from './paths.ts';

/** What a source says of an entity; a manifest says it too. */
export interface Sayings {
  sourceId: string;
  properties: JsonObject;
  relationships: readonly Relationship[];
}

/**
 * What one source says of an entity beyond what stands, by the names of properties and of relationships' predicates,
 * at most `maxNames` of them; empty where only that there is something is known. Null where there is nothing.
 */
export type Beyond = string[] | null;

export const maxNames = 5;
/** So many statements of an entity are remembered one by one; of more only that they are the same ones. */
const maxRemembered = 100;

/** What `other` says and `stands` does not. One that says less of the entity says nothing beyond it. */
export function beyond(stands: Sayings, other: Sayings): Beyond {
  const known = new Set(hashesOf(stands));
  return missing(other, (hash) => known.has(hash));
}

function missing(other: Sayings, isKnown: (hash: number) => boolean): Beyond {
  const names = new Set<string>();
  eachStatement(other, (hash, name, isLabel) => {
    if (names.size < maxNames && !isKnown(hash) && !(isLabel && isCopied(other))) names.add(name);
  });
  return names.size === 0 ? null : [...names];
}

/** How a remembered source is told: `each` by its statements, `label` the same with a copied label as the last, `whole` by one sum. */
const form = { each: 0, label: 1, whole: 2 };

/** A source in few bytes: its form, then two UTF-16 units for each of its statements, 8 to 400 bytes in all. */
export function remembered(source: Sayings): string {
  const hashes = hashesOf(source);
  const kept = hashes.length > maxRemembered ? [sumOf(hashes)] : hashes;
  const kind = hashes.length > maxRemembered ? form.whole : isCopied(source) ? form.label : form.each;
  return String.fromCharCode(kind, ...kept.flatMap((hash) => [hash >>> 16, hash & 0xffff]));
}

/** What `other` says and a remembered source did not. */
export function beyondRemembered(memory: string, other: Sayings): Beyond {
  if (memory.charCodeAt(0) !== form.whole) return missing(other, (hash) => holds(memory, hash));
  const hashes = hashesOf(other);
  return hashes.length === (isCopied(other) ? 1 : 0) || holds(memory, sumOf(hashes)) ? null : [];
}

/** Whether a remembered source said something that `other` does not. */
export function saidMore(memory: string, other: Sayings): boolean {
  const hashes = hashesOf(other);
  const kind = memory.charCodeAt(0);
  const known = new Set(kind === form.whole ? [sumOf(hashes)] : hashes);
  const end = memory.length - (kind === form.label ? 2 : 0);
  for (let i = 1; i < end; i += 2) if (!known.has(hashAt(memory, i))) return true;
  return false;
}

function holds(memory: string, hash: number): boolean {
  for (let i = 1; i < memory.length; i += 2) if (hashAt(memory, i) === hash) return true;
  return false;
}

const hashAt = (memory: string, i: number): number => (memory.charCodeAt(i) << 16) | memory.charCodeAt(i + 1);

const sumOf = (hashes: readonly number[]): number => hashes.reduce((sum, hash) => (sum + hash) | 0, 0);

function hashesOf(source: Sayings): number[] {
  const hashes: number[] = [];
  eachStatement(source, (hash) => hashes.push(hash));
  return hashes;
}

/** One for each property that holds something, one for each relationship and for each of its properties; the label last. */
function eachStatement(
  { properties, relationships }: Sayings,
  say: (hash: number, name: string, isLabel: boolean) => void,
): void {
  for (const { predicate, peer, properties: more } of relationships) {
    const link = textHash(peer, textHash(predicate, 1));
    say(link, predicate, false);
    for (const [name, value] of Object.entries(more ?? {}))
      say(textHash(name, jsonHash(value) ^ link), predicate, false);
  }
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (name !== 'label' && holdsSomething(value)) say(textHash(name, jsonHash(value)), name, false);
  }
  if (holdsSomething(properties.label)) say(textHash('label', jsonHash(properties.label)), 'label', true);
}

function holdsSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== '';
}

/** Whether the label is the id or another property once more, which adds nothing to them. */
function isCopied({ sourceId, properties }: Sayings): boolean {
  const { label } = properties;
  if (!holdsSomething(label)) return false;
  return (
    label === sourceId || Object.keys(properties).some((name) => name !== 'label' && isText(properties[name], label))
  );
}

function isText(value: Json | undefined, label: Json): boolean {
  return value === label || (typeof value === 'number' && String(value) === label);
}

/**
 * 32 bits of a JSON value, the same whatever the order of its members, and for a number and its text, as for ids: to tell
 * values apart, not to trust them.
 */
function jsonHash(value: Json): number {
  if (typeof value === 'string' || typeof value === 'number') return textHash(String(value), 2);
  if (Array.isArray(value)) return value.reduce<number>((hash, one) => mixed(Math.imul(hash, 31) + jsonHash(one)), 3);
  if (!isObject(value)) return textHash(String(value), 4);
  let sum = 5;
  for (const [name, inner] of Object.entries(value)) sum = (sum + textHash(name, jsonHash(inner))) | 0;
  return mixed(sum);
}

/** FNV-1a over the UTF-16 units. */
function textHash(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash);
}

/** The last step of MurmurHash3: every bit depends on every other. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
