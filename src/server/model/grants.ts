import { actions as allActions, implies } from './actions.ts';
import { grantRole } from './collection-rules.ts';
import { type CollectionAccess, isExpired, type Member } from './roles.ts';

/** A processor that is to work in a collection. */
export interface Grantee {
  id: string;
  type: 'agent' | 'klados';
  label: string;
  /** What it asks for: actions, `*:verb` or `type:*`. */
  actions: readonly string[];
}

/** What a processor holds in a collection, and what has to be written so that it holds what it asks for. */
export interface GrantPlan {
  grantee: Grantee;
  role: string;
  /** What it asks for. */
  actions: string[];
  /** A grant that is live and gives all of it. */
  alreadyGranted: boolean;
  /** There was one, and its time is over. */
  expired: boolean;
  /** A grant that is live and lacks some of it. */
  missingActions: boolean;
  /** When the present grant ends or has ended, epoch milliseconds; null where there is none, or it never ends. */
  currentExpires: number | null;
  /** What it asks for and cannot be given: the invoker does not hold it, or not for long enough, or see `lastingLacks`. */
  refused: string[];
  /** What a grant that never ends lacks. No job changes that one: what is added to it would have to last as well. */
  lastingLacks: string[];
  /** It would last longer, did it not give more than is asked for, which the invoker cannot prolong. */
  cutShort: boolean;
  /** Seconds until it can be given anew, where it is cut short to less than any run may have; else null. */
  wait: number | null;
  /** What is to be written; null where the grant that is there will do. `update`: there is a membership already. */
  write: { actions: string[]; expires: number; update: boolean } | null;
  /** When the grant ends after that. */
  expires: number;
}

/** A live grant that covers so much of the wanted time is left as it is (decisions.md, Processors). */
const enough = 0.9;

/** No run is wanted for less (interface.md, Jobs), milliseconds. */
const shortestMs = 60_000;

/** Until when the invoker may do an action in the collection, epoch milliseconds; 0 where it may not. */
export type HeldUntil = (action: string) => number;

export interface GrantTerms {
  now: number;
  /** Milliseconds. */
  wanted: number;
  heldUntil: HeldUntil;
  /** What is written stands beside what is there, and ends by itself. */
  separate?: boolean;
}

/**
 * What a processor needs in a collection for `wanted` milliseconds from `now` on. A grant gives nothing that the invoker does
 * not hold there, and for no longer; it takes nothing away from one that is live, which other runs may rely on.
 */
export function planGrant(
  access: CollectionAccess,
  grantee: Grantee,
  { now, wanted, heldUntil, separate = false }: GrantTerms,
): GrantPlan {
  const { role, given, member, live } = standing(access, grantee, now);
  const actions = [...new Set(grantee.actions)];
  const lacking = lackingOf(actions, given);
  const known = new Map([...actions, ...given].map((action) => [action, givenUntil(action, heldUntil)]));
  const until = (action: string) => known.get(action) ?? 0;
  const held = actions.filter((action) => until(action) > now);
  const end = Math.min(now + wanted, ...held.map(until));
  const lasting = live !== null && live.expires === null;
  const ends = live ? (live.expires ?? end) : now;
  const kept = live ? given.filter((action) => !actions.includes(action)) : [];
  // A role ends as a whole: what only somebody else could prolong ends when it did, and the rest with it.
  // What this node does not know may give something elsewhere, so whoever sets roles prolongs it.
  const keptUntil = (action: string) => (concrete(action).length > 0 ? until(action) : heldUntil('collection:manage'));
  const reach = lasting ? end : Math.min(end, ...kept.map(keptUntil));
  const suffices = live !== null && lacking.length === 0 && ends - now >= (reach - now) * enough;
  const expires = suffices ? ends : separate ? reach : Math.max(reach, ends);
  const cutShort = expires < end && ends - now < (end - now) * enough;
  const lastingLacks = lasting ? lacking : [];
  const refused = (action: string) =>
    lastingLacks.includes(action) || until(action) < (lacking.includes(action) ? expires : now + 1);
  return {
    grantee,
    role,
    actions,
    alreadyGranted: live !== null && lacking.length === 0,
    expired: member !== undefined && live === null,
    missingActions: live !== null && lacking.length > 0,
    currentExpires: member === undefined || member.expires === null ? null : member.expires,
    refused: actions.filter(refused),
    lastingLacks,
    cutShort,
    wait: cutShort && expires - now < shortestMs ? Math.ceil((expires - now) / 1000) : null,
    write: suffices || lasting ? null : { actions: [...actions, ...kept], expires, update: member !== undefined },
    expires,
  };
}

