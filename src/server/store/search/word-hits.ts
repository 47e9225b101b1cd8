import type { Reader } from '../connection.ts';
import { paged } from '../graph/sorted-keys.ts';
import type { FilterSql } from '../listings/filter.ts';
import { keysAmong } from './search-among.ts';
import { conditionsOf, type Within } from './search-hits.ts';

export interface WordHit {
  key: number;
  /** Of BM25, or where that is not asked what comes near it; above 0, more is better. */
  score: number;
}

/** Which entities can be hits, as far as memory knows. */
export interface Likely {
  may: (key: number) => boolean;
  /** About how large a part of all they are, 0 to 1. */
  part: number;
}

/** Among which entities one search looks, and until when. */
export interface Look {
  quick: FilterSql;
  /** The keys that alone can be among the hits, where they are few; null for others. */
  keys: readonly number[] | null;
  /**
   * What memory knows of hits. What else is to hold is then asked of the last ones alone, for it hardly ever does not. Null where
   * it has to be asked of every one.
   */
  likely: Likely | null;
  /** What looks into the JSON of each entity, and what it has found there so far, by key. */
  filter: FilterSql | undefined;
  fits: Map<number, boolean>;
  /** As `performance.now()` has it: so long filters are tried. */
  until: number;
  /** So many of the texts that match are ranked, of those that do in their labels so many more. */
  most: number;
  mostLabelled: number;
  /** Whether the time was too short, and whether more matched than were ranked: also of looks that were copied from this one. */
  cut: { late: boolean; crowded: boolean };
}

/**
 * Of what matches so many are ranked, the newest, and so many of what does in its label: a word that is in more texts tells
 * little of any of them, and to rank all of them takes ten times as long where there are ten times as many.
 */
const [mostRanked, mostLabelled] = [2000, 1000];
/** Where so few alone can be hits, these are looked for. */
const mostKeys = 2000;

export function lookAmong(db: Reader, { filter, ...within }: Within, until: number): Look {
  return {
    ...{ quick: conditionsOf(within), keys: keysAmong(db, within, mostKeys), likely: null, filter, fits: new Map() },
    ...{ until, most: mostRanked, mostLabelled, cut: { late: false, crowded: false } },
  };
}

/** A filter may hold hundreds of conditions, and is tried on so many at once. */
const pageSize = 256;

export interface Expected {
  /** How much more a word counts in a label than in a text. */
  ofLabels?: number;
  /** With so many no more are looked for than are at hand. */
  enough?: number;
  /** How many texts have each of the words of the expression, all together. */
  rows?: number;
  /** How many were found to match lately; undefined where nobody has counted. */
  matching?: number | undefined;
  /** The part of the expression that is weighed where its words are common; '' weighs nothing. All of it unless given. */
  weighed?: string;
  /** What a word tells that so many have that BM25 is not asked for it. */
  rarity?: number;
}

/**
 * The best by BM25 for an FTS5 expression, best first, equal ones by key. Where too many match, they are the best of the newest
 * and of the newest that do in their labels; but where few of these may be hits, or a filter is tried on them, of all. A word that
 * more texts have than are ranked, and several that very many have, are not weighed: what has them in its label comes first, then
 * the newest.
 */
export function wordHits(
  db: Reader,
  match: string,
  look: Look,
  limit: number,
  { ofLabels = 2, enough = limit, rows = 0, matching, rarity = 1, weighed = match }: Expected = {},
): readonly WordHit[] {
  const { quick, keys, likely, filter, most } = look;
  const wanted = filter ? enough : limit;
  if (keys)
    return best(db, db.each(ofFew(quick), ofLabels, match, JSON.stringify(keys), ...quick.params), look, wanted);
  const expected = { ofLabels, rows, rarity };
  if (likely && likely.part * lookedUp < enough) return likelyHits(db, match, { look, likely }, limit, expected);
  if (!filter) {
    // About twice as many as are wanted, where memory tells how large a part of them may be hits.
    const count = likely ? Math.min(lookedUp, Math.ceil((2 * limit) / likely.part)) : lookedUp;
    const isCommon = matching === undefined ? rows > mostCounted : matching > mostRanked;
    const { ranked, found } = isCommon
      ? commonHits(db, match, look, { count, matching, weighed, ...expected })
      : newestHits(db, match, look, { count, matching, ofLabels });
    const hits = likely
      ? ranked.filter(({ key }) => likely.may(key)).slice(0, limit)
      : fittingHits(db, ranked, quick, limit);
    if (hits.length >= enough || found <= Math.min(most, count)) {
      look.cut.crowded ||= found > most;
      return hits;
    }
    if (likely) return likelyHits(db, match, { look, likely }, limit, expected);
  }
  return best(db, db.each(byRank(quick), match, `bm25(${ofLabels}, ${otherWeights})`, ...quick.params), look, wanted);
}

