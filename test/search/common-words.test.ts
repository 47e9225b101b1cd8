import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lexicalRankings } from '../../src/server/search/lexical.ts';
import { wholeLabel, wholeNeighbour } from '../../src/server/search/text.ts';
import { Vocabulary } from '../../src/server/search/vocabulary.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { lookAmong, wordHits } from '../../src/server/store/search/word-hits.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

test('a word that nearly every text has is found though it is misspelt, or only begun', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  // More than 1000, since no fewer are common.
  for (let batch = 0; batch < 12; batch++) {
    const entities = Array.from({ length: 100 }, (_, i) => ({
      ...{ type: 'artwork', collection: home.id },
      properties: { label: `Harbour ${batch * 100 + i}` },
    }));
    ok(await ask(node, me, 'POST /entities/batch', { entities }));
  }
  const rare = { type: 'artwork', collection: home.id, properties: { label: 'Harbours seen at dusk' } };
  ok<Entity>(await ask(node, me, 'POST /entities', rare));
  await indexIdle(node);
  // The first two are no word of any text, the third one is that of a single text; a word that is nowhere takes nothing away.
  for (const query of ['harbuor', 'harbou', 'harbours', 'harbour zqxjkv']) {
    const { results } = ok<{ results: { label: string }[] }>(
      await ask(node, me, 'POST /search/entities', { query, types: ['artwork'], limit: 10 }),
    );
    expect(results.length, query).toBe(10);
    expect(
      results.every(({ label }) => label.startsWith('Harbour')),
      query,
    ).toBe(true);
    if (query === 'harbours') expect(results[0]?.label).toBe('Harbours seen at dusk');
  }
});

test('of what has a common word in its label old ones are found too, where only the newest of the others are looked at', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  const old = { type: 'artwork', collection: home.id, properties: { label: 'The harbour', description: 'By night.' } };
  const { id } = ok<Entity>(await ask(node, me, 'POST /entities', old));
  const entities = Array.from({ length: 60 }, (_, i) => ({
    ...{ type: 'artwork', collection: home.id },
    properties: { label: `View ${i}`, description: 'A harbour at low tide.' },
  }));
  ok(await ask(node, me, 'POST /entities/batch', { entities }));
  const owl = await create(node, me, {
    ...{ type: 'artwork', collection: home.id },
    properties: { label: 'Owl', description: 'At dusk.' },
  });
  await indexIdle(node);

  using stack = new DisposableStack();
  const database = join(folder.path, 'main');
  const reader = openSearchReader(join(database, 'archeion.db'), searchFile(database));
  if (!reader) throw new Error('there is no index');
  const db = stack.adopt(reader, (it) => it.close());
  const key = db.get<{ key: number }>('SELECT key FROM entity WHERE id = ?', id)?.key;
  const look = (mostLabelled: number, most = 20) => ({
    ...lookAmong(db, {}, Number.POSITIVE_INFINITY),
    ...{ most, mostLabelled },
  });
  const hits = (mostLabelled: number) => {
    const asked = look(mostLabelled);
    return { keys: wordHits(db, '"harbour"', asked, 10).map((hit) => hit.key), crowded: asked.cut.crowded };
  };
  expect([hits(5).keys[0], hits(5).keys.length, hits(5).crowded]).toEqual([key, 10, true]);
  expect(hits(0).keys).not.toContain(key);

  // A word that very many texts have is not weighed: what has it in its label comes first, then the newest.
  const all = db.all<{ key: number }>('SELECT key FROM entity WHERE type = ? ORDER BY key DESC', 'artwork');
  const owlKey = db.get<{ key: number }>('SELECT key FROM entity WHERE id = ?', owl.id)?.key;
  const newest = all.map((row) => row.key).filter((one) => one !== key && one !== owlKey);
  const rows = 1_000_000;
  const may = (one: number): boolean => one !== newest[0];
  for (const [name, part, of] of [
    ['all types', 1, newest],
    ['a type that few have', 0, newest.slice(1)],
  ] as const) {
    const asked = { ...look(5), ...(part === 0 && { likely: { may, part } }) };
    const found = wordHits(db, '"harbour"', asked, 10, { rows, rarity: 2 });
    expect(
      found.map((hit) => hit.key),
      name,
    ).toEqual([key, ...of.slice(0, 9)]);
    expect(
      found.every(({ score }, i) => score > (found[i + 1]?.score ?? 1.9)),
      name,
    ).toBe(true);
    expect(asked.cut.crowded, name).toBe(true);
  }
  // What begins with something tells less than a rare word where very much does.
  const lexicon = { size: all.length, vocabulary: new Vocabulary(), frequencies: new Map() };
  const [ranking] = lexicalRankings(db, lexicon, 'harb dusk', look(5), 20).rankings;
  expect([ranking?.keys[0], ranking?.keys.length]).toEqual([owlKey, 20]);
  // A word that is in very many texts, none of which may be a hit, is looked for as others that are like it.
  const vocabulary = new Vocabulary();
  vocabulary.add('dusk');
  const elsewhere = { size: 100_000, vocabulary, frequencies: new Map([['dusky', 5000]]) };
  expect(lexicalRankings(db, elsewhere, 'dusky', look(5), 20).rankings).toEqual([{ keys: [owlKey], weight: 1 }]);
  const few = look(5, 1000);
  expect(wordHits(db, '"harbour"', few, 10, { rows })).toEqual(wordHits(db, '"harbour"', few, 10));
  expect(few.cut.crowded).toBe(false);
});

