import { Pace, turn } from '../loop/pace.ts';
import { fromJson } from '../model/from-json.ts';
import type { JsonObject } from '../model/manifest.ts';
import { manifestLines } from '../store/archive/archive-source.ts';
import type { TipList } from '../store/archive/tip-list.ts';
import type { NetworkStore } from '../store/network-store.ts';

/** A version as GET /entities/{id} answers it, as far as exports use it. */
export interface ListedManifest {
  id: string;
  cid: string;
  type: string;
  ver: number;
  /** ISO 8601. */
  created_at: string;
  /** Epoch milliseconds; null where another program wrote what is no time. */
  ts: number | null;
  properties: JsonObject;
  relationships: { predicate: string; peer: string; peer_label?: string }[];
}

/** The live entities of a list, each as its tip has it, in the list's order; the event loop has its turns meanwhile. */
export async function* listedManifests(
  store: NetworkStore,
  list: TipList,
): AsyncGenerator<ListedManifest, void, undefined> {
  const pace = new Pace();
  const entries = list.entries();
  let entry = entries.next();
  for await (const lines of manifestLines(store, list))
    for (const line of linesOf(lines)) {
      if (pace.step(line.length)) await turn();
      const manifest = fromJson(line.toString()) as ListedManifest & { deleted?: boolean };
      // The versions of an entity come together, its tip among them.
      while (!entry.done && entry.value.id !== manifest.id) entry = entries.next();
      if (!entry.done && manifest.cid === entry.value.tip && manifest.deleted !== true) yield manifest;
    }
}

/** Whole lines come together: no line is in two pieces. */
function* linesOf(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(10, from);
    const until = end === -1 ? buffer.length : end;
    if (until > from) yield buffer.subarray(from, until);
    from = until + 1;
  }
}
