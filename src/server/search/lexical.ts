import type { Reader } from '../store/connection.ts';
import { type Look, lookedUp, mostCounted, type WordHit, wordHits } from '../store/search/word-hits.ts';
import { tellingWords } from './function-words.ts';
import { fuse, type Ranked, type Ranking, summed } from './fuse.ts';
import { namesMeant } from './initials.ts';
import { frequency, type Lexicon } from './lexicon.ts';
import { type Respelled, respelled } from './respelled.ts';
import { type EntityText, wholeLabel, wholeNeighbour } from './text.ts';
import { isCharacter, words } from './tokens.ts';
import type { Variant } from './vocabulary.ts';

/** What a text's words find. */
export interface WordsFound {
  rankings: Ranking[];
  /** What has all of its words; where nothing has, what has a code of few texts, else what has all of them or words like them. */
  whole: ReadonlySet<number>;
}

const maxWords = 32;
const maxVariants = 16;
/** How many words stand in for one where all are asked for. */
const maxAlike = 6;
/** A code that no more texts have, such as an inventory number, tells which of all is meant. */
const maxCoded = 20;
/** What begins with a known word, or is its beginning, is another form of it from here on. */
const formFrom = 0.7;
/** A word of so many letters stands for what begins with it where it is the last one: shorter ones begin too much. */
const begunFrom = 2;
/** Variants looked up in one search. */
const maxLooked = 96;
/** How much a variant counts beside a word that is known itself. */
const besideKnown = 0.6;
/** A word in more than this part of all entities, or in more than so many, says little and takes long; but never one in so few. */
const [commonPart, alwaysCommon, neverCommon] = [0.1, 20_000, 1000];
/** So many hits of a variant count, so many of these are enough, and so many of the texts that have it are ranked. */
const [variantPool, variantsEnough, variantsRanked] = [400, 100, 500];
/** Where enough of so many texts that have a word fit, others like it are not looked for: what has those comes after these. */
const variantsUpTo = 2000;
/** So many of the texts that have all words beside each other are ranked, since these come before others anyway. */
const exactRanked = 500;
/** The score that nothing else reaches where something has the text itself. */
const belowExact = 0.9;
/** So many words are looked for one by one, the rarest; of common ones fewer, since each is in very many texts. */
const [maxSome, maxCommon] = [12, 3];

const number = /^\p{N}+$/u;

interface QueryWord {
  word: string;
  frequency: number;
}

/**
 * What has a text as its label, then what leads to such a thing, then what has its words beside each other, then the same of the
 * names that it may give with initials: nothing comes before these.
 */
export function exactHits(db: Reader, lexicon: Lexicon, text: string, look: Look, limit: number): number[] {
  const all = words(text);
  const typed = all.slice(0, maxWords);
  if (typed.length === 0) return [];
  const found = new Set<number>();
  const take = (terms: readonly string[], mostLabelled: number): void => {
    if (found.size >= limit) return;
    const among = { ...look, most: exactRanked, mostLabelled };
    const rows = rowsOf(db, lexicon, terms);
    const expected = { enough: Math.min(limit, exactRanked), rows };
    const alone = terms.length === 1 ? { matching: rows } : { weighed: '' };
    for (const { key } of wordHits(db, `"${terms.join(' ')}"`, among, limit, { ...expected, ...alone })) found.add(key);
  };
  take([wholeLabel(all)], 0);
  take([wholeNeighbour(all)], 0);
  if (typed.length > 1) take(typed, exactRanked);
  const names = found.size < limit ? namesMeant(db, lexicon, all) : [];
  for (const name of names) take([wholeLabel(name)], 0);
  for (const name of names) take([wholeNeighbour(name)], 0);
  return [...found].slice(0, limit);
}

/** The first hits before all others, each once; scores are those of the others, and above them. */
export function ledBy(first: readonly number[], others: readonly Ranked[]): Ranked[] {
  if (first.length === 0) return [...others];
  const known = new Set(first);
  const step = (1 - belowExact) / first.length;
  return [
    ...first.map((key, i) => ({ key, score: 1 - step * i })),
    ...others.flatMap(({ key, score }) => (known.has(key) ? [] : [{ key, score: score * belowExact }])),
  ];
}

/**
 * Entities by the words of a text: first those that have all of them or what is like them, then, where these are few, the
 * others.
 */
