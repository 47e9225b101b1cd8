import { actionListIssues } from './actions.ts';
import { commandOf } from './endpoints.ts';
import { type Finding, forbidden, invalid, onEntity, type Rule } from './guard-step.ts';
import { collectionsOf, type Json, type Manifest } from './manifest.ts';
import { complete, operatorsCommands, validFlow, validProfile } from './processor-profile.ts';
import { processorTypes } from './processor-types.ts';
import { equalJson } from './properties.ts';

const statuses: readonly unknown[] = ['development', 'active', 'disabled'];

const property = (manifest: Manifest | null, key: string): Json | undefined =>
  manifest && Object.hasOwn(manifest.properties, key) ? manifest.properties[key] : undefined;
const isVerified = (manifest: Manifest): boolean => (property(manifest, 'endpoint_verified_at') ?? null) !== null;

/** A new one is in development; afterwards any of the three (interface.md, Status of agent, klados and rhiza). */
const status: Rule = ({ kind, before, next }) => {
  const value = property(next, 'status');
  if (equalJson(property(before, 'status'), value)) return [];
  if (kind === 'create' && value !== 'development') return [invalid(['status'], 'a new one is in `development`')];
  return statuses.includes(value) ? [] : [invalid(['status'], 'must be development, active or disabled')];
};

/** For a command of the node the operator's list stands in for verification (decisions.md, Processors). */
const activeIsVerified: Rule = ({ before, next, options }) => {
  const listed = (m: Manifest) => options.operator === true && commandOf(property(m, 'endpoint')) !== null;
  const unverified = (m: Manifest) => property(m, 'status') === 'active' && !isVerified(m) && !listed(m);
  return unverified(next) && !(before && unverified(before))
    ? [invalid(['status'], '`active` needs a verified endpoint: verify it first (POST .../verify)')]
    : [];
};

const onlyTheNodeVerifies: Rule = ({ before, next, options }) => {
  const same = equalJson(property(before, 'endpoint_verified_at'), property(next, 'endpoint_verified_at'));
  if (same || !isVerified(next)) return [];
  return [
    onEntity(`${next.type}:manage`),
    ...(options.verifying ? [] : [forbidden('Forbidden: endpoint_verified_at is set by verification only')]),
  ];
};

/** wire-contract.md, N29. What is `disabled` runs nothing, so it may be moved and put away at once. */
const newEndpoint: Rule = ({ before, next }) => {
  if (before === null || equalJson(property(before, 'endpoint'), property(next, 'endpoint'))) return [];
  const state = property(next, 'status') ?? 'development';
  return [
    ...(isVerified(next) ? [invalid(['endpoint_verified_at'], 'a changed endpoint must be verified again')] : []),
    ...(state === 'development' || state === 'disabled'
      ? []
      : [invalid(['status'], 'a changed endpoint returns it to `development`')]),
  ];
};

const actionsRequired: Rule = ({ before, next }) => {
  const list = property(next, 'actions_required');
  if (list === undefined || equalJson(property(before, 'actions_required'), list)) return [];
  const wildcards = next.type === 'agent' && Array.isArray(list) ? [...list.entries()].filter(hasWildcard) : [];
  return [
    ...actionListIssues(list, ['actions_required']).map((issue) => invalid(issue.path, issue.message)),
    ...wildcards.map(([i]) => invalid(['actions_required', i], "an agent's actions have no wildcards")),
  ];
};

function hasWildcard([, action]: [number, Json]): boolean {
  return typeof action === 'string' && action.includes('*');
}

/** POST /agents, /kladoi and /rhizai take a collection; a generic write can't do without. */
const inACollection: Rule = ({ before, next }) => {
  const homeless = (m: Manifest) => collectionsOf(m).length === 0;
  return homeless(next) && !(before && homeless(before)) ? [invalid(['collection'], 'must lie in a collection')] : [];
};

const ofTypes =
  (types: readonly string[]) =>
  (rule: Rule): Rule =>
  (step): Finding[] =>
    types.includes(step.next.type) && step.kind !== 'delete' ? rule(step) : [];

/** What holds for agents, kladoi and rhizai beyond what holds for every entity (decisions.md, Permissions and writes). */
export const processorRules: readonly Rule[] = [
  ...[status, inACollection, validProfile, complete].map(ofTypes(processorTypes)),
  ...[activeIsVerified, onlyTheNodeVerifies, newEndpoint, actionsRequired, operatorsCommands].map(
    ofTypes(['agent', 'klados']),
  ),
  ...[validFlow].map(ofTypes(['rhiza'])),
];
