import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/server/model/manifest.ts';
import { compileFilter } from '../../src/server/store/listings/filter.ts';
import { listEntities } from '../../src/server/store/listings/listings.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

type Scalar = string | number | boolean | null;
type Filter = { [name: string]: unknown };

const names = ['_a', '_b', "_odd name's", '_é.[0]'];
const types = ['person', 'Person', 'pérson'];
const ordered = fc.constantFrom<(string | number)[]>(
  ...[
    '',
    'a',
    'A',
    'ab',
    'é',
    'e\u0301',
    'a\u0000b',
    '10',
    '9',
    'true',
    'null',
    '%',
    '"',
    "'",
    '\\',
    '[]',
    '😀',
    '\uffff',
  ],
  ...[0, 1, -1, 9, 10, 0.1, 0.30000000000000004, 5e-324, 1.5e-300, 123_456_789.125, Number.MAX_SAFE_INTEGER],
);
const scalar = fc.oneof<fc.Arbitrary<Scalar>[]>(ordered, fc.boolean(), fc.constant(null));
const value: fc.Arbitrary<Json> = fc.oneof<fc.Arbitrary<Json>[]>(
  scalar,
  fc.array(fc.oneof<fc.Arbitrary<Json>[]>(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', '_a'), scalar, { maxKeys: 2 }),
);
const properties: fc.Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...names), value);
const entity = fc.record({ type: fc.constantFrom(...types), properties });

const operation = fc.oneof(
  scalar,
  scalar.map(($eq) => ({ $eq })),
  scalar.map(($ne) => ({ $ne })),
  fc.record({ $gte: ordered, $lt: ordered }),
  fc.record({ $gt: ordered, $lte: ordered }, { requiredKeys: ['$gt'] }),
  fc.array(scalar, { maxLength: 3 }).map(($in) => ({ $in })),
  fc.array(scalar, { maxLength: 3 }).map(($nin) => ({ $nin })),
  fc.boolean().map(($exists) => ({ $exists })),
);
const condition: fc.Arbitrary<Filter> = fc.oneof<fc.Arbitrary<Filter>[]>(
  fc.dictionary(fc.constantFrom(...names), operation, { minKeys: 1, maxKeys: 2 }),
  fc.constantFrom(...types).map((type) => ({ type })),
);
const joined = (one: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.oneof<fc.Arbitrary<Filter>[]>(
    one,
    fc.array(one, { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
    fc.array(one, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
  );
const filter = joined(joined(condition));

/** As SQLite compares texts. */
const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);

const comparisons: { [name: string]: (order: number) => boolean } = {
  $eq: (order) => order === 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
};

/** What filter.ts says of one operator, for a value or for any of a list's. */
function holds(has: Json | undefined, name: string, operand: unknown): boolean {
  if (name === '$ne') return !holds(has, '$eq', operand);
  if (name === '$in') return (operand as Scalar[]).some((one) => holds(has, '$eq', one));
  if (name === '$nin') return !holds(has, '$in', operand);
  if (name === '$exists') return (has !== undefined) === operand;
  if (operand === null) return has === undefined || has === null;
  return (Array.isArray(has) ? has : [has]).some((one) => {
    if (typeof one === 'boolean') return one === operand;
    if (typeof one !== 'string' && typeof one !== 'number') return false;
    return typeof one === typeof operand && comparisons[name]?.(compare(one, operand as string | number)) === true;
  });
}

function fits(of: { type: string; properties: JsonObject }, given: Filter): boolean {
  return Object.entries(given).every(([name, inner]) => {
    if (name === '$and') return (inner as Filter[]).every((one) => fits(of, one));
    if (name === '$or') return (inner as Filter[]).some((one) => fits(of, one));
    const has = name === 'type' ? of.type : of.properties[name];
    if (typeof inner !== 'object' || inner === null) return holds(has, '$eq', inner);
    return Object.entries(inner).every(([operator, operand]) => holds(has, operator, operand));
  });
}

test('a filter lets pass what a plain reading of it does, whatever is compared', async () => {
  const groups = fc.array(entity, { minLength: 30, maxLength: 30 });
  const filters = fc.array(filter, { minLength: 40, maxLength: 40 });
  const property = fc.asyncProperty(groups, filters, async (entities, all) => {
    await using opened = await openStore('here');
    const collection = first(idOf(0), { type: 'collection' });
    const relationships: [string, string][] = [['collection', collection.id]];
    const made = entities.map((one, n) => first(idOf(n + 1), { ...one, relationships }));
    await opened.store.submit([step(null, collection), ...made.map((one) => step(null, one))]);
    opened.store.read((db) => {
      for (const given of all) {
        const page = { collection: collection.id, limit: 100, offset: 0, expand: false };
        const found = listEntities(db, { ...page, filter: compileFilter(given, []) });
        const wanted = made.filter((_, n) => fits(entities[n] as (typeof entities)[number], given));
        expect(found.entities.map(({ id }) => id).sort(), JSON.stringify(given)).toEqual(wanted.map(({ id }) => id));
      }
    });
  });
  await fc.assert(property, { numRuns: 20 });
});

test.each<[unknown, (string | number)[], string]>([
  [{ $and: [] }, ['$and'], 'must have at least 1 item'],
  [{ $or: {} }, ['$or'], 'must be a list of conditions'],
  [{ _a: { $in: 'x' } }, ['_a', '$in'], 'must be a list'],
  [{ _a: { $exists: 1 } }, ['_a', '$exists'], 'must be true or false'],
  [{ _a: { $gt: null } }, ['_a', '$gt'], 'must be a text or a number'],
  [{ _a: 'x'.repeat(2001) }, ['_a'], 'must have at most 2000 characters'],
])('of a filter it is said what is wrong (%#)', (given, path, message) => {
  expect(() => compileFilter(given, [])).toThrow(expect.objectContaining({ issues: [{ path, message }] }));
});
