import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle, labels, search } from '../helpers/searches.ts';

let node: TestNode;
let who: Person;

const ids = { id: '01J00000000000000000000000', collection_id: '01J00000000000000000000000' };

/** A sentence in each of many scripts. */
const sentences: Record<string, string> = {
  Latin: 'The heron stands in the reeds and waits',
  Vietnamese: 'Con diệc đứng trong đám lau sậy chờ đợi',
  Greek: 'Ο ερωδιός στέκεται στα καλάμια και περιμένει',
  Cyrillic: 'Цапля стоит в камышах и ждёт',
  Armenian: 'Հերոնը կանգնած է եղեգներում',
  Georgian: 'ყანჩა დგას ლერწმებში და ელოდება',
  Hebrew: 'האנפה עומדת בין הקנים ומחכה',
  Arabic: 'يقف مالك الحزين بين القصب وينتظر',
  Persian: 'حواصیل در نیزار ایستاده است',
  Devanagari: 'बगुला नरकट में खड़ा है और प्रतीक्षा करता है',
  Bengali: 'বক নলখাগড়ার মধ্যে দাঁড়িয়ে আছে',
  Tamil: 'நாரை நாணலில் நின்று காத்திருக்கிறது',
  Telugu: 'కొంగ రెల్లులో నిలబడి ఉంది',
  Thai: 'นกกระสายืนอยู่ในต้นกกและรอ',
  Khmer: 'សត្វក្រៀលឈរក្នុងដើមត្រែង',
  Lao: 'ນົກຍາງຢືນຢູ່ໃນຕົ້ນອໍ້',
  Burmese: 'ဗျိုင်းသည် ကျူပင်များထဲတွင် ရပ်နေသည်',
  Tibetan: 'ཀང་ཀ་ནི་འདམ་རྩྭའི་ནང་ལངས་ཡོད',
  Ethiopic: 'ሽመላ በሸምበቆ ውስጥ ቆሞ ይጠብቃል',
  Han: '苍鹭站在芦苇丛中等待',
  Kana: 'サギは葦の中に立って待っている',
  Hangul: '왜가리가 갈대밭에 서서 기다린다',
  Mongolian: 'ᠳᠡᠭᠢ ᠬᠤᠯᠤᠰᠤᠨ ᠳᠤ',
  Cherokee: 'ᎧᏁᏍᎦ ᎠᏓᏅᏖᏍᎬ',
  Deseret: '𐐐𐐯𐑉𐐲𐑌 𐑅𐐻𐐰𐑌𐐼𐑆',
};

