import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import type { Entity } from '../entity/entity-queries.ts';
import { contentOf, updateBetween } from '../entity/model/content.ts';
import type { JsonMap } from '../entity/model/json.ts';
import type { TableRow } from './table-queries.ts';

/** What is done with each of many entities. */
export type BulkChange =
  | { kind: 'set'; name: string; value: JsonMap[string] }
  | { kind: 'remove'; name: string }
  | { kind: 'relate'; predicate: string; peer: { id: string; type: string; label: string } }
  | { kind: 'delete' };

/** What of an entity has to be known to change it, and to tell of it. */
type Row = Pick<TableRow, 'id' | 'label' | 'cid'>;

/** An entity that was changed: the version before, and the one that it became. */
export interface Changed {
  row: Row;
  after: string;
  deleted: boolean;
}

export interface BulkProgress {
  /** How many of all have been gone through. */
  done: number;
  changed: readonly Changed[];
  failed: readonly { row: Row; error: unknown }[];
}

interface Watch {
  onProgress(progress: BulkProgress): void;
  /** Asked before each: whether it is to end. */
  stopped(): boolean;
}

/** So many requests are under way at once. */
const atOnce = 4;
/** Milliseconds between two reports. */
const pause = 100;

/**
 * Changes entities one by one, each over the version that was seen of it, so that nothing that somebody else has written
 * meanwhile is overwritten. What fails is told, the others go on.
 */
export function changeAll(rows: readonly Row[], change: BulkChange, note: string, watch: Watch) {
  return goThrough(rows, watch, async (row) => {
    const params = { path: { id: row.id } };
    const base = { expect_tip: row.cid, ...(note.trim() ? { note: note.trim() } : {}) };
    if (change.kind === 'delete') {
      const { cid } = await answered(api.DELETE('/entities/{id}', { params, body: base }));
      return { row, after: cid, deleted: true };
    }
    const { cid } = await answered(api.PUT('/entities/{id}', { params, body: { ...base, ...bodyOf(change) } }));
    return { row, after: cid, deleted: false };
  });
}

/**
 * Makes a new version of each that says what it said before. What somebody has written since is left alone, and told.
 * @throws nothing: what fails is in the result
 */
export function undoAll(changed: readonly Changed[], note: string, watch: Watch) {
  const by = new Map(changed.map((one) => [one.row.id, one]));
  return goThrough(
    changed.map(({ row }) => row),
    watch,
    async (row) => {
      const { after, deleted } = by.get(row.id)!;
      const params = { path: { id: row.id } };
      if (deleted) {
        const body = { expect_tip: after };
        const { cid } = await answered(api.POST('/entities/{id}/restore', { params, body }));
        return { row, after: cid, deleted: false };
      }
      const now = await answered<Entity>(api.GET('/entities/{id}', { params }));
      if (now.cid !== after) throw new Failure('conflict', 'changed since', 409, { actual: now.cid });
      const { manifest } = await answered(api.GET('/versions/manifest/{cid}', { params: { path: { cid: row.cid } } }));
      const update = updateBetween(contentOf(now), contentOf(manifest));
      if (Object.keys(update).length === 0) return { row, after, deleted: false };
      const body = { expect_tip: after, note, ...update };
      const { cid } = await answered(api.PUT('/entities/{id}', { params, body }));
      return { row, after: cid, deleted: false };
    },
  );
}

async function goThrough(
  rows: readonly Row[],
  { onProgress, stopped }: Watch,
  each: (row: Row) => Promise<Changed>,
): Promise<BulkProgress> {
  const changed: Changed[] = [];
  const failed: { row: Row; error: unknown }[] = [];
  const standing = (): BulkProgress => ({
    done: changed.length + failed.length,
    changed: [...changed],
    failed: [...failed],
  });
  let next = 0;
  let told = 0;
  const work = async () => {
    for (let row = rows[next++]; row && !stopped(); row = rows[next++]) {
      try {
        changed.push(await each(row));
      } catch (error) {
        failed.push({ row, error });
      }
      if (performance.now() - told < pause) continue;
      told = performance.now();
      onProgress(standing());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return standing();
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
