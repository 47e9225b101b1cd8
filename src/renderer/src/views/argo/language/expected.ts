import { type Token, type TokenKind, tokenize } from './tokens.ts';

/** A part of the language that can be typed. */
export type Part = 'scope' | 'entry' | 'text' | 'like' | 'hop' | 'any' | 'depth' | 'arrow to' | 'arrow back';

/** What can be typed at a place of a query, and from where on what stands before it is the beginning of that. */
export interface Expected {
  from: number;
  /** Names that fit. `entities`: an id, which is found by a label. */
  names?: 'types' | 'predicates' | 'collections' | 'entities';
  parts: Part[];
}

/** What a query goes on with behind `at`; null within a text, where anything does. */
export function expectedAt(query: string, at: number): Expected | null {
  const { tokens, place } = tokenize(query.slice(0, at));
  const last = tokens.at(-1);
  const touching = last?.to === at ? last : undefined;
  if (touching && !isClosed(query.slice(touching.from, at))) return null;
  const begun = (kind: TokenKind) => (touching?.kind === kind ? touching.from : at);
  switch (place) {
    case 'types':
      return { from: begun('type'), names: 'types', parts: [] };
    case 'relation':
      return { from: begun('relation'), names: 'predicates', parts: ['any'] };
    case 'after relation':
      return { from: at, parts: [...arrowEnds(query, tokens), 'depth'] };
    case 'depth':
      return null;
    case 'scope':
      return { from: begun('id'), names: 'collections', parts: [] };
    case 'query':
      break;
  }
  if (touching?.kind === 'id') return { from: touching.from + 1, names: 'entities', parts: [] };
  // The beginning of a word or a sign; a lone `-` behind an entry is that of a hop.
  const isBegun = touching?.kind === 'wrong' || (touching?.kind === 'arrow' && endsEntry(tokens.at(-2)));
  const before = isBegun ? tokens.slice(0, -1) : tokens;
  return { from: isBegun ? (touching?.from ?? at) : at, parts: partsAfter(query, before) };
}

/** Whether a piece is no text that goes on. */
function isClosed(piece: string): boolean {
  return !/^["']/.test(piece) || /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')$/s.test(piece);
}

function endsEntry(token: Token | undefined): boolean {
  return token !== undefined && ['text', 'id', 'type'].includes(token.kind);
}

function partsAfter(query: string, tokens: readonly Token[]): Part[] {
  const last = tokens.at(-1);
  if (last === undefined) return ['entry', 'scope'];
  const also: Part[] = isFirst(query, tokens) ? ['entry'] : [];
  switch (last.kind) {
    case 'scope':
    case 'arrow':
      return ['entry'];
    case 'type':
      return ['like', 'hop', ...also];
    case 'text':
    case 'id':
      return ['hop', ...also];
    case 'sign':
      return afterSign(query, tokens, query[last.from] ?? '');
    default:
      return [];
  }
}

function afterSign(query: string, tokens: readonly Token[], sign: string): Part[] {
  if (sign === '~') return ['text'];
  if (sign === ')') return ['entry'];
  return sign === '}' ? arrowEnds(query, tokens) : [];
}

/** A relation that began with `<-[` ends in either way. */
function arrowEnds(query: string, tokens: readonly Token[]): Part[] {
  const begin = tokens.findLast(({ from, to }) => query.slice(from, to).endsWith('-['));
  return begin && query[begin.from] === '<' ? ['arrow back', 'arrow to'] : ['arrow to'];
}

/** Whether there is one entry so far, behind which another one may narrow it. */
function isFirst(query: string, tokens: readonly Token[]): boolean {
  const sign = (i: number) => query[tokens[i]?.from ?? query.length];
  const entries = tokens.filter(
    ({ kind }, i) =>
      kind === 'keyword' || (kind === 'id' && sign(i) === '@') || (kind === 'text' && sign(i - 1) !== '~'),
  );
  return entries.length === 1 && tokens.every(({ kind }) => kind !== 'arrow');
}
