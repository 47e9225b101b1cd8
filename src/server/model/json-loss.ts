import type { IssuePath } from '../errors.ts';
import { endOfText } from './from-json.ts';
import { jsonIssues } from './json-value.ts';
import { isKeptAsNumber, printedDigits } from './numerals.ts';

/** A place of a JSON text whose value does not say what the text says. */
export interface JsonLoss {
  path: IssuePath;
  message: string;
  /** What a number there is read as. */
  number?: number;
}

/** An object or a list around the place that is looked at; `names` are those that an object had so far. */
interface Level {
  names: Set<string> | null;
  /** The member or the index at which it stands. */
  at: string | number;
  nameFollows: boolean;
}

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const open = 0x5b;
const close = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The first place at which JSON.parse would change without a word what a text says: of two members of one name the last
 * would stand, and a number with more digits than a double has would be another one. Null where there is none. The text
 * is one that JSON.parse takes, and not deep.
 */
export function jsonLoss(text: string): JsonLoss | null {
  return losses(text).next().value ?? null;
}

/** All of them. */
function* losses(text: string): Generator<JsonLoss, undefined, undefined> {
  const levels: Level[] = [];
  const lost = (message: string): JsonLoss => ({ path: levels.map(({ at }) => at), message });
  for (let i = 0; i < text.length; ) {
    const sign = text.charCodeAt(i);
    if (sign === quote) {
      const end = endOfText(text, i);
      const level = levels.at(-1);
      if (level?.names && level.nameFollows) {
        level.nameFollows = false;
        level.at = nameOf(text.slice(i, end));
        if (level.names.has(level.at)) yield lost('is there twice, of which one alone could be kept');
        level.names.add(level.at);
      }
      i = end;
    } else if (sign === minus || (sign >= zero && sign <= nine)) {
      const end = endOfNumber(text, i);
      const numeral = text.slice(i, end);
      if (!isKept(numeral))
        yield { ...lost('cannot be kept exactly as a number: write it as a text'), number: Number(numeral) };
      i = end;
    } else {
      if (sign === openBrace) levels.push({ names: new Set(), at: '', nameFollows: true });
      else if (sign === open) levels.push({ names: null, at: 0, nameFollows: false });
      else if (sign === closeBrace || sign === close) levels.pop();
      else if (sign === comma) toNext(levels.at(-1));
      i++;
    }
  }
  return undefined;
}

/** The first at a place that counts which jsonIssues does not tell of the value. */
export function lossBeside(text: string, counts: (path: IssuePath) => boolean): JsonLoss | null {
  for (const loss of losses(text))
    if (counts(loss.path) && jsonIssues(loss.number ?? null, []).length === 0) return loss;
  return null;
}

function toNext(level: Level | undefined): void {
  if (!level) return;
  level.nameFollows = level.names !== null;
  if (typeof level.at === 'number') level.at++;
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Behind the number that begins at `from`: at what ends a value. */
function endOfNumber(text: string, from: number): number {
  for (let end = from + 1; end < text.length; end++) {
    const sign = text.charCodeAt(end);
    if (sign === comma || sign === close || sign === closeBrace || sign <= space) return end;
  }
  return text.length;
}

/** Short numerals without an exponent always are. */
function isKept(numeral: string): boolean {
  return (numeral.length <= printedDigits && !/e/i.test(numeral)) || isKeptAsNumber(numeral, printedDigits);
}
