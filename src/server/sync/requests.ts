import { collectionsOf, type Manifest, type Relationship, relationshipKey } from '../model/manifest.ts';
import { equalJson } from '../model/properties.ts';
import { endOfMembership, memberOf, roleEntries, rolesOf } from '../model/roles.ts';
import { contentHash } from '../store/content-hash.ts';
import { createCollection, updateCollection } from './collection-requests.ts';
import { namedBytes } from './named-bytes.ts';
import { predictedBetween } from './predicted.ts';
import type { PushRequest } from './push-request.ts';
import type { Intent } from './state.ts';
import { lessRights } from './taken-rights.ts';

/** What goes out for one entity. */
export interface PushPlan {
  requests: PushRequest[];
  /** Whether the remote says all of it once the last request is answered; else the comparison is made again. */
  whole: boolean;
}

export interface PushFacts {
  local: Manifest;
  /** The remote's version, null where it has none. */
  theirs: Manifest | null;
  /** What a restore brings back there: the remote's last version that was not deleted, where its tip is. */
  buried: Manifest | null;
  /** Of a deletion: the last version here that was not deleted, as far as the remote may take it at once. */
  last?: Manifest | null;
  /** The ids here of the operator, who is `user` there. */
  self: readonly string[];
  user: string | null;
  /** The peers that the remote is not known to have. */
  lacking: ReadonlySet<string>;
  /** The peers that are deleted, here or there, or wait to be pushed, too, and may be deleted there until then. */
  inDoubt: ReadonlySet<string>;
  /** Of a collection: the roots that lie in it there. */
  settable: ReadonlySet<string>;
  /** Epoch milliseconds. */
  now: number;
}

type Sent = Exclude<Intent, 'none' | 'same' | 'ask' | 'prefer'>;

/** The requests that an intent takes, in their order (SPEC.md, P2: minimal, never dependent on an order within a body). */
export function requestsFor(intent: Sent, facts: PushFacts): PushPlan {
  const { local, theirs } = facts;
  const note = local.note === undefined ? {} : { note: local.note };
  const path = `/entities/${local.id}`;
  switch (intent) {
    case 'create':
      return creation(facts);
    case 'delete': {
      const reason = local.reason === undefined ? {} : { reason: local.reason };
      const body = (expect_tip: string) => ({ expect_tip, ...note, ...reason });
      const deletion = { method: 'DELETE', path, body, makes: contentHash(local) } as const;
      return { requests: [...updatesBefore(facts), deletion], whole: true };
    }
    case 'restore': {
      const body = (expect_tip: string) => ({ expect_tip, ...note });
      const makes = facts.buried && contentHash(facts.buried);
      return { requests: [{ method: 'POST', path: `${path}/restore`, body, makes }], whole: false };
    }
    case 'update':
      if (theirs === null) return { requests: [], whole: false };
      if (local.type === 'collection') {
        const ours = { ...local, relationships: asTheirs(local, facts) };
        return { requests: updateCollection(theirs, ours, { ...facts, query: unchecked(facts) }), whole: true };
      }
      return { requests: updates(theirs, facts), whole: true };
  }
}

/**
 * Whether a remote's version of a collection says all that a request could say of the one here. When a membership was given, and by
 * whom, is the remote's to say.
 */
export function isSaid(theirs: Manifest, { local, ...who }: Pick<PushFacts, 'local' | 'self' | 'user'>): boolean {
  if (theirs.deleted || local.deleted || !equalJson(roleEntries(theirs), roleEntries(local))) return false;
  const ours = { ...local, relationships: asTheirs(local, who) };
  const nobody = new Set<string>();
  const sender = { user: who.user, now: 0, query: '', settable: nobody, lacking: nobody };
  return updateCollection(theirs, ours, sender).length === 0;
}

function creation(facts: PushFacts): PushPlan {
  const { local } = facts;
  if (local.type === 'collection') return collectionCreation(facts);
  const { id, type, properties, relationships, note } = local;
  const body = () => ({ id, type, properties, relationships, ...(note !== undefined && { note }) });
  return {
    requests: [{ method: 'POST', path: `/entities${unchecked(facts)}`, body, makes: contentHash(local) }],
    whole: true,
  };
}