beforeAll(async () => {
  node = await startNode();
  who = await user(node, 'somebody');
  for (const label of ['Heron', 'A second heron']) await create(node, who, { properties: { label } });
  for (const [script, label] of Object.entries(sentences))
    await create(node, who, { type: 'sentence', properties: { label: `${script}: ${label}` } });
  await indexIdle(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const send = (body: unknown, endpoint = 'entities') => ask(node, who, `POST /search/${endpoint}`, body);
const heron = async (query: string) =>
  labels(await search(node, who, 'entities', { query, types: ['document'] })).toSorted();

describe('a text is data, not syntax', () => {
  it.each([
    '"heron',
    'heron"',
    '"heron" "',
    '""heron""',
    "'heron'; DROP TABLE words; --",
    'heron*',
    '*heron',
    '^heron',
    'heron^',
    'heron:',
    'label: heron',
    'label : heron OR body : heron',
    '{label body} : heron',
    '-label : heron',
    'NEAR(heron)',
    'NEAR(heron heron, 5)',
    'heron NEAR heron',
    'heron AND',
    'AND heron',
    'NOT heron',
    'heron NOT heron',
    'OR heron OR',
    '(heron',
    'heron)',
    '((((heron',
    'heron + heron',
    '+heron',
    '-heron',
    'heron,',
    'heron\u0000heron',
    '\u0000heron\u0000',
    'heron\n\r\theron',
    '\\heron\\',
    '%heron_',
    'heron ? ?1 :a @a $a',
    '\u202eheron\u202c',
    'he\u0301\u0301\u0301ron',
    'ＨＥＲＯＮ heron',
    '\ufeffheron\uffff',
    '🐦 heron 🐦‍⬛',
    'words heron rank',
  ])('%j', async (query) => {
    expect(await heron(query)).toEqual(expect.arrayContaining(['A second heron', 'Heron']));
  });

  it.each([
    '"',
    '""',
    '*',
    '^',
    ':',
    '(',
    ')',
    '-',
    '+',
    ',',
    '.',
    '\u0000',
    ' ',
    '\n',
    '🐦',
    '\u0301',
    '\u200d',
    '%_',
    '\\',
  ])('of no word at all: %j', async (query) => {
    const { status, body } = await send({ query });
    expect([status, body]).toMatchObject([200, { results: [], metadata: { query, result_count: 0 } }]);
  });

  it('with an unpaired surrogate is a 400, like any text that cannot be kept', async () => {
    for (const query of ['heron \ud800', '\udc00', 'a\udc00\ud800'])
      expect((await send(`{"query":${JSON.stringify(query)}}`)).status).toBe(400);
  });

  it.each(Object.entries(sentences))(
    'is found in its script: %s, also 500 characters of it',
    async (script, sentence) => {
      const long = [...sentence.repeat(50)];
      while (long.join('').length > 500) long.pop();
      for (const query of [sentence, long.join('')]) {
        const found = labels(await search(node, who, 'entities', { query, types: ['sentence'] }));
        expect(found[0]).toBe(`${script}: ${sentence}`);
      }
    },
  );

  it('500 of one character, of any kind', async () => {
    for (const one of ['a', '"', '*', '(', ' ', '\u0301', '漢', 'ก', '0', '\u0000', 'ß', 'İ', 'ﷺ', 'ǆ']) {
      const { status, text } = await send({ query: one.repeat(500) });
      expect(status, `${JSON.stringify(one)}: ${text}`).toBe(200);
    }
    expect((await send({ query: '🐦'.repeat(250) })).status).toBe(200);
    expect((await send({ query: Array.from({ length: 250 }, (_, i) => 'abcdefghij'[i % 10]).join(' ') })).status).toBe(
      200,
    );
  });

  it('whatever it is', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom(
        '"',
        '*',
        'NEAR(',
        ')',
        ' AND ',
        ' OR ',
        ' NOT ',
        '^',
        'label:',
        '{',
        '}',
        '+',
        'heron',
        '\u0000',
        "'",
      ),
    );
    const query = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((all) => all.join(''))
      .filter((it) => it.length > 0);
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom('entities', 'collections', 'agents', 'discover'),
        async (text, endpoint) => {
          const { status } = await send({ query: text, limit: 3 }, endpoint);
          const fits = text.length <= 500 && text.isWellFormed();
          expect(status).toBe(fits ? 200 : 400);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it('a filter of 1,000 values is none too many: 997 in one list, the list, its condition and the filter', async () => {
  const filter = { _a: { $in: Array.from({ length: 997 }, (_, i) => i) } };
  expect((await send({ query: 'heron', filter }, 'entities')).status).toBe(200);
});

describe('what cannot be is a 400 that says where', () => {
  const nested = (levels: number): string => `${'{"$and":['.repeat(levels)}{}${']}'.repeat(levels)}`;
  const many = (n: number) => Array.from({ length: n }, (_, i) => ({ [`_k${i}`]: i }));
  const filtered: [string, unknown, (string | number)[]][] = [
    ['an unknown operator', { _a: { $regex: 'x' } }, ['filter', '_a']],
    ['an operator of the outside within', { _a: { $and: [] } }, ['filter', '_a']],
    ['an operator of the inside outside', { $gt: 1 }, ['filter', '$gt']],
    ['$not', { $not: { _a: 1 } }, ['filter', '$not']],
    ['$where', { $where: '1 = 1' }, ['filter', '$where']],
    ['10,000 conditions in $or', { $or: many(10_000) }, ['filter']],
    ['10,000 conditions beside each other', Object.assign({}, ...many(10_000)), ['filter']],
    ['500 conditions in $and, each with a value', { $and: many(500) }, ['filter']],
    ['$in of 100,000 values', { _a: { $in: Array.from({ length: 100_000 }, (_, i) => i) } }, ['filter']],
    ['$nin of 998 values', { _a: { $nin: Array.from({ length: 998 }, (_, i) => i) } }, ['filter']],
    ['$in of no list', { _a: { $in: 'x' } }, ['filter', '_a', '$in']],
    ['$in of lists', { _a: { $in: [[1]] } }, ['filter', '_a', '$in', 0]],
    ['$exists of a number', { _a: { $exists: 1 } }, ['filter', '_a', '$exists']],
    ['$gt of a boolean', { _a: { $gt: true } }, ['filter', '_a', '$gt']],
    ['$gte of null', { _a: { $gte: null } }, ['filter', '_a', '$gte']],
    ['$eq of an object', { _a: { $eq: {} } }, ['filter', '_a', '$eq']],
    ['a list as a value', { _a: [1, 2] }, ['filter', '_a']],
    ['an empty $or', { $or: [] }, ['filter', '$or']],
    ['$or of no list', { $or: { _a: 1 } }, ['filter', '$or']],
    ['a condition that is a text', { $and: ['_a'] }, ['filter', '$and', 0]],
    ['a property without an underscore', { title: 'x' }, ['filter', 'title']],
    ['a name that ends the path', { '_a"': 1 }, ['filter', '_a"']],
    ['a name of 201 characters', { [`_${'a'.repeat(200)}`]: 1 }, ['filter', `_${'a'.repeat(200)}`]],
    ['a type that is a number', { type: 7 }, ['filter', 'type']],
    ['a type among others', { type: { $in: ['a', 7] } }, ['filter', 'type', '$in', 1]],
    ['a time that is none', { created_at: { $gt: 'last year' } }, ['filter', 'created_at', '$gt']],
    ['a time that is a number', { updated_at: 1_700_000_000 }, ['filter', 'updated_at']],
    ['a text of 2,001 characters', { _a: 'x'.repeat(2001) }, ['filter', '_a']],
    ['a list', [], ['filter']],
    ['a text', 'type = x', ['filter']],
    ['null', null, ['filter']],
  ];
  for (const endpoint of ['entities', 'collections', 'agents', 'discover']) {
    it.each(filtered)(`POST /search/${endpoint}, filter: %s`, async (_name, filter, path) => {
      const { status, body } = await send({ query: 'heron', filter }, endpoint);
      expect(status).toBe(400);
      expect((body as { details: { issues: { path: unknown; message: string }[] } }).details.issues[0]).toEqual({
        path,
        message: expect.stringMatching(/\w/),
      });
    });

    it(`POST /search/${endpoint}, filter: nested 9, 1,000 and 100,000 deep`, async () => {
      for (const levels of [9, 1000, 100_000]) {
        const { status, text } = await send(`{"query":"heron","filter":${nested(levels)}}`, endpoint);
        expect([status, text]).toEqual([400, expect.stringContaining('Validation failed')]);
      }
    });
  }

  it.each<[string, object, (string | number)[]]>([
    ['entities', { query: 'x'.repeat(501) }, ['query']],
    ['entities', { query: 5 }, ['query']],
    ['entities', { query: ['heron'] }, ['query']],
    ['entities', { query: null }, ['query']],
    ['entities', { query: 'a', limit: 0 }, ['limit']],
    ['entities', { query: 'a', limit: 101 }, ['limit']],
    ['entities', { query: 'a', limit: 1.5 }, ['limit']],
    ['entities', { query: 'a', limit: '5' }, ['limit']],
    ['entities', { query: 'a', per_collection_limit: 0 }, ['per_collection_limit']],
    ['entities', { query: 'a', per_collection_limit: 51 }, ['per_collection_limit']],
    ['entities', { query: 'a', types: 'document' }, ['types']],
    ['entities', { query: 'a', types: [1] }, ['types', 0]],
    ['entities', { query: 'a', expand: 'all' }, ['expand']],
    ['entities', { query: 'a', collection_id: 'x' }, ['collection_id']],
    ['discover', { query: 'a', collection_limit: 0 }, ['collection_limit']],
    ['discover', { query: 'a', collection_limit: 51 }, ['collection_limit']],
    ['discover', { query: 'a', per_collection_limit: 0 }, ['per_collection_limit']],
    ['discover', { query: 'a', per_collection_limit: 21 }, ['per_collection_limit']],
    ['agents', { query: 'a', scope: 'mine' }, ['scope']],
    ['collections', { query: 'a', limit: 101 }, ['limit']],
    ['similar/collections', { id: 'x' }, ['id']],
    ['similar/collections', { id: '01J00000000000000000000000', limit: 101 }, ['limit']],
    ['similar/collections', { id: '01J00000000000000000000000', refresh: 'yes' }, ['refresh']],
    ['similar/items', { id: '01J00000000000000000000000', collection_id: 'x' }, ['collection_id']],
    ...[0, 51].map(
      (tier1_limit) => ['similar/items', { ...ids, tier1_limit }, ['tier1_limit']] as [string, object, string[]],
    ),
    ...[0, 21].map(
      (tier2_limit) => ['similar/items', { ...ids, tier2_limit }, ['tier2_limit']] as [string, object, string[]],
    ),
    ['similar/items', { ...ids, include_same_collection: 1 }, ['include_same_collection']],
  ])('POST /search/%s %j', async (endpoint, sent, path) => {
    const { status, body } = await send(sent, endpoint);
    expect([status, body]).toMatchObject([400, { details: { issues: [{ path }] } }]);
  });

  it('the borders themselves are taken', async () => {
    for (const [endpoint, sent] of [
      ['entities', { query: 'x'.repeat(500), limit: 100, per_collection_limit: 50 }],
      ['entities', { query: 'a', limit: 1, per_collection_limit: 1 }],
      ['discover', { query: 'a', limit: 100, collection_limit: 50, per_collection_limit: 20 }],
      ['discover', { query: 'a', limit: 1, collection_limit: 1, per_collection_limit: 1 }],
      ['collections', { query: 'a', limit: 100 }],
      ['agents', { query: 'a', limit: 100, scope: 'all' }],
    ] as const)
      expect((await send(sent, endpoint)).status).toBe(200);
    const mine = await ask(node, who, 'POST /users/me/search', { query: 'x'.repeat(500), limit: 100 });
    expect(mine.status).toBe(200);
    for (const body of [
      { query: 'a', limit: 101 },
      { query: 'a', include_public: 'no' },
      { query: 'a', type: 1 },
    ])
      expect((await ask(node, who, 'POST /users/me/search', body)).status).toBe(400);
  });
});
