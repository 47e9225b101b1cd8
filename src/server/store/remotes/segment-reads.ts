import { cidText } from '../../blocks/cid.ts';
import { section } from '../../blocks/segment-car.ts';
import { blockBefore } from '../archive/archive-reads.ts';
import { PageEnd } from '../archive/chain-reads.ts';
import { blockWithCid } from '../blocks.ts';
import type { Reader } from '../connection.ts';

/** A stretch of a chain: from the version with the key `from` down to the one above `have`, which the asker has. */
export interface Stretch {
  from: number;
  have: string | null;
}

/** What stands in front of a page's bytes: two numbers of 64 bits. */
const headBytes = 16;

/** As many of the wanted stretches as fit in a page, newest versions first, in the form of a CAR (see segmentsOf). */
export function segmentsPage(db: Reader, { stretches }: { stretches: Stretch[] }): Uint8Array {
  const end = new PageEnd();
  const parts: Uint8Array[] = [];
  let done = 0;
  let next = 0;
  for (const { from, have } of stretches) {
    let full = false;
    for (let key: number | null = from; key !== null && !full; ) {
      const { cid, bytes } = blockWithCid(db, key);
      parts.push(...section(cid, bytes));
      const before = blockBefore(db, bytes);
      key = before === null || (have !== null && cidText(before.cid) === have) ? null : before.key;
      full = end.add(bytes.length);
      next = key ?? 0;
    }
    if (next !== 0) break;
    done++;
    if (full) break;
  }
  return page(done, next, parts);
}

/** Memory of its own, which a message can take along. */
function page(done: number, next: number, parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, headBytes));
  const head = new DataView(whole.buffer);
  head.setFloat64(0, done, true);
  head.setFloat64(8, next, true);
  let at = headBytes;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A page of segmentsPage: sections of a CAR, and the stretches that are left after it. */
export function segmentsOf(page: Uint8Array, stretches: Stretch[]): { sections: Uint8Array; left: Stretch[] } {
  const view = new DataView(page.buffer, page.byteOffset);
  const [done, next] = [view.getFloat64(0, true), view.getFloat64(8, true)];
  const left = stretches.slice(done);
  const [open] = left;
  if (next !== 0 && open) left[0] = { ...open, from: next };
  return { sections: page.subarray(headBytes), left };
}
