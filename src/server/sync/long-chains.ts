import { versionHead } from '../store/versions.ts';
import type { SyncContext } from './arrivals.ts';
import { fetchChains } from './blocks.ts';
import { isVersionOf } from './entity.ts';
import { checkKey } from './key-check.ts';
import {
  type Chain,
  chainOfVersions,
  completeChain,
  fetchVersion,
  isUnusable,
  linkProblem,
  maxHeld,
  Room,
  type Unusable,
  type Verified,
  versionOfBytes,
} from './manifests.ts';
import { noteRows } from './note-rows.ts';
import { readVersionsPage, readWords } from './wire.ts';

// A chain that is too long to be held at once comes from its oldest version on: each slice is checked and stored with all
// that is below it, and the tip moves with the last version alone. A kill costs the slice that was under way.

/** Versions of one entity that are brought; their CIDs are held at once. */
const maxVersions = 100_000;
/** What GET /versions/{id} gives at once. */
const pageVersions = 10;
const sliceBytes = 4 * 1024 * 1024;
/** Versions that are asked for at once, one by one. */
const window = 8;

/** A tip with the versions below it that are not here; where they are many, all but the tip are stored already. */
export async function wholeChain(
  ctx: SyncContext,
  id: string,
  tip: Verified,
  room = new Room(),
): Promise<Chain | Unusable> {
  const chain = await completeChain(ctx.client, id, tip, isHereOf(ctx, id), room);
  return chain === 'long' ? completeLong(ctx, id, tip) : chain;
}

/** One at a time, so that only one slice is held. */
export function completeLong(ctx: SyncContext, id: string, tip: Verified): Promise<Chain | Unusable> {
  return ctx.long.add(() => stage(ctx, id, tip));
}

function isHereOf({ store }: SyncContext, id: string): (cid: string) => boolean {
  return (cid) => store.read((db) => isVersionOf(db, id, cid));
}

/** A stored version, and its number. */
interface Below {
  cid: string;
  ver: number;
}

async function stage(ctx: SyncContext, id: string, tip: Verified): Promise<Chain | Unusable> {
  const { report } = ctx;
  const listed = await unknownBelow(ctx, id, tip);
  if (isUnusable(listed)) return listed;
  const { cids } = listed;
  let { below } = listed;
  while (cids.length > 0) {
    const slice = await fetchSlice(ctx, id, cids, below);
    if (isUnusable(slice)) return slice;
    for (const version of slice) {
      const problem = linkProblem(version, id, below);
      if (problem !== null) return problem;
      below = { cid: version.block.cid, ver: version.head.ver };
    }
    await noteRows(ctx, { kind: 'versions', id, blocks: slice.map(({ block }) => block) });
    report.versions += slice.length;
    cids.length -= slice.length;
  }
  const problem = linkProblem(tip, id, below);
  return problem ?? chainOfVersions([tip]);
}

/**
 * The versions below a tip that are not here, newest first, as the remote lists them, and the one below them that is. A page may
 * begin with the version that it was asked from, or with the one below it.
 */
async function unknownBelow(
  ctx: SyncContext,
  id: string,
  tip: Verified,
): Promise<{ cids: string[]; below: Below | null } | Unusable> {
  const incomplete = (evidence: string): Unusable => ({ trouble: 'incomplete', evidence });
  const isHere = isHereOf(ctx, id);
  const listed = new Set<string>();
  for (let from = tip.head.prev; from !== null; ) {
    const path = `/versions/${id}?limit=${pageVersions}&from=${encodeURIComponent(from)}`;
    const answer = await ctx.client.read(path);
    checkKey(ctx.client, answer, 'shows no versions');
    const { status, body } = answer;
    const page = status === 200 ? readVersionsPage(body) : null;
    if (page === null) return incomplete(`its versions are not listed: ${readWords(body, status)}`);
    const before = listed.size;
    const isLeftOut = before === 0 && !page.cids.includes(from);
    for (const cid of isLeftOut ? [from, ...page.cids] : page.cids) {
      const ver = isHere(cid) ? ctx.store.look((db) => versionHead(db, cid)?.ver) : undefined;
      if (ver !== undefined) return { cids: [...listed], below: { cid, ver } };
      listed.add(cid);
    }
    const isEndless = page.next !== null && listed.size === before;
    if (isEndless || listed.size > maxVersions) return incomplete('its history is too long');
    from = page.next;
  }
  return { cids: [...listed], below: null };
}

/** The next versions above what is here, oldest first, at least one. */
async function fetchSlice(
  ctx: SyncContext,
  id: string,
  cids: string[],
  below: Below | null,
): Promise<Verified[] | Unusable> {
  const isHere = (_id: string, cid: string) => isHereOf(ctx, id)(cid);
  if (ctx.blocks)
    for (let count = Math.min(maxHeld, cids.length); count > 0; count = Math.floor(count / 2)) {
      const want = { id, cid: cids.at(-count) ?? '', have: below?.cid ?? null };
      const fetch = () => fetchChains(ctx.client, [want], isHere, ctx.turns, new Room(sliceBytes));
      const fetched = await ctx.patience.readingMany(fetch, ({ size }) => size);
      const found = fetched?.get(id);
      if (!found) break;
      if (isUnusable(found)) return found;
      // Less of it where the versions are large.
      if ('chain' in found) return found.chain.blocks.map(versionOfBytes);
    }
  return fetchOneByOne(ctx, cids);
}

async function fetchOneByOne({ client }: SyncContext, cids: string[]): Promise<Verified[] | Unusable> {
  const slice: Verified[] = [];
  for (let bytes = 0; slice.length < Math.min(maxHeld, cids.length) && bytes < sliceBytes; ) {
    const next = cids
      .slice(0, cids.length - slice.length)
      .slice(-window)
      .reverse();
    for (const version of await Promise.all(next.map((cid) => fetchVersion(client, cid)))) {
      if (isUnusable(version))
        return version.trouble === 'mismatch'
          ? version
          : { trouble: 'incomplete', evidence: `one of its versions: ${version.evidence}` };
      slice.push(version);
      bytes += version.block.bytes.length;
    }
  }
  return slice;
}
