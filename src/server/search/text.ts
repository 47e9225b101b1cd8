import { createHash } from 'node:crypto';
import type { Json } from '../model/manifest.ts';
import type { DocWords } from '../store/search/search-index.ts';
import type { Passage } from './embedder.ts';
import { lastCharacters, words } from './tokens.ts';
import { wholeNumbers } from './whole-numbers.ts';

/** The texts by which an entity is found. */
export interface EntityText {
  label: string;
  /** Type and text properties. */
  body: string;
  /** Whole numbers of its properties, which are found by and say nothing to an embedder. */
  numbers: string[];
  /** What it leads to: predicate, and the labels at the other end. */
  links: { predicate: string; labels: string[] }[];
}

export interface TextSource {
  type: string;
  label: string;
  properties: { [key: string]: Json };
  neighbours: { predicate: string; label: string }[];
  /** What a collection holds. */
  summary?: string[];
  /** The label of the entity that an inline reference names. */
  labelOf(id: string): string | undefined;
}

/** So many characters of an entity are indexed. */
const maxBody = 50_000;
const maxLabel = 500;
const maxDepth = 6;
/** Addresses, CIDs and the like say nothing to whom searches by words. */
const wordless = /^(?:[a-z][a-z0-9+.-]*:\/\/\S+|data:\S+|baf[a-z0-9]{40,}|[0-9A-HJKMNP-TV-Z]{26})$/i;
/** `[Label](arke:ID)`, whatever the service calls itself (interface.md; wire-contract.md 1.4). */
const reference = /\[([^[\]\n]{0,500})\]\([a-z][a-z0-9-]{0,31}:([0-9A-Z]{26})\)/g;

export function entityText({ type, label, properties, neighbours, summary = [], labelOf }: TextSource): EntityText {
  const parts: string[] = [type.replaceAll(/[_-]+/g, ' ')];
  let left = maxBody;
  const take = (text: string): void => {
    // An expression that has to take millions of characters overflows; what lies beyond would not be indexed anyway.
    if (left <= 0 || text === label || wordless.test(text.slice(0, maxBody))) return;
    const cut = text.slice(0, left);
    left -= cut.length;
    parts.push(resolved(cut, labelOf));
  };
  const walk = (value: Json, depth: number): void => {
    if (typeof value === 'string') take(value);
    else if (typeof value === 'object' && value !== null && left > 0 && depth < maxDepth)
      for (const inner of Object.values(value)) walk(inner, depth + 1);
  };
  const values = Object.entries(properties).flatMap(([name, value]) => (isMachinery(type, name) ? [] : [value]));
  for (const value of values) walk(value, 0);
  for (const text of summary) take(text);
  // What of a label is too long is found here, behind all else.
  if (label.length > maxLabel) take(label.slice(Math.max(0, label.lastIndexOf(' ', maxLabel)) || maxLabel));
  const links = new Map<string, string[]>();
  for (const { predicate, label: other } of neighbours) {
    const labels = links.get(predicate) ?? [];
    labels.push(other.slice(0, maxLabel));
    links.set(predicate, labels);
  }
  return {
    label: label.slice(0, maxLabel),
    body: parts.join('\n'),
    numbers: wholeNumbers(values, maxDepth),
    links: [...links].map(([predicate, labels]) => ({ predicate, labels })),
  };
}

/** By type: roles, schemas and flows are no texts where the program goes by them. */
const machinery = new Map<string, readonly string[]>([
  ['collection', ['roles']],
  ['agent', ['input_schema']],
  ['klados', ['input_schema']],
  ['rhiza', ['flow', 'input_schema']],
]);

/** Nor are content keys, of whatever type. */
function isMachinery(type: string, name: string): boolean {
  return name === '_content' || machinery.get(type)?.includes(name) === true;
}

function resolved(text: string, labelOf: TextSource['labelOf']): string {
  if (!text.includes('](')) return text;
  return text.replaceAll(reference, (_, label: string, id: string) => {
    const now = labelOf(id);
    return now === undefined || now === label ? label : `${label} ${now}`;
  });
}

/** As the index takes them: the words of an entity's texts. */
export function docWords({ label, body, numbers, links }: EntityText): DocWords {
  const own = words(label);
  const others = links.flatMap(({ labels }) => labels.map((one) => words(one)));
  return {
    label: joined(own),
    body: joined(words(body)),
    numbers: words(numbers.join(' ')).join(' '),
    links: joined(others.flat()),
    whole: [wholeLabel(own), ...new Set(others.map(wholeNeighbour))].join(' '),
  };
}

/** Between spaces, and after them what else stands for single characters. */
function joined(all: readonly string[]): string {
  return [...all, ...lastCharacters(all)].join(' ');
}

const longestWhole = 100;
/** Of Unicode's private use: no word of a text has these, and the index takes them for letters. */
const [ownMark, neighbourMark, between] = ['\u{E000}', '\u{E001}', '\u{E002}'];

/** The words of an entity's label as one, so that what is all of it is told from what is a part. */
export function wholeLabel(all: readonly string[]): string {
  return whole(ownMark, all);
}

/** The same of what an entity leads to. */
export function wholeNeighbour(all: readonly string[]): string {
  return whole(neighbourMark, all);
}

function whole(mark: string, all: readonly string[]): string {
  if (all.length === 0) return '';
  const one = all.join(between);
  return `${mark}${one.length <= longestWhole ? one : createHash('sha256').update(one).digest('hex')}`;
}

/** An entity's texts as an embedder takes them. */
export function passageOf({ label, body, links }: EntityText): Passage {
  return {
    title: label,
    text: [body, ...links.map(({ predicate, labels }) => `${predicate}: ${labels.join(', ')}`)].join('\n'),
  };
}

/**
 * What the texts of an entity are told apart by: its words and the predicates, by which its passage differs too, and after a dot
 * its numbers, where it has any.
 */
export function digestOf({ label, body, numbers, links, whole }: DocWords, text: EntityText): string {
  const of = (part: string): string => createHash('sha1').update(part).digest('base64url');
  const predicates = text.links.map((link) => `${link.labels.length} ${link.predicate}`);
  const own = of([label, body, links, whole, ...predicates].join('\n'));
  return `${own}${numbers === '' ? '' : `.${of(numbers)}`}`;
}

/** Whether two digests are of the same texts: numbers are not embedded. */
export function sameTexts(one: string, other: string): boolean {
  return one.split('.', 1)[0] === other.split('.', 1)[0];
}
