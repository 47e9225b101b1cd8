import { randomUUID } from 'node:crypto';
import { fromJson } from '../model/from-json.ts';
import type { Json } from '../model/manifest.ts';
import type { Connection, Reader, Writer } from '../store/connection.ts';
import { earlierMoveOf, lastMove, lastMoveOf, movedCid, movedPage } from '../store/events.ts';
import {
  addTerm,
  askAgain,
  askNaming,
  askRelabel,
  type Doc,
  docOf,
  dropDoc,
  emptyIndex,
  indexed,
  isSettled,
  nextRelabel,
  ownMeta,
  putDoc,
  putNamed,
  relabelled,
  seenAgain,
  setMeta,
  takeAgain,
} from '../store/search/search-index.ts';
import {
  collectionSummary,
  isPeer,
  labelOfId,
  neighboursOf,
  type SourceRow,
  sourceRow,
  sourcesOf,
} from '../store/search/search-source.ts';
import { isOfStorage } from '../store/storage-error.ts';
import { noteRest } from './rested.ts';
import { digestOf, docWords, type EntityText, entityText, passageOf, sameTexts } from './text.ts';
import { noteUnread, type Unread, unreadOf } from './unread.ts';
import type { Embedded, VectorKeeper } from './vector-keeper.ts';

/** Where the index stands after a slice. */
export interface IndexStand {
  /** The last move that is in it. */
  cursor: number;
  last: number;
  /** Whether texts remain to be taken up. */
  behind: boolean;
  /** Whether vectors remain to be made, or something to be learned. */
  learning: boolean;
  /** The name of the embedder whose vectors are searched; null where there are none. */
  serving: string | null;
  /** Entities of whose texts nothing could be made; of very many some. */
  unread: Unread[];
}

/** An index as a thread writes it: its connections, and what it remembers of it. */
export interface Writing {
  main: Connection;
  index: Connection;
  /** Words that are in the table of terms. */
  terms: Set<string>;
  epoch: string | undefined;
  vectors: VectorKeeper;
}

const pageMoves = 50;
const pageAgain = 100;
/** Of what leads to one entity. */
const pageSources = 400;
/** Entities whose texts are read at once: a state of the database that is read for longer keeps its log from being emptied. */
const readAtOnce = 20;
const maxNeighbours = 300;
const maxNamed = 200;
const maxTermsKept = 100_000;
const summarySample = 200;

/**
 * Takes up what the index lacks, as far as a slice of `ms` goes: first what moved, then whatever shows a label that
 * changed. The cursor is in the same transaction, so that a slice may end at any time and nothing is left out.
 */
export function indexSlice(writing: Writing, ms: number): IndexStand {
  const { main, index } = writing;
  const until = performance.now() + ms;
  return indexed(index, () => {
    if (isForeign(main, index)) emptyIndex(index, randomUUID());
    const epoch = ownMeta(index, 'epoch');
    if (epoch !== writing.epoch) {
      writing.terms.clear();
      writing.vectors.reset();
      writing.epoch = epoch;
    }
    let [behind, learning, taken] = [true, true, false];
    const passagesOf = (keys: readonly number[]) => main.snapshot((db) => embeddedOf(db, keys));
    while ((behind || learning) && performance.now() < until) {
      behind = follow(writing) || rework(writing);
      taken ||= behind;
      if (behind) continue;
      // Somebody may wait for what was taken up.
      if (taken) break;
      learning = writing.vectors.step(passagesOf);
    }
    const last = main.snapshot(lastMove);
    const { serving } = writing.vectors;
    const sliced = { cursor: cursorOf(index), last, behind, learning, serving, unread: unreadOf(index) };
    if (!behind && !learning) noteRest(index, sliced, writing.vectors.wanted);
    return sliced;
  });
}

function cursorOf(index: Reader): number {
  return Number(ownMeta(index, 'cursor') ?? 0);
}

/** Whether the index is new, or of another database than this: a backup was restored, say. */
function isForeign(main: Connection, index: Connection): boolean {
  if (ownMeta(index, 'epoch') === undefined) return true;
  const cursor = cursorOf(index);
  return cursor > 0 && main.snapshot((db) => movedCid(db, cursor)) !== ownMeta(index, 'anchor');
}

/** Takes up the next moves; says whether there were any. */
function follow(writing: Writing): boolean {
  const { main, index } = writing;
  const moved = main.snapshot((db) => {
    const page = movedPage(db, cursorOf(index), pageMoves);
    return page && { ...page, cid: movedCid(db, page.last) };
  });
  if (!moved) return false;
  takeAll(writing, moved.keys);
  setMeta(index, 'cursor', String(moved.last));
  setMeta(index, 'anchor', moved.cid ?? '');
  return true;
}

/** Entities whose text may be another one because of others; says whether more remain. */
function rework(writing: Writing): boolean {
  const { main, index } = writing;
  const again = takeAgain(index, pageAgain);
  takeAll(writing, again, true);
  if (again.length > 0) return true;
  const next = nextRelabel(index);
  if (next) {
    const { sources, moved } = main.snapshot((db) => ({
      sources: sourcesOf(db, next.key, next.after, pageSources),
      moved: lastMoveOf(db, next.key),
    }));
    // What was looked at since shows the label already.
    const isOutdated = (seen = moved) => seen > next.since && seen < moved;
    takeAll(
      writing,
      sources.filter((key) => isOutdated(docOf(index, key)?.seen)),
    );
    relabelled(index, next.key, sources.length < pageSources ? null : (sources.at(-1) ?? null));
  }
  return !isSettled(index);
}

