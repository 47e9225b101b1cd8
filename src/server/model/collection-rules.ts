import { implies } from './actions.ts';
import {
  type Finding,
  invalid,
  onEntity,
  type Refusal,
  type Rule,
  type Step,
  sameRelationships,
} from './guard-step.ts';
import { type Json, type Manifest, type Relationship, relationshipKey } from './manifest.ts';
import { processorTypes } from './processor-types.ts';
import { equalJson } from './properties.ts';
import { memberOf, publicRoleIssues, roleEntries, roleIssues, rolesOf, writtenRoles } from './roles.ts';
import { isLonger } from './text-length.ts';

/** The role under which a processor holds a temporary grant (decisions.md, Processors). */
export function grantRole(type: 'agent' | 'klados', id: string): string {
  return `${type}_${id.toLowerCase()}`;
}

const isGrantRole = (name: string): boolean => /^(?:agent|klados)_[0-9a-z]{26}$/.test(name);
const isGrant = (r: Relationship): boolean =>
  r.predicate === grantRole('agent', r.peer) || r.predicate === grantRole('klados', r.peer);

/** What a step does to a collection's access. */
interface AccessChange {
  /** Names of roles that are new, gone or other than before. */
  roles: string[];
  /** Memberships that are new, gone or other than before. */
  members: Relationship[];
}

function accessChange({ before, next }: Step): AccessChange {
  const old = before ? roleEntries(before) : {};
  const now = roleEntries(next);
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const own = (roles: typeof now, name: string) => (Object.hasOwn(roles, name) ? roles[name] : undefined);
  const isMember = memberTest(before, next);
  const members = (m: Manifest | null) => Map.groupBy(m?.relationships.filter(isMember) ?? [], relationshipKey);
  const [was, is] = [members(before), members(next)];
  const same = (key: string) => sameRelationships(was.get(key) ?? [], is.get(key) ?? []);
  return {
    roles: [...names].filter((name) => !equalJson(own(old, name), own(now, name))),
    members: [...was, ...is].flatMap(([key, relationships]) => (same(key) ? [] : relationships)),
  };
}

/** A membership is a relationship whose predicate is a role before or after the step. */
function memberTest(before: Manifest | null, next: Manifest): (r: Relationship) => boolean {
  const names = new Set([...(before ? rolesOf(before).keys() : []), ...rolesOf(next).keys()]);
  return (r) => names.has(r.predicate);
}

/** Whether anything but roles and members differs. */
function contentChanged(before: Manifest, next: Manifest): boolean {
  const isMember = memberTest(before, next);
  const others = (m: Manifest) => m.relationships.filter((r) => !isMember(r));
  const properties = (m: Manifest) =>
    Object.fromEntries(Object.entries(m.properties).filter(([key]) => key !== 'roles'));
  return !equalJson(properties(before), properties(next)) || !sameRelationships(others(before), others(next));
}

const isGranting = ({ options }: Step, { roles, members }: AccessChange): boolean =>
  options.granting === true && roles.every(isGrantRole) && members.every(isGrant);

const changes: Rule = (step) => {
  const { kind, before, next, changed } = step;
  if (before === null || (kind === 'restore' && !changed)) return [];
  const access = accessChange(step);
  const rolesWritten = !equalJson(writtenRoles(before), writtenRoles(next));
  const accessChanged = rolesWritten || access.members.length > 0;
  const manages = accessChanged && !isGranting(step, access);
  const updates = contentChanged(before, next) || !accessChanged;
  return [...(manages ? [onEntity('collection:manage')] : []), ...(updates ? [onEntity('collection:update')] : [])];
};

/** Only what a step changes is checked, so that a collection from elsewhere with odd roles stays editable. */
const validRoles: Rule = ({ before, next }) => {
  const path = ['properties', 'roles'];
  const written = writtenRoles(next);
  if (before !== null && equalJson(writtenRoles(before), written)) return [];
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return [invalid(path, 'must be an object of roles')];
  const old = before ? roleEntries(before) : {};
  const kept = (name: string) => Object.hasOwn(old, name) && equalJson(old[name], written[name]);
  const names = Object.keys(written).filter((name) => !kept(name));
  const single = names.flatMap((name) => roleIssues(name, written[name], [...path, name]));
  return [...single, ...publicRoleIssues(written, path)].map((issue) => invalid(issue.path, issue.message));
};

/** interface.md, Collection: the label is required. Only what a step changes is checked here, too. */
const validProfile: Rule = ({ before, next }) => {
  const value = (m: Manifest, key: string) => (Object.hasOwn(m.properties, key) ? m.properties[key] : undefined);
  const changed = (key: string) => before === null || !equalJson(value(before, key), value(next, key));
  return Object.entries(profile)
    .filter(([key]) => changed(key))
    .flatMap(([key, wrong]) => {
      const message = wrong(value(next, key));
      return message === undefined ? [] : [invalid(['properties', key], message)];
    });
};

