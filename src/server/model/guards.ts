import { actionFor } from './actions.ts';
import { collectionRules } from './collection-rules.ts';
import { folderRules } from './folder-rules.ts';
import type { Demand, GuardOptions, Refusal, Rule, Step } from './guard-step.ts';
import { forbidden, invalid, onCollection, onEntity, sameRelationships } from './guard-step.ts';
import { collectionsOf, type Manifest, relationshipKey } from './manifest.ts';
import { processorRules } from './processor-rules.ts';
import { equalJson } from './properties.ts';

export type { Demand, GuardOptions, Refusal } from './guard-step.ts';

/**
 * What the difference of two manifests demands, whatever door it came through: POST, PUT, batch, relationships,
 * restore, additive, import, merge and each step of a pushed chain (decisions.md, Permissions and writes).
 * `base` null: a creation. That a deleted entity takes nothing but a restore is for the door to say (G2): from a
 * tombstone to content is a restore here.
 */
export function required(
  base: Manifest | null,
  next: Manifest,
  options: GuardOptions = {},
): { demands: Demand[]; refusals: Refusal[] } {
  const step = stepOf(base, next, options);
  const demands: Demand[] = [];
  const refusals: Refusal[] = [];
  for (const rule of rules)
    for (const finding of rule(step))
      if ('action' in finding) demands.push(finding);
      else refusals.push(finding);
  return { demands: distinct(demands), refusals };
}

function stepOf(base: Manifest | null, next: Manifest, options: GuardOptions): Step {
  const kind = base === null ? 'create' : next.deleted ? 'delete' : base.deleted ? 'restore' : 'update';
  const before = kind === 'restore' ? (options.last ?? base) : base;
  return { kind, base, before, next, changed: before === null || differs(before, next), options };
}

function differs(a: Manifest, b: Manifest): boolean {
  return !equalJson(a.properties, b.properties) || !sameRelationships(a.relationships, b.relationships);
}

function distinct(demands: Demand[]): Demand[] {
  if (demands.length < 2) return demands;
  const key = (d: Demand) => `${d.action} ${d.on === 'entity' ? '' : d.on.collection}`;
  return [...new Map(demands.map((d) => [key(d), d])).values()];
}

const immutable: Rule = ({ base, next }) => {
  if (base === null) return next.ver === 1 ? [] : [invalid(['ver'], 'must be 1, since there is no version before')];
  const moved = (['id', 'type', 'created_at'] as const).filter((key) => base[key] !== next[key]);
  return [
    ...moved.map((key) => invalid([key], 'does not change from version to version')),
    ...(next.ver === base.ver + 1
      ? []
      : [invalid(['ver'], `must be ${base.ver + 1}, one more than the version before`)]),
  ];
};

const lifecycle: Rule = ({ kind, base, next, changed, options }) => {
  const type = base?.type ?? next.type;
  if (kind === 'create') return created(next, options);
  // A restore may bring back other content than what was deleted; then it is an update as well.
  const updates = kind === 'update' || (kind === 'restore' && changed);
  const demands = kind === 'update' ? [] : [onEntity(actionFor(type, kind))];
  if (updates && type !== 'collection') demands.push(onEntity(updateOf(type, options)));
  return demands;
};

/** In collections it is for each of them to allow (`placement`); in none it is open season. */
function created(next: Manifest, { registering }: GuardOptions): Demand[] {
  if (next.type === 'user' && registering) return [];
  const allowedElsewhere = next.type !== 'collection' && collectionsOf(next).length > 0;
  return allowedElsewhere ? [] : [onEntity(actionFor(next.type, 'create'))];
}

function updateOf(type: string, { uploading }: GuardOptions): string {
  return type === 'file' && uploading ? `file:${uploading}` : actionFor(type, 'update');
}

const tombstones: Rule = ({ kind, base, next }) => {
  if (!next.deleted) return [];
  const empty = Object.keys(next.properties).length === 0 && next.relationships.length === 0;
  return [
    ...(kind === 'create' ? [invalid(['deleted'], 'an entity begins with a version that is not deleted')] : []),
    ...(base?.deleted ? [invalid(['id'], 'is deleted already')] : []),
    ...(empty ? [] : [invalid(['deleted'], 'a tombstone has neither properties nor relationships')]),
  ];
};

const users: Rule = ({ kind, base, next, options }) => {
  if (kind === 'create' && next.type === 'user' && !options.registering)
    return [forbidden('Forbidden: A user comes only from registration')];
  if (kind === 'delete' && base?.type === 'user') return [forbidden('Forbidden: A user is never deleted')];
  return [];
};

/** Where the entity lies: each collection entered or left, and both where another one comes to stand first. */
const placement: Rule = ({ kind, before, next }) => {
  if (kind === 'delete') return [];
  const old = before ? collectionsOf(before) : [];
  const now = collectionsOf(next);
  if (old.length === 0 && now.length === 0) return [];
  const entered = new Set(now.filter((id) => !old.includes(id)));
  const left = new Set(old.filter((id) => !now.includes(id)));
  if (old[0] !== now[0]) {
    if (now[0] !== undefined) entered.add(now[0]);
    if (old[0] !== undefined) left.add(old[0]);
  }
  const enter = kind === 'create' && next.type !== 'collection' ? actionFor(next.type, 'create') : 'entity:create';
  return [
    ...[...entered].map((id) => onCollection(enter, id)),
    ...[...left].map((id) => onCollection('entity:delete', id)),
  ];
};

const notInItself: Rule = ({ next }) =>
  next.relationships.flatMap((r, i) =>
    r.predicate === 'collection' && r.peer === next.id
      ? [invalid(['relationships', i, 'peer'], 'an entity cannot lie in itself')]
      : [],
  );

/** One relationship a predicate and peer: a second one of a pushed block would be read beside the first. */
const distinctPeers: Rule = ({ before, next }) => {
  if (next.relationships.length < 2) return [];
  const keys = new Set(next.relationships.map(relationshipKey));
  const kept = before !== null && sameRelationships(before.relationships, next.relationships);
  return keys.size === next.relationships.length || kept
    ? []
    : [invalid(['relationships'], 'two relationships have one predicate and peer')];
};

const rules: readonly Rule[] = [
  immutable,
  lifecycle,
  tombstones,
  users,
  placement,
  notInItself,
  distinctPeers,
  ...collectionRules,
  ...processorRules,
  ...folderRules,
];
