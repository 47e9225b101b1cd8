import type { Commit } from '../store/commit.ts';
import { type MissingVersion, missingVersions } from '../store/remotes/history-starts.ts';
import { isDueAt, nextAsk } from '../store/remotes/next-ask.ts';
import { manifestProblem } from '../store/segment.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import type { SyncContext } from './arrivals.ts';
import { askForBlocks } from './blocks.ts';
import { isVersionOf } from './entity.ts';
import { fetchVersion, isUnusable, maxHeld, type Verified } from './manifests.ts';
import { rowsCommit } from './note-rows.ts';

/** How far the versions that stand before histories have been asked for at a remote. */
export interface MissingMemory {
  /** The key of a version that a history starts with: up to that one all were asked for. What comes later has higher ones. */
  after: number;
  /** Whether there was nothing behind it, and when all are asked for again. */
  done: boolean;
  again: number;
  tries: number;
}

const page = 500;
/** Asked for at once: of a node in one request. */
const together = { blocks: 72, plain: 8 };
/** After so many that a remote does not have the rest waits for the next run. */
const mostMissed = { blocks: 10_000, plain: 100 };
const maxBytes = 4 * 1024 * 1024;

/**
 * Brings what stands before histories that start here with a later version than 1, as those of an archive of tips do: nothing else
 * does, since their tips are here. What the remote does not show is asked for again after 1, 4, 16 ... minutes, at most a day, and
 * when somebody syncs; a restart forgets that it was. What it fails at ends nothing but the asking.
 * @param unasked nobody asked for the run
 * @throws UnreachableError
 */
export async function bringMissing(context: SyncContext, { unasked }: { unasked: boolean }): Promise<void> {
  const ctx = { ...context, patience: context.patience.another() };
  const { store, remote, now, blocks } = ctx;
  const { missing: memory } = ctx.memory;
  if (memory.done && (!unasked || isDueAt(memory.again, now()))) {
    memory.after = 0;
    memory.again = nextAsk(now(), memory.tries++);
  }
  memory.done = false;
  const way = blocks ? 'blocks' : 'plain';
  for (let missed = 0; ; ) {
    const { versions, next } = store.read((db) =>
      missingVersions(db, remote.key, { after: memory.after, limit: page }),
    );
    for (let at = 0; at < versions.length; at += together[way]) {
      const batch = versions.slice(at, at + together[way]);
      const brought = await bring(ctx, batch);
      if (ctx.patience.isOver) return;
      if (brought > 0) memory.tries = 0;
      missed += batch.length - brought;
      memory.after = batch.at(-1)?.above ?? memory.after;
      if (missed > mostMissed[way]) return;
    }
    if (next === null && versions.length === 0) break;
    memory.after = next ?? memory.after;
  }
  memory.done = true;
}

/** Stores what comes of them; gives of how many something came. */
async function bring(ctx: SyncContext, wanted: MissingVersion[]): Promise<number> {
  const { store, report } = ctx;
  const found =
    (ctx.blocks && (await byBlocks(ctx, wanted))) || (await Promise.all(wanted.map((it) => oneByOne(ctx, it))));
  const commits = found.flatMap((versions, i): Commit[] => {
    if (versions.length === 0) return [];
    const row = {
      kind: 'versions',
      id: wanted[i]?.id ?? '',
      blocks: versions.map(({ block }) => block).reverse(),
    } as const;
    return [rowsCommit(ctx, row)];
  });
  await submitWhenFree(store, commits, ctx.signal);
  report.versions += found.reduce((sum, { length }) => sum + length, 0);
  return commits.length;
}

/** The versions of each, newest first, as far as answers bring them; null where the remote fails at that. */
async function byBlocks(ctx: SyncContext, wanted: MissingVersion[]): Promise<Verified[][] | null> {
  const found = new Map<MissingVersion, Verified[]>();
  for (let left = wanted, before = 0; left.length > 0 && left.length !== before; ) {
    const wants = left.map(({ id, cid }) => ({ id, cid, have: null }));
    const answer = await ctx.patience.readingMany(
      () => askForBlocks(ctx.client, wants),
      ({ versions }) => versions.size,
    );
    if (answer === null) return found.size === 0 ? null : wanted.map((it) => found.get(it) ?? []);
    for (const it of left) found.set(it, await stretchOf(ctx, it, async (cid) => answer.versions.get(cid) ?? null));
    before = left.length;
    // An answer ends after some of it: what it does not come to is asked for again.
    left = left.filter((it) => found.get(it)?.length === 0 && !answer.without.has(it.id));
  }
  return wanted.map((it) => found.get(it) ?? []);
}

function oneByOne(ctx: SyncContext, wanted: MissingVersion): Promise<Verified[]> {
  return stretchOf(ctx, wanted, async (cid) => {
    const version = await ctx.patience.reading(() => fetchVersion(ctx.client, cid));
    return isUnusable(version) ? null : version;
  });
}

/** A version and those before it, newest first, down to one that is here or does not come, as many as are held at once. */
async function stretchOf(
  { store }: SyncContext,
  { id, cid, ver }: MissingVersion,
  read: (cid: string) => Promise<Verified | null>,
): Promise<Verified[]> {
  const found: Verified[] = [];
  let bytes = 0;
  for (let next: string | null = cid; next !== null && found.length < maxHeld && bytes < maxBytes; ) {
    const version = await read(next);
    if (!version || !follows(version, id, ver - found.length)) break;
    found.push(version);
    bytes += version.block.bytes.length;
    const { prev } = version.head;
    next = prev !== null && store.read((db) => isVersionOf(db, id, prev)) ? null : prev;
  }
  return found;
}

function follows({ head, manifest }: Verified, id: string, ver: number): boolean {
  return manifestProblem(manifest, id) === null && head.ver === ver && (ver === 1) === (head.prev === null);
}