/** Of the body, of the labels of what it leads to, and of labels as a whole, which no plain word is. */
const otherWeights = '1.0, 1.5, 3.0';
const score = `-bm25(words, ?, ${otherWeights}) AS score`;

/** Of the newest that match so many are looked up at most, the best first. */
export const lookedUp = 2000;

const ofNewest = `SELECT key, score
    FROM (SELECT rowid AS key, ${score} FROM search.words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)
   ORDER BY score DESC, key LIMIT ?`;
const countNewest = 'SELECT count(*) AS n FROM (SELECT 1 FROM search.words WHERE words MATCH ? LIMIT ?)';

/** The best ones, as many as were asked for at most, and how many match: one more than are ranked where more do. */
interface Found {
  ranked: WordHit[];
  found: number;
}

/** The best of the newest. */
function newestHits(
  db: Reader,
  match: string,
  { most, mostLabelled }: Look,
  { count, ofLabels, matching }: { count: number; ofLabels: number; matching: number | undefined },
): Found {
  const newest = (expression: string, among: number) => db.all<WordHit>(ofNewest, ofLabels, expression, among, count);
  const rows = newest(match, most);
  // A number that is remembered may be of an earlier state, which had fewer.
  const known = matching !== undefined && matching > most;
  const found = rows.length < Math.min(most, count) ? rows.length : known ? matching : counted(db, match, most + 1);
  const labelled = found > most && mostLabelled > 0 ? newest(`label : (${match})`, mostLabelled) : [];
  if (labelled.length === 0) return { ranked: rows, found };
  const scores = new Map(rows.map(({ key, score }) => [key, score]));
  for (const { key, score } of labelled) scores.set(key, Math.max(score, scores.get(key) ?? 0));
  return { ranked: [...scores].map(([key, score]) => ({ key, score })).sort(byScore), found };
}

/** How many texts match, counted up to a number. */
function counted(db: Reader, match: string, upTo: number): number {
  return db.get<{ n: number }>(countNewest, match, upTo)?.n ?? 0;
}

/**
 * BM25 begins by counting all texts that have each of the words, which takes longer than all else where these are more than so
 * many. Of a single word all that have it match, so that it is asked of no more than are ranked.
 */
export const mostCounted = 10_000;
/** How much more a word that is in the label tells, and how much less the oldest than the newest. */
const [inLabel, ofOldest] = [1.4, 0.999];

/**
 * What has common words. Where no more match than are ranked, by those of the words that are weighed; else what has them in its
 * label first, the shortest labels first where these can be weighed, then the newest.
 */
function commonHits(
  db: Reader,
  match: string,
  look: Look,
  { count, matching, weighed, ofLabels, rows, rarity }: Common,
): Found {
  const { most, mostLabelled } = look;
  const keys = keysOf(db, newestOf.words, match, matching === undefined ? most + 1 : Math.min(most, count));
  const found = matching === undefined || keys.length < Math.min(most, count) ? keys.length : matching;
  if (found <= most && weighed === match) return newestHits(db, match, look, { count, matching: found, ofLabels });
  if (found <= most && weighed !== '')
    return { ranked: db.all(ofThese, ofLabels, weighed, JSON.stringify(keys), count), found };
  const firstLabels = rows > mostCounted ? newestOf.labels : bestOfLabels;
  const labelled = mostLabelled > 0 ? keysOf(db, firstLabels, match, mostLabelled) : [];
  return { ranked: byPlace(keys.slice(0, count), labelled, rarity), found };
}

interface Common extends Required<Pick<Expected, 'weighed' | 'ofLabels' | 'rows' | 'rarity'>> {
  count: number;
  matching: number | undefined;
}

/** What is looked in: all texts, or labels alone. */
type Table = 'words' | 'labels';
const ofTable = (sql: (table: Table) => string) => ({ words: sql('words'), labels: sql('labels') });
const newestOf = ofTable(
  (table) => `SELECT json_group_array(rowid) AS keys
    FROM (SELECT rowid FROM search.${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ?)`,
);
/** Of the newest labels the best; equal ones by key, the newest first. */
const bestOfLabels = `SELECT json_group_array(key ORDER BY rank, key DESC) AS keys
    FROM (SELECT rowid AS key, bm25(labels) AS rank FROM search.labels WHERE labels MATCH ? ORDER BY rowid DESC LIMIT ?)`;
const allOf = ofTable((table) => `SELECT json_group_array(rowid) AS keys FROM search.${table} WHERE ${table} MATCH ?`);

function keysOf(db: Reader, sql: string, match: string, ...limit: number[]): number[] {
  return JSON.parse(db.get<{ keys: string }>(sql, match, ...limit)?.keys ?? '[]') as number[];
}

