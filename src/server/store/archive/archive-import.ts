import { open } from 'node:fs/promises';
import { type Archive, openArchive } from '../../blocks/archive-reader.ts';
import { type Chain, walkArchive } from '../../blocks/archive-walk.ts';
import { type Block, decodeManifest, encodeManifest } from '../../blocks/encode.ts';
import { FileStore } from '../../blocks/file-store.ts';
import { StorageError } from '../../errors.ts';
import type { Manifest } from '../../model/manifest.ts';
import { restored, type Stamp } from '../../model/next-version.ts';
import { rolesOf } from '../../model/roles.ts';
import { findBlock } from '../blocks.ts';
import { type Commit, maxVersionsPerCommit, type Row } from '../commit.ts';
import type { Reader } from '../connection.ts';
import { contentHash } from '../content-hash.ts';
import { findTip } from '../entities.ts';
import { undoneTip } from '../imports/import-sources.ts';
import { filesFolder } from '../network-folders.ts';
import type { NetworkStore } from '../network-store.ts';
import { submitWhenFree } from '../submit-when-free.ts';
import { findVersion, chain as history, lastLive, versionByKey, versionNumber } from '../versions.ts';
import { knownWith } from './archive-check.ts';
import { type ForkFacts, forkRow, forkWaits, listedFork } from './archive-forks.ts';
import { descends } from './archive-reads.ts';

/** What became of an archive's entities. */
export interface ImportTally {
  entities: number;
  /** Versions that were stored, those that brought something back among them. */
  versions: number;
  content: number;
  created: number;
  advanced: number;
  unchanged: number;
  /** Entities whose tip here does not descend from the archive's nor the other way round. */
  forks: number;
  fork_examples: { id: string; ours: string; theirs: string }[];
  /** Of the forks, those that are not listed, because another archive's is. */
  waiting: number;
  /** Entities whose history starts here with a later version than 1. */
  partial: number;
  partial_examples: { id: string; ver: number }[];
}

/**
 * `run`: the import under which is kept what it brings into being; null for none. `by`: who writes the versions that bring
 * back what an undo deleted, and under which schema; without it they stay deleted. `newest`: the key of the version that was stored
 * last when the import began: what was undone after that stays deleted, though the import is completed later.
 */
export interface ArchiveRun {
  now: () => number;
  run: string | null;
  by?: Pick<Stamp, 'schema' | 'edited_by'> | undefined;
  newest?: number | undefined;
}

const examples = 20;
/** One slice: what is submitted at once. */
const sliceVersions = 256;
const sliceBytes = 8 * 1024 * 1024;

/** One entity's part, as far as it is not written yet: the last of its versions, and what moves the tip. */
interface Part {
  chain: Chain;
  commits: Commit[];
  versions: number;
  bytes: number;
  result: 'created' | 'advanced' | 'unchanged' | 'fork';
  ours: string | null;
  /** A fork that is not listed, because another archive's is. */
  waits: boolean;
}

/**
 * Applies a verified archive over what is here (decisions.md, Large and long), each entity by itself; applying it again
 * completes what was interrupted. Gives the tally now and then, and at the end.
 */
export async function* applyArchive(
  store: NetworkStore,
  file: string,
  run: ArchiveRun,
): AsyncGenerator<ImportTally, ImportTally, undefined> {
  const handle = await open(file, 'r');
  // One slice is written while the next is made: no two of them have an entity in common.
  let writing: Promise<void> = Promise.resolve();
  try {
    const archive = await openArchive(handle);
    const files = new FileStore(filesFolder(store.folder));
    const tally = emptyTally();
    let slice: Part[] = [];
    const known = (cid: string) => store.read((db) => knownWith(db, archive, files)(cid));
    for await (const chain of walkArchive(archive, known)) {
      tally.content += await keepContent(archive, chain, files);
      slice.push(await planned(store, archive, chain, run));
      const size = slice.reduce((sum, part) => ({ v: sum.v + part.versions, b: sum.b + part.bytes }), { v: 0, b: 0 });
      if (slice.length < sliceVersions && size.v < sliceVersions && size.b < sliceBytes) continue;
      await writing;
      writing = write(store, archive, slice, tally, run);
      // Its failure is met where it is awaited.
      writing.catch(() => undefined);
      slice = [];
      yield tally;
    }
    await writing;
    await write(store, archive, slice, tally, run);
    return tally;
  } finally {
    await writing.catch(() => undefined);
    await handle.close();
  }
}

