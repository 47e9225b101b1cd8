import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from '../../src/server/argo/parser.ts';
import { notation } from '../../src/server/argo/plan.ts';
import { ArgoSyntaxError } from '../../src/server/argo/syntax-error.ts';
import { examples, refusedExamples, wrongExamples } from './examples.ts';
import { queries } from './queries.ts';

describe('the worked examples', () => {
  test('are all there', () => {
    expect(examples.length + refusedExamples.length + wrongExamples.length).toBe(112);
  });

  test.each(examples)('%i: %j', (_, query, plan) => {
    expect(notation(parse(query))).toBe(plan);
  });

  // What is refused when it runs can be read all the same.
  test.each(refusedExamples)('%i: %j', (_, query, plan) => {
    expect(notation(parse(query))).toBe(plan);
  });

  test.each(wrongExamples)('%i: %j', (_, query, position, problem) => {
    expect(wrong(query)).toEqual({ position, message: `${problem} at position ${position}` });
  });
});

describe('a plan', () => {
  test('is plain data', () => {
    const query = `@:collection(C1) "a" type:b,"c d" ~ "e" <-[f, g]{2,}- @h -[*]-> type:i <-[*]->`;
    expect(parse(query)).toEqual({
      scope: { kind: 'collection', id: 'C1' },
      entry: { kind: 'text', text: 'a' },
      filter: { kind: 'types', types: ['b', 'c d'], text: 'e' },
      hops: [
        { direction: 'in', terms: ['f', 'g'], depth: { least: 2, most: 4 }, target: { kind: 'id', id: 'h' } },
        { direction: 'out', terms: null, depth: null, target: { kind: 'types', types: ['i'], text: null } },
        { direction: 'both', terms: null, depth: null, target: null },
      ],
    });
  });

  test.each([
    ['type:"née \\"x\\""', 'types("née \\"x\\"")'],
    ['type:a-b.c , d', 'types(a-b.c/d)'],
    ['@a-b', 'id(a-b)'],
    ['@a- [*]', null],
    ["'a\"b\\\\'", 'sem("a\\"b\\\\")'],
    ['@:public type:x', 'scope public; types(x)'],
    ['@:collections "x"', 'scope collections; sem("x")'],
    ['\u00a0"x"\ufeff', 'sem("x")'],
    ['@w -[_a1]{4}-> @x', 'id(w) ; out [_a1] 4..4 id(x)'],
  ])('%j', (query, plan) => {
    if (plan === null) expect(() => parse(query)).toThrow(ArgoSyntaxError);
    else expect(notation(parse(query))).toBe(plan);
  });
});

describe('what cannot be read', () => {
  test.each([
    ['', 0, 'entry point expected'],
    ['@:', 2, 'unknown scope'],
    ['@:Public "x"', 2, 'unknown scope'],
    ['@: public "x"', 2, 'unknown scope'],
    ['@:collection()', 13, 'id expected'],
    ['@:collection(a', 14, ') expected'],
    ['@w @:public "x"', 3, 'unexpected input'],
    ['@w -[*]-> @:public', 10, 'unexpected input'],
    ['@w -[*]-> @', 11, 'id expected'],
    ['@w @ x', 4, 'id expected'],
    ['@w -[', 5, 'relation term expected'],
    ['@w -[]-> @x', 5, 'relation term expected'],
    ['@w -[1a]-> @x', 5, 'relation term expected'],
    ['@w -[*', 6, '] expected'],
    ['@w -[*]', 7, 'arrow end expected'],
    ['@w <-[*]-[b]-> @x', 8, 'arrow end expected'],
    ['@w -[*]{', 8, 'number or , expected'],
    ['@w -[*]{,}-> @x', 9, 'number expected'],
    ['@w -[*]{1,a}-> @x', 10, 'number or } expected'],
    ['@w -[*]{0}-> @x', 8, 'depth out of 1..4'],
    ['@w -[*]{5,9}-> @x', 8, 'depth out of 1..4'],
    ['@w -[*]{99999999999999999999}-> @x', 8, 'depth out of 1..4'],
    ['@w -[*]{3,1}-> @x', 10, 'depth below 3, the one before it,'],
    ['type:', 5, 'type name expected'],
    ['type: "x"', 5, 'type name expected'],
    ['type:a ~ ', 9, 'text expected after ~'],
    ['"x" " "', 4, 'empty text'],
    ["'x\\'", 4, 'unterminated text'],
    ['"x\\', 3, 'unterminated text'],
    [`"${'x'.repeat(501)}"`, 0, 'text of more than 500 characters'],
    [`@w -[${'a,'.repeat(50)}a]-> @x`, 106, 'no more than 50 relation terms expected'],
    [' '.repeat(10_001), 10_000, 'query of more than 10000 characters'],
  ])('%j', (query, position, problem) => {
    expect(wrong(query)).toEqual({ position, message: `${problem} at position ${position}` });
  });

  test('is not a text of 500 characters, however many code units they have', () => {
    expect(parse(`"${'😀'.repeat(500)}"`).entry).toEqual({ kind: 'text', text: '😀'.repeat(500) });
  });
});

describe('whatever is given', () => {
  test('there is a plan or an offset, and never another error', () => {
    fc.assert(
      fc.property(queries, (query) => {
        try {
          // A plan can be said, too.
          expect(notation(parse(query))).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(ArgoSyntaxError);
          const { position } = error as ArgoSyntaxError;
          expect(position).toBeGreaterThanOrEqual(0);
          expect(position).toBeLessThanOrEqual(query.length);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function wrong(query: string): { position: number; message: string } | null {
  try {
    parse(query);
    return null;
  } catch (error) {
    if (!(error instanceof ArgoSyntaxError)) throw error;
    const { position, message } = error;
    return { position, message };
  }
}