/** What cannot be said at once follows as a change of what is there then. */
function collectionCreation(facts: PushFacts): PushPlan {
  const { local, user, lacking, inDoubt } = facts;
  const relationships = asTheirs(local, facts);
  const isOwn = (r: Relationship) => isMembership(local, r) && r.peer === user;
  const known = relationships.filter((r) => !lacking.has(r.peer) && !inDoubt.has(r.peer) && !isOwn(r));
  const first = new Set([...new Set(known.map((r) => r.peer))].slice(0, mostTargets));
  const ready = known.filter((r) => first.has(r.peer));
  // Who makes it owns it.
  const founder = relationships.filter((r) => isOwn(r) && r.predicate === 'owner' && memberOf(r).expires === null);
  const whole = ready.length + founder.length === relationships.length && (user === null || founder.length > 0);
  return { requests: [createCollection(local, ready)], whole };
}

/** So many different peers a remote looks at in one request (interface.md, `validate_relationships`). */
const mostTargets = 500;

/** A remote refuses peers that it lacks, or has deleted, unless it is told not to look. Members go by an endpoint of their own. */
function unchecked({ lacking, inDoubt, local }: PushFacts): string {
  const said = local.relationships.filter((r) => !isMembership(local, r) || memberOf(r).kind !== 'member');
  const peers = new Set(said.map((r) => r.peer));
  const isDoubtful = [...peers].some((peer) => lacking.has(peer) || inDoubt.has(peer));
  return isDoubtful || peers.size > mostTargets ? '?validate_relationships=false' : '';
}

function isMembership(local: Manifest, r: Relationship): boolean {
  return local.type === 'collection' && rolesOf(local).has(r.predicate);
}

/**
 * Memberships of the local account go out as those of the remote's user (decisions.md, Authors across nodes); where both have one
 * role, that is one membership, which lasts as long as the longer one.
 */
export function asTheirs(local: Manifest, { self, user }: Pick<PushFacts, 'self' | 'user'>): Relationship[] {
  if (user === null) return local.relationships;
  const found = new Map<string, Relationship>();
  for (const r of local.relationships) {
    const theirs = self.includes(r.peer) && isMembership(local, r) ? { ...r, peer: user } : r;
    const key = relationshipKey(theirs);
    const other = found.get(key);
    if (other === undefined || endOfMembership(theirs) > endOfMembership(other)) found.set(key, theirs);
  }
  return [...found.values()];
}

/**
 * What was edited before it was deleted, so that it is there when somebody restores it. Where it was moved meanwhile or has other
 * bytes, which would have to go first, it is left at the deletion; so is a collection, by which rights may be lost, but for the rights that
 * were taken from others in it: a restore there would give them back.
 */
function updatesBefore({ last, theirs, ...facts }: PushFacts): PushRequest[] {
  if (!last || !theirs || theirs.deleted || last.type !== theirs.type) return [];
  if (last.type === 'collection') {
    const less = lessRights(theirs, { ...last, relationships: asTheirs(last, facts) }, facts.user);
    return updateCollection(theirs, less, { ...facts, query: '' }).map((request) => ({ ...request, mayFail: true }));
  }
  const bytesOf = (manifest: Manifest) => new Set(namedBytes(manifest).map(({ cid }) => cid));
  const isSamePlace = equalJson(collectionsOf(last), collectionsOf(theirs));
  if (!isSamePlace || bytesOf(last).difference(bytesOf(theirs)).size > 0) return [];
  const inDoubt = new Set(last.relationships.map((r) => r.peer));
  return updates(theirs, { ...facts, theirs, local: last, inDoubt }).map((request) => ({ ...request, mayFail: true }));
}

function updates(theirs: Manifest, facts: PushFacts): PushRequest[] {
  const { local } = facts;
  const note = local.note === undefined ? {} : { note: local.note };
  return predictedBetween(theirs, local).map(({ delta, makes, needs }) => ({
    method: 'PUT',
    path: `/entities/${local.id}${unchecked(facts)}`,
    body: (expect_tip) => ({ expect_tip, ...note, ...delta }),
    makes,
    needs,
  }));
}
