import fc from 'fast-check';
import { examples, wrongExamples } from './examples.ts';

const written = [...examples, ...wrongExamples].map(([, query]) => query);
const tokens = [
  ...['@:', '@', 'type:', 'collections', 'collection', 'discover', 'public', '(', ')', '~', ',', '*', ' ', '\n'],
  ...['-[', '<-[', ']', '->', '-', '<-', '{', '}', '1', '4', '05', '99999999999', '"', "'", '\\', '"x"', "'y'", '""'],
  ...['a', 'b_c', 'A-1', 'x:y', '3d', 'née', '日本', '😀', '\ud800', '\0', '#', '.'],
];
const pieces = fc.array(fc.constantFrom(...tokens), { maxLength: 60 }).map((parts) => parts.join(''));
/** A query with a piece taken out and another put in. */
const bent = fc
  .tuple(fc.constantFrom(...written), fc.nat(100), fc.nat(10), fc.oneof(pieces, fc.string({ unit: 'binary' })))
  .map(([query, at, length, piece]) => query.slice(0, at) + piece + query.slice(at + length));
const repeated = fc
  .tuple(fc.oneof(pieces, fc.constantFrom(...written)), fc.integer({ min: 1, max: 20_000 }))
  .map(([piece, length]) => piece.repeat(Math.ceil(length / Math.max(1, piece.length))).slice(0, length));

/** Queries and what resembles them. */
export const queries: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: bent },
  { weight: 4, arbitrary: pieces },
  { weight: 1, arbitrary: repeated },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);