export function lexicalRankings(db: Reader, lexicon: Lexicon, text: string, look: Look, pool: number): WordsFound {
  const typed = words(text).slice(0, maxWords);
  const all = tellingWords([...new Set(typed)]).map((word) => ({
    word,
    frequency: isCharacter(word) ? 0 : frequency(db, lexicon, word),
  }));
  if (all.length === 0) return { rankings: [], whole: new Set() };
  const others = respelled(db, lexicon, typed);
  const { ranked, exact, alike } =
    all.length > 1 || others.length > 0
      ? withAll(db, lexicon, { typed, all, others }, look, pool)
      : { ranked: [], exact: [], alike: [] };
  // Where nothing has all words, what has a code was meant: the others say what kind of number it is, or what is asked of it.
  const coded = exact.length > 0 ? [] : withCodes(db, lexicon, { typed, others }, look, pool);
  const whole = [exact, coded].find(({ length }) => length > 0) ?? alike;
  const keys = new Set([...ranked.map(({ key }) => key), ...coded]);
  if (keys.size < pool / 2) for (const { key } of withSome(db, lexicon, all, look, pool)) keys.add(key);
  return { rankings: [{ keys: [...keys].slice(0, pool), weight: 1 }], whole: new Set(whole) };
}

/** What has one of the codes as they were typed or are written together (N 00530), else the numbers, with a letter before them too. */
function withCodes(
  db: Reader,
  lexicon: Lexicon,
  { typed, others }: { typed: readonly string[]; others: readonly Respelled[] },
  look: Look,
  pool: number,
): number[] {
  const joined = others.filter((one) => one.others.length < typed.length - 1);
  const termsOf = (some: readonly Respelled[]) => some.flatMap(({ terms }) => terms);
  const ways = [typed.filter((word) => !number.test(word)), termsOf(joined), [...typed, ...termsOf(others)]];
  // A code that many have (19th) tells nothing, and is no reason to leave out the others.
  const isTelling = (word: string) => {
    const texts = frequency(db, lexicon, word);
    return isCode(word) && texts > 0 && texts <= maxCoded;
  };
  const codes = ways.map((way) => [...new Set(way)].filter(isTelling)).find(({ length }) => length > 0) ?? [];
  return codes.length === 0 ? [] : wordHits(db, together([codes]), look, pool).map(({ key }) => key);
}

/** Letters with digits, or more of these than a year has. */
function isCode(word: string): boolean {
  return /\p{N}/u.test(word) && !word.includes(' ') && (!number.test(word) || word.length > 4);
}

/** What has all words, and what has all words or others like them. */
function withAll(
  db: Reader,
  lexicon: Lexicon,
  { typed, all, others }: { typed: readonly string[]; all: readonly QueryWord[]; others: readonly Respelled[] },
  look: Look,
  pool: number,
): { ranked: Ranked[]; exact: readonly number[]; alike: readonly number[] } {
  const keysWith = (groups: readonly (readonly string[])[], begun = ''): number[] => {
    if (groups.length === 0) return [];
    const telling = groups.filter((terms) => rowsOf(db, lexicon, terms) <= mostCounted);
    // How many have a beginning nobody knows.
    const rows = begun === '' ? rowsOf(db, lexicon, groups.flat()) : Number.POSITIVE_INFINITY;
    const match = begun === '' ? together(groups) : `${together(groups)} AND "${begun}"*`;
    return wordHits(db, match, look, pool, { rows, weighed: together(telling) }).map(({ key }) => key);
  };
  const known = new Map<string, readonly Variant[]>();
  const like = (word: string): readonly Variant[] => {
    const found = known.get(word) ?? lexicon.vocabulary.like(word, maxAlike);
    known.set(word, found);
    return found;
  };
  const groupsLike = (
    some: readonly QueryWord[],
    isMeant: (one: QueryWord, variant: Variant) => boolean,
  ): (readonly string[])[] =>
    some.flatMap((one) => {
      const terms = like(one.word).flatMap((variant) => {
        const counts = isMeant(one, variant) && frequency(db, lexicon, variant.term) > 0;
        return counts ? [variant.term] : [];
      });
      if (one.frequency > 0) terms.unshift(one.word);
      return terms.length === 0 ? [] : [terms];
    });
  const several = (groups: readonly (readonly string[])[]) => (groups.length < 2 ? [] : keysWith(groups));
  const exact = all.every(({ frequency: n }) => n > 0) ? keysWith(all.map(({ word }) => [word])) : [];
  // Where enough have the words themselves, others like them are not wanted.
  if (exact.length >= pool) return { ranked: fuse([{ keys: exact, weight: 1 }]), exact, alike: [] };
  // An unknown word has a form in the index (portraits, portrait) or is misspelled (paintng): what is less like it than its form is
  // neither, such as port, but what is more like it may be meant.
  const ofForm = (word: string) =>
    like(word).find((variant) => isForm(word, variant) && frequency(db, lexicon, variant.term) > 0)?.likeness ?? 0;
  const isFormOf = (one: QueryWord, variant: Variant) =>
    isForm(one.word, variant) || (one.frequency === 0 && variant.likeness >= ofForm(one.word));
  const forms = several(groupsLike(all, isFormOf));
  // Whoever searches while typing has typed only a part of the last word.
  const last = all.at(-1);
  const isBegun = last !== undefined && last.word === typed.at(-1) && last.word.length >= begunFrom;
  const begun = isBegun ? keysWith(groupsLike(all.slice(0, -1), isFormOf), last.word) : [];
  const asOthers = others.flatMap(({ terms, others: left }) =>
    keysWith([
      terms,
      ...groupsLike(
        all.filter(({ word }) => left.includes(word)),
        isFormOf,
      ),
    ]),
  );
  // Beside the word before, which is rather a name or a title (john pl) than a word somewhere in the same text.
  const beside = isBegun && typed.length > 1 ? keysBeside(db, `"${typed.join(' ')}"*`, look, pool) : [];
  const meant = [...asOthers, ...beside, ...(last?.frequency === 0 ? [...begun, ...forms] : [...forms, ...begun])];
  const alike = meant.length > 0 ? [...new Set(meant)] : several(groupsLike(all.filter(isTold), () => true));
  const ranked = fuse([exact, alike].map((keys) => ({ keys, weight: 1 })));
  return { ranked, exact, alike };
}

