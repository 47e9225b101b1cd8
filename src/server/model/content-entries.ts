import type { JsonObject, Manifest } from './manifest.ts';
import { isObject } from './objects.ts';

/** `properties.content[key]`: bytes that an entity holds (wire-contract.md 4.4). A stored one may lack anything. */
export interface ContentEntry {
  cid: string;
  size: number;
  content_type: string;
  filename?: string;
  /** ISO 8601. */
  uploaded_at: string;
}

/** Bytes that are to be an entity's under a key, which may be taken where it is not to be a new one. */
export interface ContentArrival {
  id: string;
  key: string;
  isNew: boolean;
  content: ContentEntry;
  /** Whether they are here: else it is only asked whether they may come. */
  hasCome: boolean;
}

/** What a download needs to know beside the bytes; null where the version does not say. */
export interface HeldContent {
  cid: string;
  type: string | null;
  filename: string | null;
  size: number | null;
}

type Content = Pick<Manifest, 'type' | 'properties'>;

/** The entries of a version by key, in their order; those without a CID are left out. */
export function entriesOf({ properties }: Content): Map<string, JsonObject & { cid: string }> {
  const entries = new Map<string, JsonObject & { cid: string }>();
  if (isObject(properties.content))
    for (const [key, entry] of Object.entries(properties.content))
      if (isObject(entry) && typeof entry.cid === 'string') entries.set(key, { ...entry, cid: entry.cid });
  return entries;
}

/** Whether `properties.content` is something else than entries by key, such as a text of somebody's. */
export function isOtherContent({ properties }: Content): boolean {
  return properties.content !== undefined && !isObject(properties.content);
}

/**
 * The content under a key, or with a CID; without either the one that an entity has by itself: a file's own bytes, else
 * the entry that came last.
 */
export function heldContent(version: Content, wanted: { key?: string; cid?: string }): HeldContent | undefined {
  const own = ownBytes(version);
  const entries = entriesOf(version);
  if (wanted.key !== undefined) return held(entries.get(wanted.key));
  const all = [...(own ? [own] : []), ...[...entries.values()].map(held)];
  if (wanted.cid !== undefined) return all.find((one) => one?.cid === wanted.cid);
  return own ?? held(newest([...entries.values()]));
}

/** The bytes of a file in the earlier form, where they have come (wire-contract.md 2.1). */
function ownBytes({ type, properties }: Content): HeldContent | undefined {
  const { cid, uploaded, content_type, filename } = properties;
  if (type !== 'file' || uploaded !== true || typeof cid !== 'string') return undefined;
  return { cid, type: text(content_type), filename: text(filename), size: count(properties.size) };
}

function held(entry: (JsonObject & { cid: string }) | undefined): HeldContent | undefined {
  return entry && toHeld(entry);
}

function toHeld(entry: JsonObject & { cid: string }): HeldContent {
  return { cid: entry.cid, type: text(entry.content_type), filename: text(entry.filename), size: count(entry.size) };
}

function newest(entries: (JsonObject & { cid: string })[]): (JsonObject & { cid: string }) | undefined {
  const time = (entry: JsonObject) => text(entry.uploaded_at) ?? '';
  return entries.reduce<(JsonObject & { cid: string }) | undefined>(
    (last, next) => (last === undefined || time(next) >= time(last) ? next : last),
    undefined,
  );
}

function count(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * The properties with other entries. They are made member by member, so that a key such as `__proto__` is a name like
 * any other.
 */
export function withEntries(
  properties: JsonObject,
  change: (entries: [string, JsonObject][]) => [string, JsonObject][],
) {
  const old = isObject(properties.content) ? (Object.entries(properties.content) as [string, JsonObject][]) : [];
  return { ...properties, content: Object.fromEntries(change(old)) };
}

/** Content with the key that it has; null for a file's own bytes. */
export interface KeyedContent extends HeldContent {
  key: string | null;
}

/** All that a version holds: a file's own bytes, then the entries in their order. */
export function allContents(version: Content): KeyedContent[] {
  const own = ownBytes(version);
  const entries = [...entriesOf(version)].map(([key, entry]) => ({ key, ...toHeld(entry) }));
  return [...(own ? [{ key: null, ...own }] : []), ...entries];
}