test('what a name is the label of comes first, however much newer leads to it', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  const make = (type: string, label: string, description?: string) =>
    create(node, me, { type, collection: home.id, properties: { label, ...(description && { description }) } });
  const painter = await make('person', 'William Turner', 'Painter of the sea. '.repeat(30));
  const subject = await make('subject', 'Landscape');
  for (let batch = 0; batch < 11; batch++) {
    const entities = Array.from({ length: 100 }, (_, i) => ({
      ...{ type: 'artwork', collection: home.id, properties: { label: `Study ${batch * 100 + i}` } },
      relationships: [painter, subject].map(({ id }) => ({ predicate: 'of', peer: id })),
    }));
    ok(await ask(node, me, 'POST /entities/batch', { entities }));
  }
  await indexIdle(node);
  for (const [query, id] of [
    ['William Turner', painter.id],
    ['landscape', subject.id],
  ]) {
    const { results } = ok<{ results: { id: string }[] }>(
      await ask(node, me, 'POST /search/entities', { query, limit: 10 }),
    );
    expect([results[0]?.id, results.length], query).toEqual([id, 10]);
  }
});

test('a last word that is half typed, and one word that is typed as two, are found with the others', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  const labels = [
    'Harbour beside towering cliffs',
    'Harbour',
    'Tow tows towed towel tower towns towels towing',
    'Dusk N',
    'Sea',
    'Dugong scapegoat',
    'Scapegoat Dugan',
    'Scapegoat',
  ];
  const entities = [...labels, 'N00530', 'Seascape at dusk', 'Dusk'].map((label) => ({
    ...{ type: 'artwork', collection: home.id },
    properties: { label },
  }));
  ok(await ask(node, me, 'POST /entities/batch', { entities }));
  await indexIdle(node);
  for (const [query, label] of [
    ['harbour tow', 'Harbour beside towering cliffs'],
    // Beside the word before, and in a label first.
    ['scapegoat dug', 'Scapegoat Dugan'],
    ['N 00530', 'N00530'],
    ['sea scape dusk', 'Seascape at dusk'],
  ]) {
    const { results } = ok<{ results: { label: string }[] }>(await ask(node, me, 'POST /search/entities', { query }));
    expect(results[0]?.label, query).toBe(label);
  }
});

test('initials stand for names, and words are found that are written apart, or with a letter before a number', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  const labels = [
    ...[
      'James McNeill Whistler',
      'J M',
      'J',
      'M',
      'Whistler',
      'Maria James Whistler',
      'Still',
      'Life',
      'Fish: a still life',
    ],
    ...[
      'N00530',
      'N 00532 verso',
      'A00531',
      'A',
      'Verso of N',
      'The Battersea',
      'Bat Tersea',
      'Watercolour of a pond',
      'Water color',
      'Battersea by night',
    ],
    ...['Number', 'Inventory', 'Inventory number of a ship'],
    ...['Harbour, portrait of a woman', 'Bay, portrait of a girl', 'Port and a woman', 'Woman'],
    ...['Aquarelle by moonlight', 'Aquarelle by candlelight', 'Aquarell by starlight'],
    ...['Fishermen at anchor', 'A heron, a fisher beside an anchor that nobody weighs'],
    ...['N00540', ...Array.from({ length: 21 }, (_, i) => `19th ${'of May '.repeat(i)}`)],
  ];
  const [artist, ...others] = labels.map((label) => ({ type: 'thing', collection: home.id, properties: { label } }));
  const { id } = ok<Entity>(await ask(node, me, 'POST /entities', artist));
  const nocturne = { ...others[0], properties: { label: 'Nocturne' }, relationships: [{ predicate: 'by', peer: id }] };
  ok(await ask(node, me, 'POST /entities/batch', { entities: [...others, nocturne] }));
  await indexIdle(node);
  for (const [query, ...first] of [
    ['J.M. Whistler', 'James McNeill Whistler', 'Nocturne'],
    ['Whistler, JM', 'James McNeill Whistler', 'Nocturne'],
    ['j whistler', 'James McNeill Whistler'],
    ['stilllife', 'Fish: a still life'],
    ['fish stilllife', 'Fish: a still life'],
    ['00530', 'N00530'],
    ['N00532', 'N 00532 verso'],
    ['A 00531', 'A00531'],
    // Of a number and what is said of it, the number tells.
    ['inventory number N00530', 'N00530'],
    ['inventory number A 00531', 'A00531'],
    ['inventory number 00530', 'N00530'],
    // A plural that no text has stands for its singular, and not for what is rarer and less like it.
    ['portraits woman', 'Harbour, portrait of a woman'],
    ['aquarelles', 'Aquarelle by moonlight', 'Aquarelle by candlelight'],
    // A misspelled word stands for the one that it is most like, also where a shorter one is its beginning.
    ['fishermn anchor', 'Fishermen at anchor'],
    // What very many have is no code, though it has a digit.
    ['19th inventory 00540', 'N00540'],
    // What is half typed or misspelled is not two words.
    ['batters', 'The Battersea'],
    ['watercolor', 'Watercolour of a pond'],
  ]) {
    const { results } = ok<{ results: { label: string }[] }>(await ask(node, me, 'POST /search/entities', { query }));
    expect(
      results.slice(0, first.length).map(({ label }) => label),
      query,
    ).toEqual(first);
  }
});

test('what is the whole of a label is told from what has its letters otherwise', () => {
  for (const whole of [wholeLabel, wholeNeighbour]) {
    expect(whole(['1960', '1', '23'])).not.toBe(whole(['1960', '12', '3']));
    const title = Array.from({ length: 40 }, (_, i) => `word${i}`);
    expect(whole([...title, '7'])).not.toBe(whole([...title, '8']));
    expect(whole([...title, '7']).length).toBeLessThan(101);
    expect(whole([])).toBe('');
  }
  expect(wholeLabel(['hill'])).not.toBe(wholeNeighbour(['hill']));
});
