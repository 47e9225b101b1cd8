import type { Json, Manifest, Relationship } from '../model/manifest.ts';
import { relationshipKey } from '../model/manifest.ts';
import { equalJson } from '../model/properties.ts';
import { roleEntries, rolesOf } from '../model/roles.ts';

interface Step {
  /** What the remote said before; `meant`, what it was to say in the end. */
  before: Manifest;
  meant: Manifest;
  /** The version over `before`. */
  made: Manifest;
}

/**
 * Whether a version of a collection says nothing that was not there before or was meant, as one that a request about roles or
 * members has made: of those nobody can say what they make, since times and authors of memberships are the remote's own.
 */
export function isWithin({ before, meant, made }: Step): boolean {
  if (made.type !== 'collection' || made.deleted || before.deleted || meant.deleted) return false;
  const sides = [before, meant];
  const names = new Set([before, meant, made].flatMap((m) => [...rolesOf(m).keys()]));
  const isSaid = (parts: (m: Manifest) => Map<string, Json>): boolean => {
    const [own, ...others] = [made, ...sides].map(parts);
    const keys = [made, ...sides].flatMap((m) => [...parts(m).keys()]);
    return keys.every((key) => others.some((other) => same(other.get(key), own?.get(key))));
  };
  const changes = changedIn(before, meant);
  const isReckoned = (r: Relationship) => names.has(r.predicate) && changes.has(relationshipKey(r));
  return [properties, roles, (m: Manifest) => relationships(m, isReckoned)].every(isSaid);
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalJson(a, b);
}

function properties({ properties: { roles: _roles, ...others } }: Manifest): Map<string, Json> {
  return new Map(Object.entries(others));
}

function roles(manifest: Manifest): Map<string, Json> {
  return new Map(Object.entries(roleEntries(manifest)));
}

/** The keys of the relationships of which two versions say something else. */
function changedIn(before: Manifest, meant: Manifest): Set<string> {
  const [a, b] = [before, meant].map(
    (m) => new Map(m.relationships.map((r) => [relationshipKey(r), r.properties ?? {}])),
  );
  return new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])].filter((key) => !same(a?.get(key), b?.get(key))));
}

/** Of a membership that was sent it counts that it ends, and not when: that is reckoned from when it was given. */
function relationships(manifest: Manifest, isReckoned: (r: Relationship) => boolean): Map<string, Json> {
  const said = (r: Relationship) => (isReckoned(r) ? { ends: r.properties?.expires_at != null } : (r.properties ?? {}));
  return new Map(manifest.relationships.map((r) => [relationshipKey(r), said(r)]));
}