/** What has words beside each other, first what has them in its label; nobody knows how many texts have them so. */
function keysBeside(db: Reader, match: string, look: Look, pool: number): number[] {
  const among = { ...look, most: exactRanked, mostLabelled: exactRanked };
  return wordHits(db, match, among, pool, { rows: Number.POSITIVE_INFINITY, weighed: '' }).map(({ key }) => key);
}

/** A single letter is an initial or a part of a name, and tells nothing by itself. */
function isTold({ word }: QueryWord): boolean {
  return word.length > 1 || number.test(word) || isCharacter(word);
}

/** A plural, say; what is but spelt nearly like a known word is another one. */
function isForm(word: string, { term, likeness }: Variant): boolean {
  return likeness >= formFrom && (term.startsWith(word) || word.startsWith(term));
}

/** What has a word of each group. */
function together(groups: readonly (readonly string[])[]): string {
  return groups.map((terms) => `(${terms.map((term) => `"${term}"`).join(' OR ')})`).join(' AND ');
}

/** What has some of the words: as they are, and with the words of the index that are like them. */
function withSome(db: Reader, lexicon: Lexicon, all: readonly QueryWord[], look: Look, pool: number): Ranked[] {
  const said = all.some(isTold) ? all.filter(isTold) : all;
  const telling = said.filter(({ frequency: n }) => !isCommon(lexicon, n));
  // Words that are nowhere tell nothing by themselves.
  const [from, most] = telling.some(({ frequency: n }) => n > 0) ? [telling, maxSome] : [said, maxCommon];
  const used = from.toSorted((a, b) => a.frequency - b.frequency).slice(0, most);
  // A beginning that very much has tells less than any of the words.
  const leastTold = Math.min(...used.map(({ frequency: n }) => rarity(lexicon, Math.max(n, look.most)))) / 2;
  // What has several of them need not be among the best of each.
  const hitsOfEach = used.length > 1 ? Math.max(pool, lookedUp) : pool;
  const hits = new Map<string, readonly WordHit[]>();
  for (const one of used) {
    // How many have a beginning nobody knows.
    const expected =
      one.frequency === 0
        ? { rows: Number.POSITIVE_INFINITY, rarity: leastTold }
        : { rows: one.frequency, matching: one.frequency, rarity: rarity(lexicon, one.frequency) };
    hits.set(one.word, wordHits(db, expression(one), look, hitsOfEach, { enough: pool, ...expected }));
  }
  // What a filter is tried on is little of each word: what has several of them would be missed.
  const match = used.map(expression).join(' OR ');
  const direct =
    look.filter && used.length > 1 ? wordHits(db, match, look, pool).map(({ key }) => key) : summed([...hits.values()]);
  const rankings = [direct];
  if (used.some((one) => hasVariants(one, hits, pool))) rankings.push(byVariants(db, lexicon, used, look, hits, pool));
  return fuse(rankings.map((keys) => ({ keys: keys.slice(0, pool), weight: 1 })));
}

/**
 * A word that is nowhere stands for those that begin with it, and so does a single character of a text without spaces. A word
 * has letters and digits alone, so it is no syntax.
 */
