import { valueHash } from '../blocks/encode.ts';
import type { Manifest } from '../model/manifest.ts';

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
 * The properties that a remote made something else of than was sent: of another value, left out, or kept though they were removed.
 * What it adds is its own. Of collections nothing is said: their rules are kept in its own form.
 */
export function alteredIn({ before, sent, made }: Made): string[] {
  if (sent.type === 'collection') return [];
  const names = Object.keys({ ...before?.properties, ...sent.properties });
  return names.filter((name) => !ofBytes.has(name) && hashOf(sent, name) !== hashOf(made, name));
}

/** Equal for equal values, whatever the order of their members; null for none. */
function hashOf({ properties }: Manifest, name: string): string | null {
  return Object.hasOwn(properties, name) ? valueHash(properties[name] ?? null) : null;
}

/** Why what a remote took is refused, with the first of what it made otherwise. */
export function alteredWords(names: string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  return `It took the change and made something else of ${shown.join(', ')}${names.length > shown.length ? ' and more' : ''}; what was written here stays as it is`;
}
