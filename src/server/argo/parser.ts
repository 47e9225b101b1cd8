import { Lexer } from './lexer.ts';
import type { Depth, Hop, Node, Plan, Scope } from './plan.ts';
import { ArgoSyntaxError } from './syntax-error.ts';

/** UTF-16 code units of a query at most. */
const maxLength = 10_000;
const maxDepth = 4;
/** Of one relation. */
const maxTerms = 50;
const scopes = ['collections', 'discover', 'public'] as const;

/** Reads a query (argo.md 1.1). It takes time in proportion to the query's length. @throws ArgoSyntaxError */
export function parse(query: string): Plan {
  if (query.length > maxLength) throw new ArgoSyntaxError(`query of more than ${maxLength} characters`, maxLength);
  const lexer = new Lexer(query);
  const scope = scopeOf(lexer);
  const entry = node(lexer);
  if (entry === null) throw lexer.problem('entry point expected');
  const filter = node(lexer);
  const hops: Hop[] = [];
  for (let next = hop(lexer); next !== null; next = hop(lexer)) hops.push(next);
  if (!lexer.ended) throw lexer.problem('unexpected input');
  return { scope, entry, filter, hops };
}

function scopeOf(lexer: Lexer): Scope | null {
  if (!lexer.takes('@:')) return null;
  const unknown = lexer.problemHere('unknown scope');
  const word = lexer.adjacent('scope');
  const kind = scopes.find((name) => name === word);
  if (kind !== undefined) return { kind };
  if (word !== 'collection') throw unknown;
  lexer.needs('(');
  const id = lexer.word('id');
  if (id === undefined) throw lexer.problem('id expected');
  lexer.needs(')');
  return { kind: 'collection', id };
}

/** null where there is none. */
function node(lexer: Lexer): Node | null {
  const text = lexer.text();
  if (text !== undefined) return { kind: 'text', text };
  if (lexer.sees('@:')) return null;
  if (lexer.takes('@')) {
    const id = lexer.adjacent('id');
    if (id === undefined) throw lexer.problemHere('id expected');
    return { kind: 'id', id };
  }
  return lexer.takes('type:') ? typed(lexer) : null;
}

function typed(lexer: Lexer): Node {
  const first = lexer.adjacent('name') ?? quotedHere(lexer);
  if (first === undefined) throw lexer.problemHere('type name expected');
  const types = [first];
  while (lexer.takes(',')) {
    const next = lexer.word('name') ?? lexer.text();
    if (next === undefined) throw lexer.problem('type name expected');
    types.push(next);
  }
  if (!lexer.takes('~')) return { kind: 'types', types, text: null };
  const text = lexer.text();
  if (text === undefined) throw lexer.problem('text expected after ~');
  return { kind: 'types', types, text };
}

/** No white space stands between `type:` and the first name. */
function quotedHere(lexer: Lexer): string | undefined {
  return lexer.touches('"') || lexer.touches("'") ? lexer.text() : undefined;
}

/** null where there is none. */
function hop(lexer: Lexer): Hop | null {
  const incoming = lexer.takes('<-[');
  if (!incoming && !lexer.takes('-[')) return null;
  const terms = relation(lexer);
  lexer.needs(']');
  const depth = lexer.takes('{') ? range(lexer) : null;
  const direction = arrowEnd(lexer, incoming);
  return { direction, terms, depth, target: node(lexer) };
}

function relation(lexer: Lexer): string[] | null {
  if (lexer.takes('*')) return null;
  const terms: string[] = [];
  do {
    const term = lexer.word('term');
    if (term === undefined) throw lexer.problem('relation term expected');
    terms.push(term);
    if (terms.length > maxTerms) throw lexer.problemHere(`no more than ${maxTerms} relation terms expected`);
  } while (lexer.takes(','));
  return terms;
}

function range(lexer: Lexer): Depth {
  const depth = bounds(lexer);
  lexer.needs('}');
  return depth;
}

function bounds(lexer: Lexer): Depth {
  if (lexer.takes(',')) return { least: 1, most: number(lexer, 1, 'number expected') };
  const least = number(lexer, 1, 'number or , expected');
  if (!lexer.takes(',')) return { least, most: least };
  return { least, most: lexer.sees('}') ? maxDepth : number(lexer, least, 'number or } expected') };
}

function number(lexer: Lexer, least: number, missing: string): number {
  const { position } = lexer;
  const digits = lexer.word('number');
  if (digits === undefined) throw new ArgoSyntaxError(missing, position);
  const value = Number(digits);
  if (value < 1 || value > maxDepth) throw new ArgoSyntaxError(`depth out of 1..${maxDepth}`, position);
  if (value < least) throw new ArgoSyntaxError(`depth below ${least}, the one before it,`, position);
  return value;
}

function arrowEnd(lexer: Lexer, incoming: boolean): Hop['direction'] {
  if (lexer.takes('->')) return incoming ? 'both' : 'out';
  if (!incoming || lexer.sees('-[') || !lexer.takes('-')) throw lexer.problem('arrow end expected');
  return 'in';
}
