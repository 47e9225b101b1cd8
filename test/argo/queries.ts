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

const node = fc.constantFrom('"ship"', "'turner storm'", '@', '@', 'type:artwork', 'type:artist,movement');
const arrows = fc.constantFrom(['-', '->'], ['<-', '-'], ['<-', '->'], ['<-', '->']);
const relations = fc.constantFrom('*', '*', 'made_by', 'made_by, member_of', 'maker', 'collection');
const depths = fc.constantFrom('', '{,2}', '{2}', '{2,}', '{,4}');
const hop = fc
  .tuple(arrows, relations, depths, fc.oneof({ weight: 15, arbitrary: node }, fc.constant('')))
  .map(([[begin, end], relation, depth, target]) => ` ${begin}[${relation}]${depth}${end} ${target}`);
const seldom = <T>(rare: fc.Arbitrary<T>, usual: T) => fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, rare);

/** Queries that can be read; `@` stands for the id of an entity. */
export const readable: fc.Arbitrary<string> = fc
  .tuple(
    seldom(fc.constantFrom('@:public ', '@:collections ', '@:discover '), ''),
    fc.constantFrom('"ship storm"', '@', '@', 'type:artwork ~ "horses"', 'type:artwork'),
    seldom(node, ''),
    fc.array(hop, { maxLength: 3 }),
  )
  .map(([scope, entry, filter, hops]) => `${scope}${entry} ${filter}${hops.join('')}`);
