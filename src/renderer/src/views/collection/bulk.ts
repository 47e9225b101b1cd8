import { answered, api } from '../../api/client.ts';
import type { JsonMap } from '../entity/model/json.ts';
import type { TableRow } from './table-queries.ts';

/** What is done with each of many entities. */
export type BulkChange =
  | { kind: 'set'; name: string; value: JsonMap[string] }
  | { kind: 'remove'; name: string }
  | { kind: 'relate'; predicate: string; peer: { id: string; type: string; label: string } }
  | { kind: 'delete' };

export interface BulkProgress {
  done: number;
  failed: { row: TableRow; error: unknown }[];
}

/** So many requests are under way at once. */
const atOnce = 4;

/**
 * Changes entities one by one, each over the version that was seen of it, so that nothing that somebody else has written
 * meanwhile is overwritten. What fails is told, the others go on; `stopped` ends it between two.
 */
export async function changeAll(
  rows: readonly TableRow[],
  change: BulkChange,
  note: string,
  onProgress: (progress: BulkProgress) => void,
  stopped: () => boolean,
): Promise<BulkProgress> {
  const progress: BulkProgress = { done: 0, failed: [] };
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row && !stopped(); row = waiting.shift()) {
      try {
        await changeOne(row, change, note);
      } catch (error) {
        progress.failed.push({ row, error });
      }
      progress.done++;
      onProgress({ ...progress, failed: [...progress.failed] });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return progress;
}

async function changeOne({ id, cid }: TableRow, change: BulkChange, note: string): Promise<void> {
  const params = { path: { id } };
  const base = { expect_tip: cid, ...(note.trim() ? { note: note.trim() } : {}) };
  if (change.kind === 'delete') return void (await answered(api.DELETE('/entities/{id}', { params, body: base })));
  await answered(api.PUT('/entities/{id}', { params, body: { ...base, ...bodyOf(change) } }));
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
