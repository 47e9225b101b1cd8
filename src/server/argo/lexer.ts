import { isLonger } from '../model/text-length.ts';
import { ArgoSyntaxError } from './syntax-error.ts';

/** Words whose letters depend on where they stand: an id, the name of a type, the name of a relation, a number. */
const words = {
  id: /\w+(?:[-:]\w+)*/y,
  name: /\w+(?:[-.]\w+)*/y,
  term: /[A-Za-z_]\w*/y,
  scope: /[a-z]+/y,
  number: /[0-9]+/y,
};
const space = /\s*/y;
/** Up to the quote that ends a text; a backslash takes the character after it. */
const rest = { '"': /(?:[^"\\]|\\.)*/sy, "'": /(?:[^'\\]|\\.)*/sy };

/** As of search queries (interface.md, Search). */
const maxText = 500;

/** Reads the tokens of a query from left to right. What a word may be depends on its place, so the parser asks for each. */
export class Lexer {
  readonly #query: string;
  #at = 0;

  constructor(query: string) {
    this.#query = query;
  }

  /** Where the next token begins: white space before it is left out. */
  get position(): number {
    this.#skip();
    return this.#at;
  }

  get ended(): boolean {
    return this.position === this.#query.length;
  }

  /** Whether the next token is that; nothing is read. */
  sees(token: string): boolean {
    return this.#query.startsWith(token, this.position);
  }

  /** As `sees`, without white space before it. */
  touches(token: string): boolean {
    return this.#query.startsWith(token, this.#at);
  }

  /** Reads the token if it is next. */
  takes(token: string): boolean {
    if (!this.sees(token)) return false;
    this.#at += token.length;
    return true;
  }

  /** @throws ArgoSyntaxError */
  needs(token: string): void {
    if (!this.takes(token)) throw this.problem(`${token} expected`);
  }

  /** The longest word of the kind; undefined where there is none. */
  word(kind: keyof typeof words): string | undefined {
    this.#skip();
    return this.#match(words[kind]);
  }

  /** As `word`, without white space before it. */
  adjacent(kind: keyof typeof words): string | undefined {
    return this.#match(words[kind]);
  }

  /** A quoted text; undefined where there is none. @throws ArgoSyntaxError for one that is not closed, empty or too long */
  text(): string | undefined {
    const begin = this.position;
    const quote = this.#query[begin];
    if (quote !== '"' && quote !== "'") return undefined;
    this.#at++;
    const raw = this.#match(rest[quote]) ?? '';
    if (this.#query[this.#at] !== quote) throw new ArgoSyntaxError('unterminated text', this.#query.length);
    this.#at++;
    const text = raw.replaceAll(/\\(.)/gs, '$1');
    if (text.trim() === '') throw new ArgoSyntaxError('empty text', begin);
    if (isLonger(text, maxText)) throw new ArgoSyntaxError(`text of more than ${maxText} characters`, begin);
    return text;
  }

  /** What is wrong at the next token. */
  problem(problem: string): ArgoSyntaxError {
    return new ArgoSyntaxError(problem, this.position);
  }

  /** What is wrong right behind the last token. */
  problemHere(problem: string): ArgoSyntaxError {
    return new ArgoSyntaxError(problem, this.#at);
  }

  #skip(): void {
    this.#match(space);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#query)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
