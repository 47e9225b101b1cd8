import { randomUUID } from 'node:crypto';
import type { Json } from '../model/manifest.ts';
import type { Connection, Reader } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import {
  addTerm,
  askAgain,
  askNaming,
  askRelabel,
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
} from '../store/search-index.ts';
import {
  collectionSummary,
  labelOfId,
  lastMoveOf,
  movedAfter,
  movedCid,
  neighboursOf,
  type SourceRow,
  sourceRow,
  sourcesOf,
} from '../store/search-source.ts';
import { noteRest } from './rested.ts';
import { digestOf, docWords, type EntityText, entityText, passageOf } from './text.ts';
import type { Embedded, VectorKeeper } from './vector-keeper.ts';

/** Where the index stands after a slice. */
export interface Sliced {
  /** The last move that is in it. */
  cursor: number;
  last: number;
  /** Whether texts remain to be taken up. */
  behind: boolean;
  /** Whether vectors remain to be made, or something to be learned. */
  learning: boolean;
  /** The name of the embedder whose vectors are searched; null where there are none. */
  serving: string | null;
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

const pageMoves = 200;
const pageAgain = 100;
const maxNeighbours = 300;
const maxNamed = 200;
const maxTermsKept = 500_000;
const summarySample = 200;

/**
 * Takes up what the index lacks, as far as a slice of `ms` goes: first what moved, then whatever shows a label that
 * changed. The cursor is in the same transaction, so that a slice may end at any time and nothing is left out.
 */
export function indexSlice(writing: Writing, ms: number): Sliced {
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
    while ((behind || learning) && performance.now() < until) {
      behind = main.snapshot((db) => {
        const cursor = cursorOf(index);
        const moved = movedAfter(db, cursor, pageMoves);
        if (!moved) return rework(writing, db);
        for (const key of moved.keys) take(writing, db, key);
        setMeta(index, 'cursor', String(moved.last));
        setMeta(index, 'anchor', movedCid(db, moved.last) ?? '');
        return true;
      });
      taken ||= behind;
      if (behind) continue;
      // Somebody may wait for what was taken up.
      if (taken) break;
      learning = main.snapshot((db) => writing.vectors.step(db, embeddedOf));
    }
    const last = main.snapshot(lastMove);
    const sliced = { cursor: cursorOf(index), last, behind, learning, serving: writing.vectors.serving };
    if (!behind && !learning) noteRest(index, sliced, writing.vectors.wanted);
    return sliced;
  });
}

export function cursorOf(index: Reader): number {
  return Number(ownMeta(index, 'cursor') ?? 0);
}

/** Whether the index is new, or of another database than this: a backup was restored, say. */
function isForeign(main: Connection, index: Connection): boolean {
  if (ownMeta(index, 'epoch') === undefined) return true;
  const cursor = cursorOf(index);
  return cursor > 0 && main.snapshot((db) => movedCid(db, cursor)) !== ownMeta(index, 'anchor');
}

/** Entities whose text may be another one because of others; says whether more remain. */
function rework(writing: Writing, db: Reader): boolean {
  const { index } = writing;
  const again = takeAgain(index, pageAgain);
  for (const key of again) take(writing, db, key, true);
  if (again.length > 0) return true;
  const next = nextRelabel(index);
  if (next) {
    const sources = sourcesOf(db, next.key, next.after, pageAgain);
    // What was looked at since shows the label already.
    const moved = lastMoveOf(db, next.key);
    for (const key of sources) if ((docOf(index, key)?.seen ?? moved) < moved) take(writing, db, key);
    relabelled(index, next.key, sources.length < pageAgain ? null : (sources.at(-1) ?? null));
  }
  return !isSettled(index);
}

/** Brings one entity's texts up to date; `summarized`: it is a collection's turn, which does not ask for itself again. */
function take(writing: Writing, db: Reader, key: number, summarized = false): void {
  const { index, terms } = writing;
  const row = sourceRow(db, key);
  const before = docOf(index, key);
  // What it lay in and what it lies in speak of it.
  if (!summarized)
    for (const home of new Set([before?.collection, row?.collection]))
      if (typeof home === 'number' && home !== key) askAgain(index, home);
  if (!row || row.json === null) {
    if (!before) return;
    dropDoc(index, key);
    writing.vectors.drop(key);
    if (before.label !== '') askRelabel(index, key);
    if (row) askNaming(index, row.id, lastMoveOf(db, key));
    return;
  }
  const named = new Set<string>();
  const source = textOf(db, row, named);
  putNamed(index, key, named);
  const text = docWords(source);
  const digest = digestOf(text);
  const { label, collection } = row;
  const seen = lastMove(db);
  if (before?.digest === digest && before.label === label && before.collection === collection) {
    seenAgain(index, key, seen);
    return;
  }
  putDoc(index, { key, digest, label, collection, seen }, text);
  if (before?.digest !== digest)
    writing.vectors.put({ key, type: row.type, passage: passageOf(source) }, before === undefined);
  if ((before?.label ?? '') !== label) {
    askNaming(index, row.id, lastMoveOf(db, key));
    if (sourcesOf(db, key, 0, 1).length > 0) askRelabel(index, key);
  }
  if (terms.size > maxTermsKept) terms.clear();
  for (const part of [text.label, text.body, text.links])
    for (const word of part.split(' '))
      if (word !== '' && !terms.has(word)) {
        terms.add(word);
        addTerm(index, word);
      }
}

/** What is embedded of live entities; of those that are here no more nothing. */
export function embeddedOf(db: Reader, keys: readonly number[]): Embedded[] {
  return keys.flatMap((key) => {
    const row = sourceRow(db, key);
    return row && row.json !== null ? [{ key, type: row.type, passage: passageOf(textOf(db, row)) }] : [];
  });
}

/** The texts of a live entity; `named` gets the ids that they name. */
export function textOf(db: Reader, row: SourceRow, named = new Set<string>()): EntityText {
  const { properties } = JSON.parse(row.json ?? '{"properties":{}}') as { properties: { [key: string]: Json } };
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
