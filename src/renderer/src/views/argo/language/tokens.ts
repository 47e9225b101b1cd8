/** What a piece of a query is. `wrong`: no query has it there. */
export type TokenKind =
  | 'text'
  | 'keyword'
  | 'scope'
  | 'id'
  | 'type'
  | 'relation'
  | 'arrow'
  | 'depth'
  | 'sign'
  | 'wrong';

export interface Token {
  kind: TokenKind;
  /** In UTF-16 code units. */
  from: number;
  to: number;
}

/** What may stand at a place: it decides how a word is read. */
export type Place = 'query' | 'types' | 'relation' | 'after relation' | 'depth' | 'scope';

export interface Tokenized {
  tokens: Token[];
  /** What the end of the query is in, outside of a token. */
  place: Place;
}

type Rule = [pattern: RegExp, kind: TokenKind, next?: Place];

const text = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;
const openText = /"(?:[^"\\]|\\.)*\\?$|'(?:[^'\\]|\\.)*\\?$/sy;

/** In each place the first rule that fits is taken. The words are those of the node's own lexer. */
const rules: Record<Place, Rule[]> = {
  query: [
    [text, 'text'],
    [/@:collection(?=\s*\()/y, 'scope', 'scope'],
    [/@:(?:collections|discover|public)(?![a-z])/y, 'scope'],
    [/@\w+(?:[-:]\w+)*/y, 'id'],
    [/type:/y, 'keyword', 'types'],
    [/<?-\[/y, 'arrow', 'relation'],
    [/->|-(?!\[)/y, 'arrow'],
    [/~/y, 'sign'],
  ],
  types: [
    [text, 'text'],
    [/\w+(?:[-.]\w+)*/y, 'type'],
  ],
  relation: [
    [/\*/y, 'sign'],
    [/[A-Za-z_]\w*/y, 'relation'],
    [/,/y, 'sign'],
    [/\]/y, 'arrow', 'after relation'],
  ],
  'after relation': [
    [/\{/y, 'sign', 'depth'],
    [/->|-(?!\[)/y, 'arrow', 'query'],
  ],
  depth: [
    [/[0-9]+/y, 'depth'],
    [/,/y, 'sign'],
    [/\}/y, 'sign', 'query'],
  ],
  scope: [
    [/\(/y, 'sign'],
    [/\w+(?:[-:]\w+)*/y, 'id'],
    [/\)/y, 'sign', 'query'],
  ],
};

const space = /\s+/y;
const comma = /\s*,/y;

/**
 * The pieces of a query, for highlighting and completion, whatever state it is in: it never stops at what is wrong. What
 * the node reads without a fault has no `wrong` piece, and its texts, ids, types and relations are those of the plan.
 */
export function tokenize(query: string): Tokenized {
  const tokens: Token[] = [];
  let place: Place = 'query';
  let at = 0;
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(query)?.[0].length ?? 0;
  };
  while (at < query.length) {
    // A list of types goes on behind a comma alone, whatever space is around it.
    const listed: boolean = place === 'types' && tokens.at(-1)?.kind !== 'keyword' && tokens.at(-1)?.kind !== 'sign';
    if (listed) {
      const length = take(comma);
      if (length === 0) place = 'query';
      else {
        at += length;
        tokens.push({ kind: 'sign', from: at - 1, to: at });
      }
      continue;
    }
    // Nothing stands between `type:` and the first name.
    const blank = take(space);
    if (blank > 0) {
      if (place === 'types' && tokens.at(-1)?.kind === 'keyword') place = 'query';
      at += blank;
      continue;
    }
    const found: Rule | undefined = rules[place].find(([pattern]) => take(pattern) > 0);
    if (found) {
      const [pattern, kind]: Rule = found;
      const length = take(pattern);
      tokens.push({ kind: place === 'types' && kind === 'text' ? 'type' : kind, from: at, to: at + length });
      at += length;
      place = found[2] ?? place;
      continue;
    }
    const length = place === 'query' || place === 'types' ? take(openText) : 0;
    // Outside of its brackets the query is read on, so that one slip does not colour all the rest.
    const last = tokens.at(-1);
    if (length === 0 && place !== 'query' && rules.query.some(([pattern]) => take(pattern) > 0)) place = 'query';
    else if (length === 0 && last?.kind === 'wrong' && last.to === at) last.to = ++at;
    else {
      tokens.push({ kind: length > 0 ? 'text' : 'wrong', from: at, to: at + (length || 1) });
      at += length || 1;
    }
  }
  return { tokens, place };
}
