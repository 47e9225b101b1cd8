import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedAt } from '../../src/renderer/src/views/argo/language/expected.ts';
import { tokenize } from '../../src/renderer/src/views/argo/language/tokens.ts';
import { parse } from '../../src/server/argo/parser.ts';
import type { Node, Plan } from '../../src/server/argo/plan.ts';
import { ArgoSyntaxError } from '../../src/server/argo/syntax-error.ts';
import { examples } from '../argo/examples.ts';
import { queries, readable } from '../argo/queries.ts';

/** What a plan says, in the order in which a query says it. */
function saidBy({ scope, entry, filter, hops }: Plan): string[] {
  const nodeSays = (node: Node | null): string[] => {
    if (node === null) return [];
    if (node.kind === 'id') return [`id ${node.id}`];
    if (node.kind === 'text') return [`text ${node.text}`];
    return [...node.types.map((type) => `type ${type}`), ...(node.text === null ? [] : [`text ${node.text}`])];
  };
  return [
    ...(scope === null ? [] : [`scope ${scope.kind}`, ...(scope.kind === 'collection' ? [`id ${scope.id}`] : [])]),
    ...nodeSays(entry),
    ...nodeSays(filter),
    ...hops.flatMap(({ terms, target }) => [...(terms ?? []).map((term) => `relation ${term}`), ...nodeSays(target)]),
  ];
}

/** The same of what is highlighted. */
function shownBy(query: string): string[] {
  return tokenize(query).tokens.flatMap(({ kind, from, to }) => {
    const piece = query.slice(from, to);
    const plain = /^["']/.test(piece) ? piece.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : piece;
    if (kind === 'text' || kind === 'type' || kind === 'relation') return [`${kind} ${plain}`];
    if (kind === 'id') return [`id ${plain.replace('@', '')}`];
    return kind === 'scope' ? [`scope ${plain.replace('@:', '')}`] : [];
  });
}

describe('the highlighting of queries', () => {
  it('reads every query that the node reads as the node does', () => {
    for (const [number, query] of examples) {
      expect(shownBy(query), `example ${number}`).toEqual(saidBy(parse(query)));
      expect(
        tokenize(query).tokens.filter(({ kind }) => kind === 'wrong'),
        `example ${number}`,
      ).toEqual([]);
    }
    fc.assert(
      fc.property(readable, (written) => {
        const query = written.replaceAll(/@(?!:)/g, '@w');
        expect(shownBy(query)).toEqual(saidBy(parse(query)));
        expect(tokenize(query).tokens.map(({ kind }) => kind)).not.toContain('wrong');
      }),
      { numRuns: 500 },
    );
  });

  it('goes through anything, piece by piece, and marks nothing as wrong that the node takes', () => {
    fc.assert(
      fc.property(queries, (text) => {
        const { tokens } = tokenize(text);
        let end = 0;
        for (const { from, to } of tokens) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        if (isRead(text)) expect(tokens.map(({ kind }) => kind)).not.toContain('wrong');
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to the length of a query', () => {
    for (const part of ['"', "'\\", '@', 'type:', '-[', 'a,', '{', ' ']) {
      const { tokens } = tokenize(part.repeat(10_000));
      expect(tokens.length).toBeLessThan(30_001);
    }
  });
});

/** What is offered where `|` is: names, then parts, and what of the query it takes the place of. */
function offered(marked: string): string {
  const at = marked.indexOf('|');
  const query = marked.replace('|', '');
  const expected = expectedAt(query, at);
  if (expected === null) return 'nothing';
  const { names, parts, from } = expected;
  return `${[...(names ? [names] : []), ...parts].join()} for "${query.slice(from, at)}"`;
}

describe('the completion of queries', () => {
  it.each([
    ['|', 'entry,scope for ""'],
    ['ty|', 'entry,scope for "ty"'],
    ['@|', 'entry,scope for "@"'],
    ['@:coll|', 'entry,scope for "@:coll"'],
    ['@:public |', 'entry for ""'],
    ['@:collection(|) "a"', 'collections for ""'],
    ['@:collection(Ta|', 'collections for "Ta"'],
    ['@:collection(a) |', 'entry for ""'],
    ['type:|', 'types for ""'],
    ['type:art|', 'types for "art"'],
    ['type:a, b|', 'types for "b"'],
    ['type: |', ' for ""'],
    ['type:a |', 'like,hop,entry for ""'],
    ['type:a ~ |', 'text for ""'],
    ['type:a ~ "x|', 'nothing'],
    ['type:a ~ "x" |', 'hop,entry for ""'],
    ['"a|"', 'nothing'],
    ['"a" |', 'hop,entry for ""'],
    ['"a" "b" |', 'hop for ""'],
    ['"a" -|', 'hop,entry for "-"'],
    ['@turner|', 'entities for "turner"'],
    ['@a <|', 'hop,entry for "<"'],
    ['@a -[|', 'predicates,any for ""'],
    ['@a -[ma|]-> type:b', 'predicates,any for "ma"'],
    ['@a -[made_by, m|', 'predicates,any for "m"'],
    ['@a -[made_by]|', 'arrow to,depth for ""'],
    ['@a <-[made_by]|', 'arrow back,arrow to,depth for ""'],
    ['@a <-[*]{,3}|', 'arrow back,arrow to for ""'],
    ['@a -[*]{|', 'nothing'],
    ['@a -[*]-> |', 'entry for ""'],
    ['@a -[*]-> type:b |', 'like,hop for ""'],
    ['@a -[*]-> "x" <|', 'hop for "<"'],
  ])('of %s offers %s', (marked, wanted) => {
    expect(offered(marked)).toBe(wanted);
  });
});

function isRead(query: string): boolean {
  try {
    parse(query);
    return true;
  } catch (error) {
    if (error instanceof ArgoSyntaxError) return false;
    throw error;
  }
}