function expression({ word, frequency: n }: QueryWord): string {
  return n === 0 && (word.length > 1 || isCharacter(word)) ? `"${word}"*` : `"${word}"`;
}

/** For each word of the query the best of what fits it counts, and these are summed. `hits`: of the words as they are. */
function byVariants(
  db: Reader,
  lexicon: Lexicon,
  query: readonly QueryWord[],
  look: Look,
  hits: ReadonlyMap<string, readonly WordHit[]>,
  pool: number,
): number[] {
  const among = { ...look, most: variantsRanked, mostLabelled: 0, cut: { late: false, crowded: false } };
  const each = Math.max(2, Math.min(maxVariants, Math.floor(maxLooked / query.length)));
  const lists = query.map((one) => {
    const { word, frequency: known } = one;
    const best = new Map<number, WordHit>();
    const count = (found: readonly WordHit[], factor: number): void => {
      for (const { key, score } of found)
        if (score * factor > (best.get(key)?.score ?? 0)) best.set(key, { key, score: score * factor });
    };
    if (known > 0) count(hits.get(word) ?? [], 1);
    const others = hasVariants(one, hits, pool) ? lexicon.vocabulary.like(word, each) : [];
    let told = known;
    for (const { term, likeness } of others) {
      among.cut.late ||= performance.now() > look.until;
      if (among.cut.late) break;
      const n = frequency(db, lexicon, term);
      // A common word that was meant is left out only where the one that was typed has hits of its own.
      if (n === 0 || (known >= variantPool && isCommon(lexicon, n))) continue;
      // That a variant is rare does not make it better than what was asked for, or than what is most like that.
      told ||= n;
      const rarer = Math.min(1, rarity(lexicon, told) / rarity(lexicon, n));
      const found = wordHits(db, `"${term}"`, among, variantPool, {
        ...{ enough: variantsEnough, rows: n, matching: n, rarity: rarity(lexicon, n) },
      });
      count(found, likeness * rarer * (known > 0 ? besideKnown : 1));
    }
    return best.values();
  });
  look.cut.late ||= among.cut.late;
  return summed(lists);
}

function hasVariants(
  { word, frequency: n }: QueryWord,
  hits: ReadonlyMap<string, readonly WordHit[]>,
  pool: number,
): boolean {
  return n < variantsUpTo || (hits.get(word)?.length ?? 0) < pool;
}

function isCommon({ size }: Lexicon, frequency: number): boolean {
  return frequency > Math.max(neverCommon, Math.min(alwaysCommon, size * commonPart));
}

function rarity({ size }: Lexicon, frequency: number): number {
  return Math.max(0.01, Math.log((Math.max(0, size - frequency) + 0.5) / (frequency + 0.5)));
}

/** How many texts have each of the words, all together; of words beside each other no more have them. */
function rowsOf(db: Reader, lexicon: Lexicon, terms: readonly string[]): number {
  const known = (term: string) => Math.min(...term.split(' ').map((word) => frequency(db, lexicon, word)));
  return terms.reduce((sum, term) => sum + known(term), 0);
}

/** How many of a text's words are asked for, to find what is like it. */
const mostTelling = 25;
/** So many times those words are found in all: what is said that often tells little more, and is looked at one by one. */
const mostLooked = 10_000;
/** A label's words say more, where they stand and where they are found. */
const labelCounts = 3;
const ofLabels = 5;

/** Entities that share the words that tell most of a text (more like this). Sizes and dates are no such words. */
export function moreLikeThis(db: Reader, lexicon: Lexicon, text: EntityText, look: Look, pool: number): Ranking {
  const counts = new Map<string, number>();
  const count = (part: string, n: number): void => {
    for (const word of words(part)) if (!number.test(word)) counts.set(word, (counts.get(word) ?? 0) + n);
  };
  count(text.label, labelCounts);
  count(text.body, 1);
  for (const { labels } of text.links) count(labels.join('\n'), 1);
  const scored = [...counts].flatMap(([word, n]) => {
    const found = frequency(db, lexicon, word);
    if (found < 2 || found > Math.max(100, lexicon.size * commonPart)) return [];
    return [{ word, found, score: (1 + Math.log(n)) * rarity(lexicon, found) }];
  });
  const ordered = scored.sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1)).slice(0, mostTelling);
  let looked = 0;
  const telling = ordered.filter(({ found }) => {
    looked += found;
    return looked <= mostLooked;
  });
  if (telling.length === 0) return { keys: [], weight: 1 };
  const match = telling.map(({ word }) => `"${word}"`).join(' OR ');
  const hits = wordHits(db, match, { ...look, most: mostLooked }, pool, { ofLabels });
  return { keys: hits.map(({ key }) => key), weight: 1 };
}