function emptyTally(): ImportTally {
  return {
    entities: 0,
    versions: 0,
    content: 0,
    created: 0,
    advanced: 0,
    unchanged: 0,
    forks: 0,
    fork_examples: [],
    waiting: 0,
    partial: 0,
    partial_examples: [],
  };
}

async function keepContent(archive: Archive, chain: Chain, files: FileStore): Promise<number> {
  let kept = 0;
  for (const cid of chain.content) {
    const content = (await files.size(cid)) === undefined ? archive.content(cid) : null;
    if (!content) continue;
    await files.put(content.chunks, { expected: cid });
    kept++;
  }
  return kept;
}

/**
 * What an entity's chain does to what is here. Of a chain that no commit holds, all versions but the last are stored on
 * the way, so that only a part of it is held: as long as no tip leads to them they are nobody's, and a restart goes on
 * with them.
 */
async function planned(
  store: NetworkStore,
  archive: Archive,
  chain: Chain,
  { now, run, by, newest = Number.MAX_SAFE_INTEGER }: ArchiveRun,
): Promise<Part> {
  const { id, tip } = chain.entry;
  const time = now();
  const { ours, isHere, wasTip } = store.read((db) => ({
    ours: findTip(db, id) ?? null,
    isHere: findBlock(db, tip) !== undefined,
    wasTip: listedFork(db, id) === null && wasTipHere(db, tip),
  }));
  const part: Part = { chain, commits: [], versions: 0, bytes: 0, result: 'unchanged', ours, waits: false };
  const commit = (rows: Row[], blocks: Block[] | null): Commit => ({
    changes: blocks ? [{ id, expect: ours, tip, blocks }] : [],
    preconditions: blocks || ours === null ? [] : [{ id, tip: ours }],
    rows,
    origin: 'car',
    time,
  });
  if (ours === null) part.result = 'created';
  else if (ours === tip || wasTip || (isHere && (await isDescendant(store, ours, tip)))) part.result = 'unchanged';
  else if (await follows(store, chain, ours)) part.result = 'advanced';
  else part.result = await forkOf(store, archive, chain, ours);

  const back =
    part.result === 'unchanged' && by ? store.read((db) => undoTaken(db, id, { ...by, time, newest })) : null;
  if (back) {
    const made: Row[] = run === null ? [] : [{ kind: 'archive_made', run, id, cid: back.cid }];
    const change = { id, expect: ours, tip: back.cid, blocks: [back] };
    part.commits.push({ changes: [change], preconditions: [], rows: made, origin: 'car', time });
    return { ...part, versions: 1, bytes: back.bytes.length, result: 'created' };
  }
  const moves = part.result === 'created' || part.result === 'advanced';
  const rowsOf = (blocks: Block[]): Row[] => [{ kind: 'versions', id, blocks }];
  const kept = (blocks: Block[]): Commit => ({
    changes: [],
    preconditions: [],
    rows: rowsOf(blocks),
    origin: 'car',
    time,
  });
  let last: Block[] = [];
  for await (const blocks of stretchesOf(archive, chain)) {
    if (last.length > 0) await submitWhenFree(store, [kept(last)]);
    last = blocks;
    part.versions += blocks.length;
  }
  part.bytes = bytesOf(last);
  const carried = moves && !isHere ? last : [];
  if (last.length > 0 && carried.length === 0) part.commits.push(kept(last));
  const facts = ours === null ? null : await forkFacts(store, chain, ours, part.result === 'fork');
  part.waits = facts !== null && forkWaits(facts);
  const conflict = facts === null ? null : forkRow(facts);
  const forks: Row[] = conflict === null ? [] : [conflict];
  const made: Row[] = part.result === 'created' && run !== null ? [{ kind: 'archive_made', run, id, cid: tip }] : [];
  if (moves) part.commits.push(commit([...forks, ...made], carried));
  else if (forks.length > 0) part.commits.push(commit(forks, null));
  return part;
}