const profile: { [key: string]: (value: Json | undefined) => string | undefined } = {
  label: (value) =>
    typeof value === 'string' && value !== '' && !isLonger(value, 200)
      ? undefined
      : 'must be a text of 1 to 200 characters',
  description: (value) =>
    value === undefined || (typeof value === 'string' && !isLonger(value, 2000))
      ? undefined
      : 'must be a text of at most 2000 characters',
  display_image_url: (value) =>
    value === undefined || (typeof value === 'string' && URL.canParse(value)) ? undefined : 'must be a URI',
};

/** A new role must not make members of relationships that were there before it. */
const noDormantMembers: Rule = ({ before, next, options }) => {
  if (before === null) return [];
  const known = rolesOf(before);
  const there = new Set(next.relationships.map(relationshipKey));
  const dormant = before.relationships.filter(
    (r) => !known.has(r.predicate) && there.has(relationshipKey(r)) && !(options.granting && isGrant(r)),
  );
  const predicates = new Set(dormant.map((r) => r.predicate));
  return [...rolesOf(next).keys()]
    .filter((name) => predicates.has(name))
    .map((name) =>
      invalid(['properties', 'roles', name], 'relationships of that name would become memberships; remove them first'),
    );
};

type Reading = (membership: Relationship) => boolean;

/** Processors may not manage, whatever their role (model/permissions.ts). */
const mayBePerson: Reading = ({ peer_type }) => !processorTypes.includes(peer_type ?? '');

/** What comes anew as of another type never asks for anything; who had a role before keeps it, whatever the type was written as. */
function personsAfter(before: Manifest): Reading {
  const stood = new Set(before.relationships.map(relationshipKey));
  return (r) => mayBePerson(r) && ((r.peer_type ?? 'user') === 'user' || stood.has(relationshipKey(r)));
}

/** The roles that people hold for good. */
function heldForGood(manifest: Manifest, isPerson: Reading): Set<string> {
  const roles = rolesOf(manifest);
  const people = manifest.relationships.filter((r) => roles.has(r.predicate) && isPerson(r));
  const lasting = people.map(memberOf).filter(({ kind, expires }) => kind === 'member' && expires === null);
  return new Set(lasting.map(({ role }) => role));
}

const isOwned = (manifest: Manifest, isPerson = mayBePerson): boolean => heldForGood(manifest, isPerson).has('owner');

function isManaged(manifest: Manifest, isPerson = mayBePerson): boolean {
  const held = heldForGood(manifest, isPerson);
  const manages = (actions: string[]) => actions.some((action) => implies(action, 'collection:manage'));
  return [...rolesOf(manifest)].some(([role, actions]) => held.has(role) && manages(actions));
}

/** Without one nobody could ever manage it. */
const firstOwner: Rule = ({ kind, next }) =>
  kind === 'create' && !isOwned(next)
    ? [invalid(['relationships'], 'a collection begins with an `owner`: POST /collections makes its creator the owner')]
    : [];

/** What a version takes from a collection so that nobody is left who owns it, or who could manage it. */
function losses(before: Manifest, next: Manifest): Refusal[] {
  const isPerson = personsAfter(before);
  if (isOwned(before) && !isOwned(next, isPerson))
    return [invalid(['relationships'], 'the last owner of a collection cannot be removed')];
  if (!isManaged(before) || isManaged(next, isPerson)) return [];
  const place = equalJson(writtenRoles(before), writtenRoles(next)) ? ['relationships'] : ['properties', 'roles'];
  return [
    invalid(
      place,
      'nobody could manage the collection any more: a member without an end needs a role with collection:manage',
    ),
  ];
}

/** Whether a version leaves a collection without anybody who owns it, or who could manage it. */
export function losesOwners(before: Manifest, next: Manifest): boolean {
  return next.type === 'collection' && !next.deleted && losses(before, next).length > 0;
}

const lastOwner: Rule = ({ before, next }) => (before === null ? [] : losses(before, next));

const ofCollections =
  (rule: Rule): Rule =>
  (step): Finding[] =>
    step.next.type === 'collection' && step.kind !== 'delete' ? rule(step) : [];

/** What holds for collections beyond what holds for every entity (decisions.md, Permissions and writes). */
export const collectionRules: readonly Rule[] = [
  changes,
  validRoles,
  validProfile,
  noDormantMembers,
  firstOwner,
  lastOwner,
].map(ofCollections);
