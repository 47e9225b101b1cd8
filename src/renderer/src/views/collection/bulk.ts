import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { bringBack, manifestOf } from '../entity/bring-back.ts';
import type { Entity } from '../entity/entity-queries.ts';
import { byKey, type Content, contentOf, keyOf, sameContent, updateBetween } from '../entity/model/content.ts';
import type { JsonMap } from '../entity/model/json.ts';
import type { Bulk, Changed, Row } from './go-through.ts';

/** What is done with each of many entities. */
export type BulkChange =
  | { kind: 'set'; name: string; value: JsonMap[string] }
  | { kind: 'remove'; name: string }
  | { kind: 'relate'; predicate: string; peer: { id: string; type: string; label: string } }
  | { kind: 'delete' };

/**
 * Changes entities, each over the version that was seen of it, or over what a remote has made of that, so that nothing that somebody
 * else has written meanwhile is overwritten.
 */
export function changing(rows: readonly Row[], change: BulkChange, note: string): Bulk {
  const said = note.trim() ? { note: note.trim() } : {};
  const deleted = change.kind === 'delete';
  /** Those of which the answer was lost: they may be changed already. */
  const unclear = new Set<string>();
  return {
    undoing: false,
    rows,
    async each(row) {
      if (change.kind === 'remove' && !(await mayHave(row, change.name))) return null;
      try {
        return { row, after: await written(row, change, { expect_tip: row.cid, ...said }), deleted };
      } catch (error) {
        if (isUnclear(error)) unclear.add(row.id);
        const tip = error instanceof Failure ? error.actual : null;
        if (tip === null) throw error;
        if (unclear.has(row.id) && (await isMade(row, change, note.trim(), tip))) return { row, after: tip, deleted };
        if (!(await saysSame(row.cid, tip))) throw await asDeletion(error);
        return { row, after: await written(row, change, { expect_tip: tip, ...said }), deleted };
      }
    },
  };
}

/** Makes a new version of each that says what it said before. What somebody has written since is left alone, and told. */
export function undoing(changed: readonly Changed[], note: string): Bulk {
  const by = new Map(changed.map((one) => [one.row.id, one]));
  return {
    undoing: true,
    rows: changed.map(({ row }) => row),
    async each(row) {
      const { after, deleted } = by.get(row.id)!;
      const params = { path: { id: row.id } };
      if (deleted) return { row, after: await bringBack(row.id, after), deleted: false };
      const now = await answered<Entity>(api.GET('/entities/{id}', { params }));
      const update = updateBetween(contentOf(now), contentOf(await manifestOf(row.cid)));
      if (Object.keys(update).length === 0) return { row, after: now.cid, deleted: false };
      // A remote may have made a version of its own of what was written.
      if (now.cid !== after && !(await saysSame(after, now.cid)))
        throw new Failure('conflict', 'changed since', 409, { actual: now.cid });
      const body = { expect_tip: now.cid, note, ...update };
      const { cid } = await answered(api.PUT('/entities/{id}', { params, body }));
      return { row, after: cid, deleted: false };
    },
  };
}

async function written(row: Row, change: BulkChange, base: { expect_tip: string; note?: string }): Promise<string> {
  const params = { path: { id: row.id } };
  const request =
    change.kind === 'delete'
      ? answered(api.DELETE('/entities/{id}', { params, body: base }))
      : answered(api.PUT('/entities/{id}', { params, body: { ...base, ...bodyOf(change) } }));
  return (await request).cid;
}

/** Whether something may be taken away: what is another version than the one that was seen is refused when it is written. */
async function mayHave({ id, cid }: Row, name: string): Promise<boolean> {
  const now = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } } }));
  return now.cid !== cid || Object.hasOwn(now.properties, name);
}

/** The same failure; where what stands in the way is a deletion, one that says so. */
async function asDeletion(error: unknown): Promise<unknown> {
  const tip = error instanceof Failure ? error.actual : null;
  if (tip === null || !(await manifestOf(tip)).deleted) return error;
  return new Failure('gone', 'deleted since', 404, { tip });
}

/** Whether two versions, neither of which is a deletion, say the same. */
async function saysSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([manifestOf(one), manifestOf(other)]);
  return !a.deleted && !b.deleted && sameContent(contentOf(a), contentOf(b));
}

/** Whether nobody knows what became of a write: no answer came, or the node itself could not tell (503). */
function isUnclear(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'unreachable' || error.status === 503);
}

/**
 * Whether a version is all that the change made of the one that was seen: where that said it already, what somebody else has written
 * says it too, and is not to be undone.
 */
async function isMade(row: Row, change: BulkChange, note: string, cid: string): Promise<boolean> {
  const { prev, deleted = false, ...manifest } = await manifestOf(cid);
  if (prev?.['/'] !== row.cid || (manifest.note ?? '') !== note) return false;
  if (change.kind === 'delete' || deleted) return change.kind === 'delete' && deleted;
  return sameContent(contentOf(manifest), changed(contentOf(await manifestOf(row.cid)), change));
}

function changed({ properties, relationships }: Content, change: Exclude<BulkChange, { kind: 'delete' }>): Content {
  if (change.kind === 'set') return { properties: { ...properties, [change.name]: change.value }, relationships };
  if (change.kind === 'remove') {
    const left = Object.entries(properties).filter(([name]) => name !== change.name);
    return { properties: Object.fromEntries(left), relationships };
  }
  const one = { predicate: change.predicate, peer: change.peer.id };
  const isThere = byKey(relationships).has(keyOf(one));
  return { properties, relationships: isThere ? relationships : [...relationships, one] };
}

function bodyOf(change: Exclude<BulkChange, { kind: 'delete' }>) {
  if (change.kind === 'remove') return { properties_remove: [change.name] };
  if (change.kind === 'relate') {
    const { id, type, label } = change.peer;
    const one = { predicate: change.predicate, peer: id, peer_type: type, ...(label ? { peer_label: label } : {}) };
    return { relationships_add: [one] };
  }
  // An object would be merged with one that is there: here it takes its place.
  return { properties_remove: [change.name], properties: { [change.name]: change.value } };
}
