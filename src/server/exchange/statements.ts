import type { Json, JsonObject, Relationship } from '../model/manifest.ts';
import { isObject } from '../model/objects.ts';

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

/** A source in few bytes: its form, then four for each of its statements, 1 to 401 in all. */
export function remembered(source: Sayings): Uint8Array {
  const hashes = hashesOf(source);
  const kept = hashes.length > maxRemembered ? [sumOf(hashes)] : hashes;
  const kind = hashes.length > maxRemembered ? form.whole : isCopied(source) ? form.label : form.each;
  const memory = Buffer.alloc(1 + 4 * kept.length);
  memory.writeUInt8(kind);
  for (const [i, hash] of kept.entries()) memory.writeInt32LE(hash, 1 + 4 * i);
  return memory;
}

/** What `other` says and a remembered source did not. */
export function beyondRemembered(memory: Uint8Array, other: Sayings): Beyond {
  const { kind, hashes: known } = recalled(memory);
  if (kind !== form.whole) return missing(other, (hash) => known.includes(hash));
  const hashes = hashesOf(other);
  return hashes.length === (isCopied(other) ? 1 : 0) || known.includes(sumOf(hashes)) ? null : [];
}

/** Whether a remembered source said something that `other` does not. */
export function saidMore(memory: Uint8Array, other: Sayings): boolean {
  const { kind, hashes: known } = recalled(memory);
  const hashes = hashesOf(other);
  const said = new Set(kind === form.whole ? [sumOf(hashes)] : hashes);
  return known.slice(0, kind === form.label ? -1 : undefined).some((hash) => !said.has(hash));
}

function recalled(memory: Uint8Array): { kind: number; hashes: number[] } {
  const { buffer, byteOffset, byteLength } = memory;
  const view = new DataView(buffer, byteOffset, byteLength);
  const hashes: number[] = [];
  for (let at = 1; at < byteLength; at += 4) hashes.push(view.getInt32(at, true));
  return { kind: view.getUint8(0), hashes };
}

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
    label === sourceId || Object.keys(properties).some((name) => name !== 'label' && isSame(properties[name], label))
  );
}

function isSame(value: Json | undefined, label: Json): boolean {
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