/** Whether a version was the tip here, which another one followed, though it need not descend from it: a remote may have its own. */
function wasTipHere(db: Reader, cid: string): boolean {
  const block = findBlock(db, cid);
  return (
    block !== undefined &&
    db.get('SELECT 1 FROM moves WHERE entity = ? AND new_tip = ? LIMIT 1', block.entity, block.key) !== undefined
  );
}

async function forkFacts(store: NetworkStore, chain: Chain, ours: string, isFork: boolean): Promise<ForkFacts> {
  const { id, tip } = chain.entry;
  const listed = store.read((db) => listedFork(db, id));
  const holdsListed = listed !== null && (await follows(store, chain, listed));
  const isBelowListed = listed !== null && !holdsListed && (await isDescendant(store, listed, tip));
  return { id, ours, tip, isFork, listed, holdsListed, isBelowListed };
}

/**
 * The version that takes back a deletion that the undo of an archive's import left as the tip; null where it is none, or one that
 * was written after the version with the key `newest`.
 */
function undoTaken(
  db: Reader,
  id: string,
  { time, newest, ...by }: { time: number; newest: number } & Pick<Stamp, 'schema' | 'edited_by'>,
): Block | null {
  const tip = undoneTip(db, id);
  const grave = tip === undefined || tip > newest ? undefined : versionByKey(db, tip);
  const last = grave && lastLive(db, grave.manifest);
  if (!grave || !last) return null;
  const ts = new Date(time).toISOString();
  return encodeManifest(restored(last.manifest, grave.manifest, grave.cid, { ...by, ts }));
}

/** Whether the archive's tip is a version that is here, or descends from it, as far as that can be shown. */
async function follows(store: NetworkStore, { versions, base, baseKnown }: Chain, here: string): Promise<boolean> {
  return versions.includes(here) || (baseKnown && base !== null && (await isDescendant(store, base, here)));
}

/**
 * Equal content never conflicts (decisions.md, Sync): the archive's version is taken unless ours has the higher number. So it is with
 * what follows it in a history that has taken the place of ours where the archive was made.
 */
async function forkOf(store: NetworkStore, archive: Archive, chain: Chain, ours: string): Promise<Part['result']> {
  const { tip, ver } = chain.entry;
  const here = store.read((db) => findVersion(db, ours)?.manifest);
  const bytes = (await archive.block(tip))?.bytes ?? store.read((db) => findVersion(db, tip)?.bytes);
  if (!here || !bytes) return 'fork';
  if (contentHash(here) !== contentHash(decodeManifest(bytes)))
    return (await isReplaced(store, archive, chain, ours)) ? 'advanced' : 'fork';
  return ver >= here.ver ? 'advanced' : 'unchanged';
}

/**
 * Whether the archive's history has no version in common with the one here, and what it says newest of all that was said here is what
 * our tip says. Long histories are not compared.
 */
async function isReplaced(
  store: NetworkStore,
  archive: Archive,
  { versions, base, baseKnown }: Chain,
  ours: string,
): Promise<boolean> {
  if (versions.length > nearVersions || (base !== null && !baseKnown)) return false;
  const [mine, below] = store.read((db) => [ours, base].map((cid) => (cid ? history(db, cid, nearVersions + 1) : [])));
  if (!mine || !below || mine.length > nearVersions || below.length > nearVersions) return false;
  const ids = new Set(mine.map(({ cid }) => cid));
  if ([...versions, ...below.map(({ cid }) => cid)].some((cid) => ids.has(cid))) return false;
  const said = contentsOf(mine.map(({ manifest }) => manifest));
  const blocks = await Promise.all(versions.toReversed().map((cid) => archive.block(cid)));
  const above = blocks.flatMap((block) => (block ? [decodeManifest(block.bytes)] : []));
  const newest = contentsOf([...above, ...below.map(({ manifest }) => manifest)]).find((says) => said.includes(says));
  return newest !== undefined && newest === said[0];
}

