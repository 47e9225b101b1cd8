import { valueHash } from '../blocks/encode.ts';
import { collectionsOf, type JsonObject, type Manifest, relationshipKey } from '../model/manifest.ts';

/** What a remote says of bytes by itself. */
const ofBytes = new Set(['cid', 'content', 'content_type', 'size', 'uploaded']);

interface Made {
  /** What the remote said before; null where it had nothing. */
  before: Manifest | null;
  sent: Manifest;
  /** The version that it made of that. */
  made: Manifest;
}

/**
 * The properties, and as `relationships.PREDICATE` the relationships, that a remote made something else of than was sent: of
 * another value, left out, or kept though they were removed; `relationships.collection` also where another one stands first.
 * What it adds is its own. Of collections nothing is said: their rules are kept in its own form.
 */
export function alteredIn({ before, sent, made }: Made): string[] {
  if (sent.type === 'collection') return [];
  const names = differing(before?.properties, sent.properties, made.properties).filter((name) => !ofBytes.has(name));
  return [...names, ...alteredPredicates({ before, sent, made }).map((predicate) => `relationships.${predicate}`)];
}

/** Type and label of a peer are copies, no statement of the entity's own. */
function alteredPredicates({ before, sent, made }: Made): string[] {
  const [old, ours, theirs] = [byKey(before), byKey(sent), byKey(made)];
  const altered = new Set<string>(collectionsOf(sent)[0] === collectionsOf(made)[0] ? [] : ['collection']);
  for (const [key, { predicate }] of new Map([...old, ...ours])) {
    const [was, said, has] = [old.get(key), ours.get(key), theirs.get(key)];
    const isSaid = (said === undefined) === (has === undefined);
    if (!isSaid || differing(was?.properties, said?.properties, has?.properties).length > 0) altered.add(predicate);
  }
  return [...altered];
}

function byKey(manifest: Manifest | null) {
  return new Map(manifest?.relationships.map((r) => [relationshipKey(r), r]));
}

/** The members of what was there or was sent of which `made` says something else. */
function differing(before: JsonObject = {}, sent: JsonObject = {}, made: JsonObject = {}): string[] {
  return Object.keys({ ...before, ...sent }).filter((name) => hashOf(sent, name) !== hashOf(made, name));
}

/** Equal for equal values, whatever the order of their members; null for none. */
function hashOf(members: JsonObject, name: string): string | null {
  return Object.hasOwn(members, name) ? valueHash(members[name] ?? null) : null;
}

/** Why what a remote took is refused, with the first of what it made otherwise. */
export function alteredWords(names: string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  return `It took the change and made something else of ${shown.join(', ')}${names.length > shown.length ? ' and more' : ''}; what was written here stays as it is`;
}
