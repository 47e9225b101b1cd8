import type { IssuePath } from '../errors.ts';
import { type Manifest, type Relationship, relationshipKey } from './manifest.ts';
import { equalJson } from './properties.ts';
import { sameRelationship } from './relationships.ts';

/** An action that the writer must hold: on the entity, through its present placement, or on a collection. */
export type Demand = { action: string; on: 'entity' } | { action: string; on: { collection: string } };

/** Why nobody may write this, whatever the permissions. */
export type Refusal = { kind: 'forbidden'; message: string } | { kind: 'validation'; path: IssuePath; message: string };

/** What stands around an entity; a rule that asks for it has nothing to say without it. */
export interface Surroundings {
  /** The types of those of the ids that are here, deleted ones too. */
  typesOf(ids: readonly string[]): ReadonlyMap<string, string>;
  /**
   * `parents` and all folders above them, as far as they are here; with `holders` also those that contain the folder `id`
   * already, and above. `id` is among them where it is met, and nothing that only it contains. null: too many to look at.
   */
  foldersAbove(id: string, parents: readonly string[], holders: boolean): ReadonlySet<string> | null;
}

/** What the node itself is doing, which no body can claim. */
export interface GuardOptions {
  surroundings?: Surroundings;
  /** A registration, the only source of users. */
  registering?: boolean;
  /** The node has verified the processor's endpoint. */
  verifying?: boolean;
  /** The bytes of a file arrive by its content endpoint, which takes that action instead of `file:update`. */
  uploading?: 'upload' | 'reupload';
  /** The node writes a job's temporary roles (`klados_<id>`, `agent_<id>`) for an invoker who holds what they give. */
  granting?: boolean;
  /** The operator of this node writes. */
  operator?: boolean;
  /** What is written was made on another node. */
  elsewhere?: boolean;
  /** Before a restore: the last version that was not deleted. Without it everything in `next` counts as new. */
  last?: Manifest;
}

/** What a rule sees of one step. `before` is what the step's content is compared with; null at a creation. */
export interface Step {
  kind: 'create' | 'update' | 'delete' | 'restore';
  base: Manifest | null;
  before: Manifest | null;
  next: Manifest;
  /** Whether properties or relationships differ from `before`. */
  changed: boolean;
  options: GuardOptions;
}

export type Finding = Demand | Refusal;
/** One rule: what it demands or refuses of a step; nothing where it has nothing to say. */
export type Rule = (step: Step) => Finding[];

export const onEntity = (action: string): Demand => ({ action, on: 'entity' });
export const onCollection = (action: string, collection: string): Demand => ({ action, on: { collection } });
export const invalid = (path: IssuePath, message: string): Refusal => ({ kind: 'validation', path, message });
export const forbidden = (message: string): Refusal => ({ kind: 'forbidden', message });

/** Whether two manifests say the same of their peers, in the same order. */
export function sameRelationships(a: Relationship[], b: Relationship[]): boolean {
  const same = (x: Relationship, y: Relationship | undefined) =>
    y !== undefined && relationshipKey(x) === relationshipKey(y) && sameRelationship(x, y, equalJson);
  return a.length === b.length && a.every((r, i) => same(r, b[i]));
}
