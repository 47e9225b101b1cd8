import { type Finding, invalid, type Rule, type Surroundings } from './guard-step.ts';
import type { Json, Manifest } from './manifest.ts';
import { isObject } from './objects.ts';
import { equalJson } from './properties.ts';

/** Both sides of the pair that makes the tree of folders: a parent contains a child, the child is in the parent. */
export type PairPredicate = 'contains' | 'in';

/** interface.md, Folder profile: what the peers of each side may be. */
const peerTypes: Record<PairPredicate, readonly string[]> = {
  contains: ['file', 'folder'],
  in: ['folder', 'collection'],
};

/** The most folders that may stand above one: how far a look for cycles goes. */
export const maxFoldersAbove = 4000;

/** So much of one kind is said of one step: it may name any number of peers. */
const maxIssues = 100;

interface Link {
  /** Its place among the relationships of the entity. */
  at: number;
  predicate: PairPredicate;
  peer: string;
}

/** The pair's sides that `next` has and `base` has not, where the profile speaks of them: folders, and files in folders. */
export function addedLinks(base: Manifest | null, next: Manifest): Link[] {
  if (next.type !== 'folder' && next.type !== 'file') return [];
  const known = { contains: new Set(peersOf(base, 'contains')), in: new Set(peersOf(base, 'in')) };
  return next.relationships.flatMap(({ predicate, peer }, at) => {
    if (predicate !== 'in' && (predicate !== 'contains' || next.type !== 'folder')) return [];
    return known[predicate].has(peer) ? [] : [{ at, predicate, peer }];
  });
}

/** A link between folders, whichever of the two says so: `by`. */
export interface Placing {
  child: string;
  parent: string;
  by: string;
}

/** The links between folders that a version adds. Of those that it contains, some may be files. */
export function placingsOf(base: Manifest | null, next: Manifest): Placing[] {
  if (next.type !== 'folder' || next.deleted) return [];
  const by = next.id;
  return addedLinks(base, next).map(({ predicate, peer }) =>
    predicate === 'in' ? { child: by, parent: peer, by } : { child: peer, parent: by, by },
  );
}

function peersOf(manifest: Manifest | null, predicate: PairPredicate): string[] {
  return manifest?.relationships.filter((r) => r.predicate === predicate).map((r) => r.peer) ?? [];
}

const property = (manifest: Manifest | null, key: string): Json | undefined =>
  manifest && Object.hasOwn(manifest.properties, key) ? manifest.properties[key] : undefined;

/** Only what a step changes is checked, so that a folder from elsewhere with an odd profile stays editable. */
const profile: Rule = ({ before, next }) => {
  if (next.type !== 'folder') return [];
  const checked = (key: string, fits: (value: Json | undefined) => boolean, message: string): Finding[] => {
    const value = property(next, key);
    const kept = before !== null && equalJson(property(before, key), value);
    return kept || fits(value) ? [] : [invalid(['properties', key], message)];
  };
  const isText = (value: Json | undefined) => typeof value === 'string';
  return [
    ...checked('label', (v) => isText(v) && v !== '', 'a folder has a label: text that is not empty'),
    ...['description', 'rich_description'].flatMap((key) =>
      checked(key, (v) => v === undefined || isText(v), 'must be a string'),
    ),
    ...checked('metadata', (v) => v === undefined || isObject(v), 'must be an object'),
  ];
};

/** Peers that are not here are for `validate_relationships` to find. */
const fittingPeers: Rule = ({ before, next, options: { surroundings } }) => {
  const links = surroundings ? addedLinks(before, next) : [];
  if (!surroundings || links.length === 0) return [];
  const types = surroundings.typesOf(links.map(({ peer }) => peer));
  const wrong = links.flatMap(({ at, predicate, peer }) => {
    const type = types.get(peer);
    if (type === undefined || peerTypes[predicate].includes(type)) return [];
    const meant = predicate === 'in' ? 'must be a folder or a collection' : 'must be a file or a folder';
    return [invalid(['relationships', at, 'peer'], `${meant}, and ${peer} has the type \`${type}\``)];
  });
  return wrong.slice(0, maxIssues);
};

/** Whether a step gives a folder links that could make a circle. */
export function addsLinks(base: Manifest | null, next: Manifest): boolean {
  return next.type === 'folder' && !next.deleted && addedLinks(base, next).length > 0;
}

/** No folder comes to stand below itself. A restored one brings its links back, so they count as new. */
const notBelowItself: Rule = ({ base, next, options: { surroundings } }) =>
  surroundings ? circlesOf(base, next, surroundings) : [];

/** The new links by which a folder would come to stand below itself. */
export function circlesOf(base: Manifest | null, next: Manifest, surroundings: Surroundings): Finding[] {
  if (!addsLinks(base, next)) return [];
  const links = addedLinks(base, next);
  const [up, down] = [links.filter((l) => l.predicate === 'in'), links.filter((l) => l.predicate === 'contains')];
  const refuse = ({ at }: Link, folder: string) =>
    invalid(['relationships', at, 'peer'], `the folder ${folder} would contain itself`);
  const own = links.find(({ peer }) => peer === next.id);
  if (own) return [refuse(own, next.id)];
  const parents = peersOf(next, 'in');
  if (parents.length > maxFoldersAbove) return [tooDeep];
  const below = new Set([next.id, ...peersOf(next, 'contains')]);
  const risen = up.length === 0 ? undefined : culprit(up, next.id, below, surroundings);
  if (risen === 'unknown') return [tooDeep];
  if (risen) return [refuse(risen, next.id)];
  if (down.length === 0) return [];
  const above = surroundings.foldersAbove(next.id, parents, true);
  if (above === null) return [tooDeep];
  const sunk = down.filter(({ peer }) => above.has(peer));
  return sunk.slice(0, maxIssues).map((link) => refuse(link, link.peer));
}

const tooDeep = invalid(['relationships'], `more than ${maxFoldersAbove} folders would stand above it`);

/** The first of the new parents that stand below the folder already: at it, or at one that it contains. */
function culprit(
  links: Link[],
  id: string,
  below: ReadonlySet<string>,
  surroundings: Surroundings,
): Link | 'unknown' | undefined {
  const peers = links.map(({ peer }) => peer);
  const above = surroundings.foldersAbove(id, peers, false);
  if (above === null) return 'unknown';
  if (![...above].some((one) => below.has(one))) return undefined;
  if (links.length === 1) return links[0];
  const half = links.length >> 1;
  const found = culprit(links.slice(0, half), id, below, surroundings);
  return found ?? culprit(links.slice(half), id, below, surroundings);
}

const ofLiving =
  (rule: Rule): Rule =>
  (step): Finding[] =>
    step.kind === 'delete' ? [] : rule(step);

/** What holds for folders, and for files in them, beyond what holds for every entity (interface.md, Folder profile). */
export const folderRules: readonly Rule[] = [profile, fittingPeers, notBelowItself].map(ofLiving);