/** What is read of an entity to index it, of one state of the database. */
interface Looked {
  key: number;
  row: SourceRow | undefined;
  /** null where it is deleted. */
  source: EntityText | null;
  /** Why that is its label alone; null where it is all. */
  error: Error | null;
  /** The ids that its texts name. */
  named: Set<string>;
  /** Its last move, the one before that, and the last one of all. */
  moved: number;
  earlier: number;
  seen: number;
  /** Whether others lead to it. */
  isPeer: boolean;
}

function takeAll(writing: Writing, keys: readonly number[], summarized = false): void {
  for (let at = 0; at < keys.length; at += readAtOnce) {
    const looked = writing.main.snapshot((db) => keys.slice(at, at + readAtOnce).map((key) => look(db, key)));
    for (const one of looked) take(writing, one, summarized);
  }
}

function look(db: Reader, key: number): Looked {
  const row = sourceRow(db, key);
  const named = new Set<string>();
  const { text, error } = row && row.json !== null ? textOf(db, row, named) : { text: null, error: null };
  const moves = { moved: lastMoveOf(db, key), earlier: earlierMoveOf(db, key), seen: lastMove(db) };
  return { key, row, source: text, error, named, ...moves, isPeer: isPeer(db, key) };
}

/**
 * Brings one entity's texts up to date. `summarized`: only because of what it holds or names, of which nothing is shown by what
 * it lies in. So that is not asked for, for collections may lie in each other, unless it lies elsewhere by now. Nor has it been
 * seen then: what it leads to may have another label, which is shown there, and its turn comes still.
 */
function take(writing: Writing, looked: Looked, summarized: boolean): void {
  const { index, terms } = writing;
  const { key, row, source, named } = looked;
  const before = docOf(index, key);
  if (row) noteUnread(index, row.id, looked.error);
  const collections = source === null ? '' : (row?.collections ?? '');
  // What it lay in and what it lies in speak of it.
  if (!summarized || (before?.collections ?? '') !== collections)
    for (const home of new Set([before?.collections ?? '', collections].flatMap(keysIn)).add(row?.collection ?? key))
      if (home !== key) askAgain(index, home);
  askShowing(index, looked, before, summarized);
  if (!row || source === null) {
    if (!before) return;
    dropDoc(index, key);
    writing.vectors.drop(key);
    return;
  }
  putNamed(index, key, named);
  const seen = summarized ? (before?.seen ?? 0) : looked.seen;
  const text = docWords(source);
  const digest = digestOf(text, source);
  const { label } = row;
  const isSame = before !== undefined && sameTexts(before.digest, digest);
  // Types that differ in case, say, have the same words.
  if (isSame) writing.vectors.retype(key, row.type);
  if (before?.digest === digest && before.label === label && before.collections === collections) {
    seenAgain(index, key, seen);
    return;
  }
  putDoc(index, { key, digest, label, collections, seen }, text);
  if (!isSame) writing.vectors.put({ key, type: row.type, passage: passageOf(source) }, before === undefined);
  if (terms.size > maxTermsKept) terms.clear();
  for (const part of [text.label, text.body, text.numbers, text.links])
    for (const word of part.split(' '))
      if (word !== '' && !terms.has(word)) {
        terms.add(word);
        addTerm(index, word);
      }
}

/**
 * Has those looked at again that show another label than the entity's. Where it moved several times since it was looked at, it may
 * have had another one between, or have been deleted, which is shown by what was looked at then.
 */
function askShowing(
  index: Writer,
  { key, row, source, moved, earlier, isPeer: isShown }: Looked,
  before: Doc | undefined,
  summarized: boolean,
): void {
  const label = source === null ? '' : row?.label;
  const isRenamed = (before?.label ?? '') !== label;
  const seen = before?.seen ?? -1;
  if (!isRenamed && (summarized || earlier <= seen)) return;
  const since = isRenamed ? -1 : seen;
  if (row) askNaming(index, row.id, [since, moved]);
  if (isShown) askRelabel(index, key, since);
}

/** Keys between spaces. */
function keysIn(text: string): number[] {
  return text === '' ? [] : text.split(' ').map(Number);
}

/** What is embedded of live entities; of those that are here no more nothing. */
export function embeddedOf(db: Reader, keys: readonly number[]): (Embedded & { id: string })[] {
  return keys.flatMap((key) => {
    const row = sourceRow(db, key);
    if (!row || row.json === null) return [];
    return [{ key, id: row.id, type: row.type, passage: passageOf(textOf(db, row).text) }];
  });
}

/** The texts of a live entity; its label alone where they cannot be read. `named` gets the ids that they name. */
export function textOf(
  db: Reader,
  row: SourceRow,
  named = new Set<string>(),
): { text: EntityText; error: Error | null } {
  try {
    return { text: wholeText(db, row, named), error: null };
  } catch (error) {
    // One entity's texts shall not keep all others out of the index; where the database fails, all are concerned.
    if (!(error instanceof Error) || isOfStorage(error)) throw error;
    const text = entityText({ ...row, properties: {}, neighbours: [], labelOf: () => undefined });
    return { text, error };
  }
}

function wholeText(db: Reader, row: SourceRow, named: Set<string>): EntityText {
  const { properties } = fromJson(row.json ?? '{"properties":{}}') as { properties: { [key: string]: Json } };
  return entityText({
    type: row.type,
    label: row.label,
    properties,
    neighbours: neighboursOf(db, row.key, maxNeighbours),
    ...(row.type === 'collection' && { summary: collectionSummary(db, row.key, summarySample) }),
    labelOf: (id) => {
      if (named.size < maxNamed) named.add(id);
      return labelOfId(db, id);
    },
  });
}