/**
 * Until when a processor's grant in a collection gives all that it asks for, epoch milliseconds: infinity where it never ends, 0
 * where there is none now that does.
 */
export function grantedUntil(access: CollectionAccess, grantee: Omit<Grantee, 'label'>, now: number): number {
  const { live, given } = standing(access, grantee, now);
  if (live === null || lackingOf(grantee.actions, given).length > 0) return 0;
  return live.expires ?? Number.POSITIVE_INFINITY;
}

/** What one run gave a processor; it ends by itself, `expires` in epoch milliseconds. */
export interface SeparateGrant {
  actions: readonly string[];
  expires: number;
}

/** Until when such grants together give an action, or all that a pattern stands for, epoch milliseconds; 0 where they do not. */
export function togetherUntil(grants: readonly SeparateGrant[], pattern: string): number {
  const gives = ({ actions }: SeparateGrant, action: string) =>
    actions.some((one) => one === action || implies(one, action));
  const until = (action: string) =>
    Math.max(0, ...grants.filter((grant) => gives(grant, action)).map(({ expires }) => expires));
  const all = concrete(pattern);
  return all.length === 0 ? until(pattern) : Math.min(...all.map(until));
}

/**
 * Such grants as one role: what they give of what is asked for, until the first of that ends. What else they give needs no
 * place in it, since each goes on beside what is written.
 */
export function togetherAccess(
  grants: readonly SeparateGrant[],
  { id, type, actions }: Omit<Grantee, 'label'>,
): CollectionAccess {
  const role = grantRole(type, id);
  const given = actions.filter((action) => togetherUntil(grants, action) > 0);
  const expires = Math.min(...given.map((action) => togetherUntil(grants, action)));
  const members = given.length === 0 ? [] : [{ role, peer: id, kind: 'member' as const, expires }];
  return { roles: new Map([[role, given]]), members, groups: [] };
}

/** A processor's grant in a collection as it stands there. */
interface Standing {
  role: string;
  /** What the role gives. */
  given: readonly string[];
  member: Member | undefined;
  /** The same where its time is not over. */
  live: Member | null;
}

function standing(access: CollectionAccess, { id, type }: Pick<Grantee, 'id' | 'type'>, now: number): Standing {
  const role = grantRole(type, id);
  const member = access.members.find((m) => m.role === role && m.peer === id);
  const live = member && access.roles.has(role) && !isExpired(member, now) ? member : null;
  return { role, given: access.roles.get(role) ?? [], member, live };
}

/** Those of some actions, or patterns, that others do not give. */
export function lackingOf(actions: readonly string[], given: readonly string[]): string[] {
  return actions.filter((action) => !given.some((one) => covers(one, action)));
}

/** Until when all that a pattern stands for can be given; 0 where some of it cannot. */
function givenUntil(pattern: string, heldUntil: HeldUntil): number {
  const all = concrete(pattern);
  return all.length === 0 ? 0 : Math.min(...all.map(heldUntil));
}

/** The actions that a pattern stands for. */
function concrete(pattern: string): string[] {
  if (allActions.includes(pattern)) return [pattern];
  return allActions.filter((action) => implies(pattern, action));
}

/** Whether holding one action or pattern gives all that another stands for. */
function covers(held: string, pattern: string): boolean {
  return held === pattern || concrete(pattern).every((action) => implies(held, action));
}
