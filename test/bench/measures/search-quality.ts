import Database from 'better-sqlite3';
import { words } from '../../../src/server/search/tokens.ts';
import { seeded } from '../../helpers/seeded.ts';
import { atLeastRow, comparedRow, plainRow, ratioRow } from '../report.ts';
import type { Indexed, subjectsOf } from './search-corpus.ts';
import type { Find } from './search-elsewhere.ts';

type Works = ReturnType<typeof subjectsOf>;

const queries = 300;
const likes = 500;
const first = 20;
const [fewest, most] = [20, 3000];
const random = seeded(5);

/** Names of subjects with 20 to 3,000 works, each with these works, the same in every run. */
export function subjectQueries(works: Works): { name: string; relevant: Set<number> }[] {
  const bySubject = new Map<string, Set<number>>();
  for (const [key, { subjects }] of works)
    for (const subject of subjects) {
      const known = bySubject.get(subject) ?? new Set();
      bySubject.set(subject, known.add(key));
    }
  const next = seeded(7);
  return [...bySubject]
    .filter(([, { size }]) => size >= fewest && size <= most)
    .map(([name, relevant]) => ({ name, relevant }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((query) => ({ query, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, queries)
    .map(({ query }) => query);
}

export function found({ finder }: Indexed, text: string): number[] {
  return finder.find({ text, k: first, within: { types: ['artwork'] } }).map(({ key }) => key);
}

/** FTS5's BM25 alone, all words weighing the same wherever they stand. */
function byWords({ db }: Indexed, text: string): number[] {
  const all = [...new Set(words(text))].map((word) => `"${word}"`).join(' OR ');
  if (all === '') return [];
  const rows = db.all<{ key: number }>(
    `SELECT e.key FROM search.words w CROSS JOIN entity e ON e.key = w.rowid
      WHERE w.words MATCH ? AND w.rank MATCH 'bm25(1.0, 1.0, 1.0, 0.0)' AND e.type = 'artwork' AND e.deleted = 0
      ORDER BY w.rank LIMIT ?`,
    `{label body links} : (${all})`,
    first,
  );
  return rows.map(({ key }) => key);
}

/** Where subjects are indexed they must be found by their names. */
export function measureRecall(index: Indexed, works: Works): void {
  const recalls = subjectQueries(works).map(({ name, relevant }) => {
    const hits = found(index, name).filter((key) => relevant.has(key)).length;
    return hits / Math.min(first, relevant.size);
  });
  atLeastRow('recall@20 of subjects by their names', mean(recalls), '', 0.95);
}

/** Works of which one remembers the artist and two words of the title, which few have; and the same while the last one is typed. */
export function measureKnown(index: Indexed, database: string): void {
  const works = worksWithArtists(database);
  const next = seeded(11);
  const some = works.flatMap((work) => {
    const inTitle = [...new Set(words(work.label))].filter((word) => word.length > 3 && !/\d/.test(word));
    return inTitle.length < 2 ? [] : [{ ...work, inTitle, at: next() }];
  });
  const typed = seeded(13);
  const gains: number[] = [];
  const halfTyped: number[] = [];
  for (const { artist, inTitle } of some.toSorted((a, b) => a.at - b.at)) {
    if (gains.length === queries) break;
    const chosen = inTitle.map((word) => ({ word, at: next() })).toSorted((a, b) => a.at - b.at);
    const asked = [words(artist).at(-1) ?? '', ...chosen.slice(0, 2).map(({ word }) => word)];
    const relevant = having(works, asked, (all, last) => all.has(last));
    if (relevant.size > first) continue;
    gains.push(gain(found(index, asked.join(' ')), relevant));
    const last = asked.at(-1) ?? '';
    const begun = [...asked.slice(0, -1), last.slice(0, 3 + Math.floor(typed() * (last.length - 3)))];
    const meant = having(works, begun, (all, part) => [...all].some((word) => word.startsWith(part)));
    if (meant.size <= first) halfTyped.push(gain(found(index, begun.join(' ')), meant));
  }
  atLeastRow('nDCG@20 of works by artist and two words of the title', mean(gains), '', 0.94);
  atLeastRow('the same with the last word half typed', mean(halfTyped), '', 0.85);
}

/** Works that have all words but the last one, and that one in some way. */
function having(
  works: ReturnType<typeof worksWithArtists>,
  asked: readonly string[],
  hasLast: (all: ReadonlySet<string>, last: string) => boolean,
): Set<number> {
  const fits = (all: ReadonlySet<string>) =>
    asked.slice(0, -1).every((word) => all.has(word)) && hasLast(all, asked.at(-1) ?? '');
  return new Set(works.filter(({ all }) => fits(all)).map(({ key }) => key));
}

function worksWithArtists(database: string) {
  const db = new Database(database, { readonly: true });
  const rows = db
    .prepare(
      `SELECT key, label, json_extract(json, '$.properties.all_artists') AS artist FROM entity
        WHERE type = 'artwork' AND artist IS NOT NULL ORDER BY key`,
    )
    .all() as { key: number; label: string; artist: string }[];
  db.close();
  return rows.map((row) => ({ ...row, all: new Set([...words(row.label), ...words(row.artist)]) }));
}

/** Where they are not, the words of titles have to do. */
export function measureRanking(index: Indexed, works: Works): void {
  const asked = subjectQueries(works);
  const score = (find: (text: string) => number[], text: (name: string) => string) =>
    mean(asked.map(({ name, relevant }) => gain(find(text(name)), relevant)));
  const misspelled = new Map(asked.map(({ name }) => [name, withError(name)]));
  const same = (name: string) => name;
  const wrong = (name: string) => misspelled.get(name) ?? name;
  const [hybrid, words] = [(text: string) => found(index, text), (text: string) => byWords(index, text)];
  const base = (value: number) => ({ name: 'BM25', value });
  ratioRow('nDCG@20 without subjects', score(hybrid, same), '', base(score(words, same)), 1.07);
  ratioRow('the same with one typing error', score(hybrid, wrong), '', base(score(words, wrong)), 3);
}

/** The same two figures of an embedder elsewhere. */
export async function measureElsewhere(index: Indexed, works: Works, find: Find, model: string): Promise<void> {
  const asked = subjectQueries(works);
  for (const [what, text] of [
    ['nDCG@20 without subjects', (name: string) => name],
    ['the same with one typing error', withError],
  ] as const) {
    const [theirs, own]: number[][] = [[], []];
    for (const { name, relevant } of asked) {
      const query = text(name);
      theirs?.push(gain(await find(query), relevant));
      own?.push(gain(byWords(index, query), relevant));
    }
    comparedRow(`${what}, with vectors by ${model}`, mean(theirs ?? []), '', { name: 'BM25', value: mean(own ?? []) });
  }
}

/** Of the ten works most like one, with another title and with subjects, how many share one of its subjects. */
export function measureLike(index: Indexed, works: Works): void {
  const having = [...works].filter(([, { subjects }]) => subjects.length > 0);
  let [shared, count] = [0, 0];
  const times: number[] = [];
  for (let i = 0; i < likes; i++) {
    const [key, { title, subjects }] = having[Math.floor(random() * having.length)] as (typeof having)[number];
    const [id = ''] = index.finder.idsOf([{ key }]);
    const begun = performance.now();
    const like = index.finder.like({ id, k: 100, within: { types: ['artwork'] } });
    times.push(performance.now() - begun);
    const others = like.flatMap(({ key: other }) => works.get(other) ?? []);
    const near = others.filter((work) => work.title !== title && work.subjects.length > 0).slice(0, 10);
    count += near.length;
    shared += near.filter((work) => work.subjects.some((subject) => subjects.includes(subject))).length;
  }
  atLeastRow('similar works that share a subject, which is not indexed', shared / count, '', 0.74);
  plainRow('similar works, median', times.toSorted((a, b) => a - b)[likes >> 1] ?? 0, 'ms');
}

/** A letter left out, added, changed, or swapped with the next one. */
function withError(text: string): string {
  const letters = [...text.matchAll(/\p{L}(?=\p{L})/gu)].map(({ index }) => index);
  const at = letters[Math.floor(random() * letters.length)] ?? 0;
  const letter = 'abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 26)] ?? 'e';
  const [before, own, next, after] = [text.slice(0, at), text[at] ?? '', text[at + 1] ?? '', text.slice(at + 2)];
  const wrong = [next, `${own}${letter}${next}`, `${letter}${next}`, `${next}${own}`][Math.floor(random() * 4)] ?? '';
  return `${before}${wrong}${after}`;
}

/** nDCG@20, each work either right or wrong. */
function gain(keys: readonly number[], relevant: ReadonlySet<number>): number {
  const share = (i: number) => 1 / Math.log2(i + 2);
  const real = keys.reduce((sum, key, i) => sum + (relevant.has(key) ? share(i) : 0), 0);
  const ideal = Array.from({ length: Math.min(first, relevant.size) }, (_, i) => share(i)).reduce((a, b) => a + b, 0);
  return real / ideal;
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}
