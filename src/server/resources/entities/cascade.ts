import { setImmediate } from 'node:timers/promises';
import { collectionsOf, type Manifest } from '../../model/manifest.ts';
import type { CascadeView } from './wire.ts';

/** How many entities are read before everything else that waits has its turn. */
const loadsPerTurn = 50;

/** An entity as a cascade meets it. */
export interface CascadeNode {
  id: string;
  type: string;
  deleted: boolean;
  /** The collection that a deleted entity last lay in. */
  collection: string | null;
  /** Whether the collection that decides on it is a mirror in which the caller may not delete it. */
  barred: boolean;
  manifest: Manifest;
}

export interface CascadeRules {
  collection: string;
  predicates: string[];
  editedBy?: string;
  maxDepth: number;
}

/** An entity that a cascade has reached, without what it says: together they may be larger than the memory. */
export interface Reached {
  id: string;
  depth: number;
}

export interface CascadePlan {
  /** What goes, in the order in which it was reached; the root is not among them. */
  reached: Reached[];
  skipped: CascadeView['skipped'];
  /** How many entities were looked at, the root included. */
  traversed: number;
  maxDepth: number;
}

/** Whether a predicate is followed: an exact name, or one in which each `*` stands for anything; never `collection`. */
export function follows(predicates: string[], predicate: string): boolean {
  return predicate !== 'collection' && predicates.some((pattern) => matches(pattern, predicate));
}

function matches(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * Why an entity is left alone, or null where it goes (interface.md, cascade; wire-contract.md N23). Collections and
 * users are no content of a collection: who may delete its entities may not delete them. What a mirror decides on is its
 * content first of all.
 */
export function skipReason(
  node: CascadeNode,
  rules: CascadeRules,
): 'not_in_collection' | 'already_deleted' | 'edited_by_mismatch' | null {
  if (node.type === 'collection' || node.type === 'user') return 'not_in_collection';
  if (node.deleted) return node.collection === rules.collection ? 'already_deleted' : 'not_in_collection';
  if (node.barred || !collectionsOf(node.manifest).includes(rules.collection)) return 'not_in_collection';
  return isOthersEdit(node, rules) ? 'edited_by_mismatch' : null;
}

/** Whether somebody else than the filter asks for has edited it last; it holds for the root too (decisions.md, Cascade). */
export function isOthersEdit({ manifest }: Pick<CascadeNode, 'manifest'>, { editedBy }: CascadeRules): boolean {
  return editedBy !== undefined && manifest.edited_by.user_id !== editedBy;
}

/**
 * What a cascade from `root` deletes: breadth first along outgoing relationships, each entity once, nothing through a
 * skipped one (decisions.md, Cascade). `load` gives undefined for ids that are not here; those are no entities.
 */
export async function planCascade(
  root: Pick<CascadeNode, 'id' | 'manifest'>,
  rules: CascadeRules,
  load: (id: string) => CascadeNode | undefined,
): Promise<CascadePlan> {
  const plan: CascadePlan = { reached: [], skipped: [], traversed: 1, maxDepth: 0 };
  const seen = new Set([root.id]);
  const unseen = (node: Pick<CascadeNode, 'manifest'>): string[] => {
    const ids = [...new Set(targets(node, rules))].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    return ids;
  };
  let level = unseen(root);
  for (let depth = 1; depth <= rules.maxDepth && level.length > 0; depth++) {
    const next: string[][] = [];
    for (const [i, id] of level.entries()) {
      if (i % loadsPerTurn === loadsPerTurn - 1) await setImmediate();
      const node = load(id);
      if (!node) continue;
      plan.traversed++;
      plan.maxDepth = depth;
      const reason = skipReason(node, rules);
      if (reason !== null) plan.skipped.push({ id, type: node.type, reason });
      else {
        plan.reached.push({ id, depth });
        if (depth < rules.maxDepth) next.push(unseen(node));
      }
    }
    level = next.flat();
  }
  return plan;
}

function targets(node: Pick<CascadeNode, 'manifest'>, rules: CascadeRules): string[] {
  return node.manifest.relationships.filter((r) => follows(rules.predicates, r.predicate)).map((r) => r.peer);
}