/** Keys with scores, in the order given: those that match in their labels come before the others. */
function byPlace(keys: readonly number[], labelled: readonly number[], rarity: number): WordHit[] {
  const known = new Set(labelled);
  const scored = (list: readonly number[], score: number) =>
    list.map((key, i) => ({ key, score: score * (1 - ((1 - ofOldest) * i) / list.length) }));
  return [
    ...scored(labelled, rarity * inLabel),
    ...scored(
      keys.filter((key) => !known.has(key)),
      rarity,
    ),
  ];
}

function byScore(a: WordHit, b: WordHit): number {
  return b.score - a.score || a.key - b.key;
}

/** Of all that match, those that memory does not rule out are ranked: a tenth of the time that ranking takes goes into that. */
function likelyHits(
  db: Reader,
  match: string,
  { look, likely }: { look: Look; likely: Likely },
  limit: number,
  { ofLabels, rows, rarity }: Required<Pick<Expected, 'ofLabels' | 'rows' | 'rarity'>>,
): WordHit[] {
  const likelyOf = (table: Table) => keysOf(db, allOf[table], match).filter(likely.may);
  const keys = likelyOf('words');
  const isCrowded = keys.length > look.most;
  look.cut.crowded ||= isCrowded;
  const labelled = isCrowded && look.mostLabelled > 0 ? likelyOf('labels').slice(-look.mostLabelled) : [];
  const newest = keys.slice(-look.most);
  if (isCrowded && rows > mostCounted) return byPlace(newest.reverse(), labelled.reverse(), rarity).slice(0, limit);
  return db.all(ofThese, ofLabels, match, JSON.stringify([...newest, ...labelled]), limit);
}

const ofThese = `SELECT rowid AS key, ${score} FROM search.words
  WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY score DESC, key LIMIT ?`;

/** The first of some hits that may be hits. */
function fittingHits(db: Reader, ranked: readonly WordHit[], quick: FilterSql, limit: number): WordHit[] {
  const hits: WordHit[] = [];
  for (const page of paged(ranked, pageSize, pageSize)) {
    const keys = page.map(({ key }) => key);
    const fit = new Set(fitting(db, keys, quick));
    for (const { key, score } of page) if (fit.has(key)) hits.push({ key, score });
    if (hits.length >= limit) break;
  }
  return hits.slice(0, limit);
}

/** The index gives its rows by rank, and each is looked up here. */
const byRank = ({ sql }: FilterSql): string =>
  `SELECT e.key, -w.rank AS score FROM search.words w CROSS JOIN entity e ON e.key = w.rowid
    WHERE w.words MATCH ? AND w.rank MATCH ? AND ${sql} ORDER BY w.rank`;

/** The rank is computed for these alone. The plus keeps SQLite from asking the full text for one row at a time. */
const ofFew = ({ sql }: FilterSql): string =>
  `SELECT e.key, ${score} FROM search.words w CROSS JOIN entity e ON e.key = w.rowid
    WHERE w.words MATCH ? AND +w.rowid IN (SELECT value FROM json_each(?)) AND ${sql} ORDER BY score DESC, e.key`;

/** The first of the ranked ones that a look's filter lets pass, which is tried page by page as long as there is time. */
function best(db: Reader, ranked: Iterable<WordHit>, look: Look, limit: number): WordHit[] {
  const hits: WordHit[] = [];
  for (const page of paged(ranked, pageSize, pageSize)) {
    hits.push(...passing(db, page, look));
    look.cut.late ||= performance.now() > look.until;
    if (hits.length >= limit || look.cut.late) break;
  }
  return hits.slice(0, limit);
}

/** Those of the hits that a look's filter lets pass. */
export function passing<T extends { key: number }>(db: Reader, hits: readonly T[], look: Look): readonly T[] {
  return look.filter ? filtered(db, hits, look, look.filter) : hits;
}

function filtered<T extends { key: number }>(db: Reader, page: readonly T[], { fits }: Look, filter: FilterSql): T[] {
  const unknown = page.flatMap(({ key }) => (fits.has(key) ? [] : [key]));
  const found = new Set(unknown.length > 0 ? fitting(db, unknown, filter) : []);
  for (const key of unknown) fits.set(key, found.has(key));
  return page.filter(({ key }) => fits.get(key));
}

/** Those of the keys that fit, in the order given. */
export function fitting(db: Reader, keys: readonly number[], within: FilterSql): number[] {
  const rows = db.all<{ key: number }>(
    `SELECT e.key FROM json_each(?) k CROSS JOIN entity e ON e.key = k.value WHERE ${within.sql} ORDER BY k.key`,
    JSON.stringify(keys),
    ...within.params,
  );
  return rows.map(({ key }) => key);
}