/**
 * What the versions of a history say, the newest first. Who made a collection is its owner, whoever that is in either history, and a
 * membership is the same whenever it was given.
 */
function contentsOf(manifests: Manifest[]): string[] {
  const first = manifests.at(-1);
  const founder = first?.prev === null ? first.edited_by.user_id : null;
  return manifests.map((manifest) => {
    if (manifest.type !== 'collection') return contentHash(manifest);
    const roles = rolesOf(manifest);
    const relationships = manifest.relationships.map((r) => {
      if (!roles.has(r.predicate)) return r;
      const { granted_at: _at, granted_by: _by, ...properties } = r.properties ?? {};
      return { ...r, peer: r.peer === founder ? '' : r.peer, properties };
    });
    return contentHash({ ...manifest, relationships });
  });
}

/** The blocks that the archive brings, oldest first, in stretches that each fit a commit, read one after the other. */
async function* stretchesOf(archive: Archive, chain: Chain): AsyncGenerator<Block[], void, undefined> {
  let open: Block[] = [];
  let bytes = 0;
  for (const cid of chain.versions) {
    const block = await archive.block(cid);
    if (!block) throw new StorageError(`The spooled archive no longer holds version ${cid}.`);
    if (open.length === maxVersionsPerCommit / 2 || (open.length > 0 && bytes + block.bytes.length > sliceBytes)) {
      yield open;
      open = [];
      bytes = 0;
    }
    open.push({ cid, bytes: block.bytes });
    bytes += block.bytes.length;
  }
  if (open.length > 0) yield open;
}

function bytesOf(blocks: Block[]): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Walks further than this are left to a reader thread. */
const nearVersions = 32;

/** Whether `from` is `to` or descends from it; both are stored. */
async function isDescendant(store: NetworkStore, from: string, to: string): Promise<boolean> {
  if (from === to) return true;
  const near = store.read((db) => {
    const [later, earlier] = [from, to].map((cid) => versionNumber(db, cid));
    if (later === undefined || earlier === undefined || later <= earlier) return false;
    return later - earlier > nearVersions ? null : descends(db, { from, to });
  });
  return near ?? Buffer.from(await store.readLong('descends', { from, to })).toString() === 'true';
}

async function write(
  store: NetworkStore,
  archive: Archive,
  parts: Part[],
  tally: ImportTally,
  run: ArchiveRun,
): Promise<void> {
  const outcomes = await submitWhenFree(
    store,
    parts.flatMap(({ commits }) => commits),
  );
  let at = 0;
  for (const part of parts) {
    const own = outcomes.slice(at, at + part.commits.length);
    at += part.commits.length;
    let done = part;
    // Somebody moved the tip meanwhile: this entity is planned again from what is there now.
    for (let lost = own.some((outcome) => !outcome.committed); lost; ) {
      const refused = own.find((outcome) => 'refused' in outcome && outcome.refused !== undefined);
      if (refused && 'refused' in refused) throw new StorageError(`An entity could not be written: ${refused.refused}`);
      done = await planned(store, archive, part.chain, run);
      lost = (await submitWhenFree(store, done.commits)).some((outcome) => !outcome.committed);
    }
    count(tally, done);
  }
}

function count(tally: ImportTally, { chain, versions, result, ours, waits }: Part): void {
  const { id, tip } = chain.entry;
  tally.entities++;
  tally.versions += versions;
  if (result === 'fork') {
    tally.forks++;
    if (waits) tally.waiting++;
    if (tally.fork_examples.length < examples) tally.fork_examples.push({ id, ours: ours ?? '', theirs: tip });
  } else tally[result]++;
  if (chain.base !== null && !chain.baseKnown && versions > 0) {
    tally.partial++;
    const ver = chain.entry.ver - chain.versions.length + 1;
    if (tally.partial_examples.length < examples) tally.partial_examples.push({ id, ver });
  }
}
