import { describe, expect, test } from 'vitest';
import { type Beam, execute } from '../../src/server/argo/executor.ts';
import { parse } from '../../src/server/argo/parser.ts';
import { refusedExamples } from './examples.ts';
import { type Edge, MemoryGraph, thing } from './memory-graph.ts';

const things = [
  thing('wash', 'person', 'George Washington president', { collections: ['founders'] }),
  thing('jeff', 'person', 'Thomas Jefferson president', { collections: ['founders'] }),
  thing('adams', 'person', 'John Adams'),
  thing('decl', 'document', 'Declaration of Independence', { updated: '2026-01-03' }),
  thing('letter', 'document', 'Letter to a president', { updated: '2026-01-05' }),
  thing('cong', 'organization', 'Continental Congress'),
  thing('army', 'organization', 'Continental Army'),
  thing('gone', 'organization', 'Gone Congress', { deleted: true }),
  thing('y1732', 'date', '1732'),
  thing('va', 'place', 'Virginia'),
  thing('founders', 'collection', 'Founders'),
];
const edges: Edge[] = [
  ['wash', 'born_in', 'y1732'],
  ['wash', 'lived_in', 'va'],
  ['wash', 'member_of', 'cong'],
  ['wash', 'commanded', 'army'],
  ['jeff', 'member_of', 'cong'],
  ['jeff', 'author_of', 'decl'],
  ['jeff', 'lived_in', 'va'],
  ['adams', 'member_of', 'cong'],
  ['adams', 'member_of', 'gone'],
  ['gone', 'founded_in', 'va'],
  ['decl', 'mentions', 'wash'],
  ['decl', 'mentions', 'adams'],
  ['letter', 'mentions', 'wash'],
];
const graph = new MemoryGraph(things, edges);

async function run(query: string, beam: Partial<Beam> = {}, on = graph) {
  const outcome = await execute(on.sources, parse(query), { k: 25, kExplore: 75, ...beam });
  return { ...outcome, ids: outcome.results.map(({ id }) => id), scores: outcome.results.map(({ score }) => score) };
}

describe('the entry', () => {
  test.each([
    ['@wash', ['wash'], [1]],
    ['"president"', ['jeff', 'letter', 'wash'], [1, 1, 1]],
    ['"george president"', ['wash', 'jeff', 'letter'], [1, 0.5, 0.5]],
    ['"president" type:document', ['letter'], [1]],
    ['"president" @jeff', ['jeff'], [1]],
    ['type:document', ['letter', 'decl'], [1, 1]],
    ['type:document,place ~ "letter virginia"', ['letter', 'va'], [0.5, 0.5]],
    ['"president" "george washington"', ['wash', 'jeff', 'letter'], [1, 0.3, 0.3]],
    ['"president" type:person ~ "jefferson"', ['jeff', 'wash'], [1, 0.3]],
    ['type:document "letter"', ['letter', 'decl'], [1, 0.3]],
    ['@wash "george adams"', ['wash'], [0.65]],
    ['@wash type:person', ['wash'], [1]],
    ['@:collection(founders) "john jefferson washington"', ['jeff', 'wash'], [1 / 3, 1 / 3]],
    ['@:collection(founders) @wash', ['wash'], [1]],
    ['@:collections "founders president"', ['founders'], [0.5]],
    ['@:public type:person', ['adams'], [1]],
    ['@:discover @adams', ['adams'], [1]],
  ])('%s', async (query, ids, scores) => {
    const { results, stop, ...found } = await run(query);
    expect({ ids: found.ids, scores: found.scores.map((score) => Math.round(score * 1e9) / 1e9) }).toEqual({
      ids,
      scores: scores.map((score) => Math.round(score * 1e9) / 1e9),
    });
    expect(stop).toBeNull();
    expect(results.map(({ path }) => path)).toEqual(ids.map(() => []));
  });

  test.each([
    '@nobody',
    '@gone',
    'type:zebra',
    'type:zebra ~ "president"',
    '@:collection(nobody) "president"',
    'type:person type:place',
    '@:collection(founders) @adams',
    '@:collections type:person ~ "president"',
    '@:public @wash',
    '"zebra" type:zebra -[*]-> type:place',
  ])('%s leads nowhere', async (query) => {
    expect(await run(query)).toMatchObject({
      results: [],
      explored: 0,
      stop: { error: 'no_entry_point', reason: 'No matching entities found for entry point' },
    });
  });

  test.each([
    ['@wash type:place', 1],
    ['@wash type:place ~ "virginia"', 1],
    ['@wash @jeff', 1],
    ['@nobody type:place', 0],
    ['@wash type:person', 2],
    ['@wash type:person ~ "george"', 2],
    ['@wash "george"', 2],
  ])('counts what is named, and what its filter leaves of that: %s', async (query, explored) => {
    const { stop, ...found } = await run(query);
    expect([found.explored, stop?.error]).toEqual([explored, explored < 2 ? 'no_entry_point' : undefined]);
  });

  test.each([
    ['"zebra" type:document', ['letter', 'decl']],
    ['type:document ~ "zebra"', ['letter', 'decl']],
    ['@:collection(founders) "zebra"', ['jeff', 'wash']],
  ])('is what is there, the last changed first, where nothing is like its text: %s', async (query, ids) => {
    expect(await run(query)).toMatchObject({ ids, scores: [0, 0], stop: null });
  });

  test('takes no time from the hops where nothing is like its text and nothing else is asked for', async () => {
    await run('"zebra" -[*]-> type:place');
    expect(graph.milliseconds).toBeLessThanOrEqual(200);
    await run('"zebra" type:person -[*]-> type:place');
    expect(graph.milliseconds).toBeGreaterThan(200);
  });

  test('leads on also where nothing is like its text', async () => {
    expect(await run('"zebra" type:person -[lived_in]-> type:place')).toMatchObject({ ids: ['va'], scores: [0.5] });
    expect((await run('"zebra"', { kExplore: 2 })).ids).toHaveLength(2);
  });

  test('has k_explore candidates at most, and k results', async () => {
    expect(await run('"president"', { kExplore: 2 })).toMatchObject({ ids: ['jeff', 'letter'], explored: 2 });
    expect(await run('"president"', { k: 1 })).toMatchObject({ ids: ['jeff'], explored: 3 });
    expect(await run('"president" "george"', { k: 1 })).toMatchObject({ ids: ['wash'], explored: 6 });
  });

  test('is filtered where it is searched for, not where it is named', async () => {
    const filter = { sql: '', params: ['document'] };
    expect((await run('"president"', { filter })).ids).toEqual(['letter']);
    expect((await run('type:document,person', { filter })).ids).toEqual(['letter', 'decl']);
    expect((await run('@wash', { filter })).ids).toEqual(['wash']);
  });
});

describe('a hop', () => {
  test.each([
    ['@wash -[member_of]-> type:organization', ['cong']],
    ['@wash -[MEMBER_OF, Commanded]-> type:organization', ['army', 'cong']],
    ['@wash -[member_of, zebra]-> type:organization', ['cong']],
    ['@cong <-[member_of]- type:person', ['adams', 'jeff', 'wash']],
    ['@wash <-[*]-> type:document', ['decl', 'letter']],
    ['@wash -[*]-> type:place,date', ['va', 'y1732']],
    ['@wash -[*]-> @va', ['va']],
    ['@wash -[*]-> type:collection', ['founders']],
    ['@decl -[*]{2}-> type:organization', ['army', 'cong']],
    ['@decl -[*]{,3}-> type:organization', ['army', 'cong']],
    ['@decl -[*]{2}-> @cong', ['cong']],
    // What is not like the text comes last, and is not left out (argo.md 2.2).
    ['@wash -[*]-> "congress"', ['cong', 'army', 'founders', 'va', 'y1732']],
    ['@wash -[*]-> type:place,date ~ "nothing is like this"', ['va', 'y1732']],
    ['@wash -[*]{,2}-> type:place ~ "virginia"', ['va']],
    // Never back to where it came from, and never twice through the same (A16).
    ['@wash -[member_of]-> type:organization <-[member_of]- type:person', ['adams', 'jeff']],
    ['@wash -[lived_in]-> @va <-[*]{,2}-> type:person', ['jeff']],
    // Not through what is deleted (A35).
    ['@adams -[*]{2}-> type:place', []],
    // Not through a collection, unless the relationship is named.
    ['@wash <-[*]{2}-> type:person', ['adams', 'jeff']],
    ['@founders <-[collection]- type:person', ['jeff', 'wash']],
    ['@wash <-[collection]{2}-> type:person', ['jeff']],
  ])('%s', async (query, ids) => {
    expect((await run(query)).ids).toEqual(ids);
  });

  test.each([
    ['@wash -[*]-> type:date', 1],
    ['@decl -[*]{2}-> type:date', 0.9],
    ['@letter -[*]{,3}-> @va', 0.9],
    ['"George Washington zebra" -[*]-> "continental zebra"', (2 / 3 + 1 / 2) / 2],
    ['"George zebra" -[*]-> type:date', 0.75],
    // In a chain the score goes on, and the count of relationships begins anew.
    ['"George zebra" -[*]-> @cong <-[*]{2}- type:document', ((0.5 + 1) / 2 / 2 + 0.5) * 0.9],
    // `is_member` is half of `member_of`.
    ['@wash -[is_member]-> @cong', 0.5],
    ['@decl -[mentions_is, is_member]{2}-> @cong', 0.9 * 0.5 * 0.5],
  ])('%s: the score', async (query, score) => {
    expect((await run(query)).scores[0]).toBeCloseTo(score, 9);
  });

  test('follows names that are only alike, the nearest first, and says how near they are', async () => {
    const { results } = await run('@wash -[in_which_born]-> type:date,place,organization');
    expect(results.map(({ id, score, path }) => [id, score, path.at(-1)])).toEqual([
      ['y1732', 2 / 3, { edge: 'born_in', direction: 'outgoing', score: 2 / 3 }],
      ['va', 1 / 3, { edge: 'lived_in', direction: 'outgoing', score: 1 / 3 }],
      ['army', 0, { edge: 'commanded', direction: 'outgoing', score: 0 }],
      ['cong', 0, { edge: 'member_of', direction: 'outgoing', score: 0 }],
    ]);
  });

  test('of several relationships takes the one whose name is nearest', async () => {
    const parallel = new MemoryGraph(
      [thing('a', 'x'), thing('b', 'x')],
      [
        ['a', 'made', 'b'],
        ['a', 'was_liked_by', 'b'],
        ['a', 'was_made_by', 'b'],
      ],
    );
    const { results } = await run('@a -[is_made_by]-> @b', {}, parallel);
    expect(results[0]?.path.at(-1)).toEqual({ edge: 'was_made_by', direction: 'outgoing', score: 2 / 3 });
  });

  test('compares all names of a hop at once, while there is a budget, and says where that was not by what they mean', async () => {
    const on = new MemoryGraph(things, edges);
    const terms = ['in_which_born', ...Array.from({ length: 49 }, (_, i) => `t${i}`)];
    expect(await run(`@wash -[${terms}]-> type:date`, {}, on)).toMatchObject({ scores: [2 / 3], truncated: false });
    expect(on.compared).toBe(1);
    on.unmeant = true;
    expect(await run('@wash -[in_which_born]-> type:date', {}, on)).toMatchObject({ ids: ['y1732'], truncated: true });
    on.compared = 0;
    on.unmeant = false;
    on.rowsOfOne = 300_000;
    expect(await run('@wash <-[mentions]- type:document -[was_by]-> type:person', {}, on)).toMatchObject({
      ...{ ids: [], truncated: true, stop: { stopped_at_hop: 2 } },
    });
    expect(on.compared).toBe(0);
  });

  test('gives the path before the result, each step the way that it was gone', async () => {
    const { results, explored } = await run('@wash <-[*]{2}-> "jefferson" -[*]-> type:document');
    expect(results).toEqual([
      {
        id: 'decl',
        score: (0.5 * (1 + 1) * 0.9 + 1) / 2,
        edges: 3,
        path: [
          { entity: 'wash' },
          { edge: 'lived_in', direction: 'outgoing' },
          { entity: 'va' },
          { edge: 'lived_in', direction: 'incoming' },
          { entity: 'jeff', score: 1 },
          { edge: 'author_of', direction: 'outgoing' },
        ],
      },
    ]);
    expect(explored).toBe(4);
  });

  test('goes on from k_explore candidates and ends with k, the best of them', async () => {
    expect((await run('@cong <-[member_of]- type:person', { k: 2 })).ids).toEqual(['adams', 'jeff']);
    const two = '@cong <-[member_of]- type:person -[*]-> type:place,date';
    expect(await run(two, { kExplore: 3 })).toMatchObject({ ids: ['va', 'y1732'], explored: 6, truncated: false });
    // Adams, the first of all, leads to nothing: there is room for those who do.
    expect(await run(two, { kExplore: 2 })).toMatchObject({ ids: ['va', 'y1732'], explored: 5, truncated: false });
    expect(await run(two, { kExplore: 1 })).toMatchObject({ ids: ['va'], explored: 3, truncated: true });
    expect(await run(two, { kExplore: 1, k: 1 })).toMatchObject({ ids: ['va'], truncated: false });
  });

  describe('of more than k_explore goes on from those from which the next hop leads on', () => {
    const numbers = Array.from({ length: 300 }, (_, i) => String(i).padStart(3, '0'));
    const artist = new MemoryGraph(
      [
        ...['artist', 'friend'].map((id) => thing(id, 'person')),
        ...['romanticism', 'realism'].map((id) => thing(id, 'movement')),
        ...['sea', 'land', 'baltic', 'france'].map((id) => thing(id, 'subject')),
        thing('lost', 'movement', 'lost', { deleted: true }),
        ...numbers.map((n) => thing(`w${n}`, 'work', n === '250' ? 'storm' : 'calm')),
      ],
      [
        ...numbers.flatMap((n): Edge[] => [
          [`w${n}`, 'by', 'artist'],
          [`w${n}`, 'of', 'land'],
          [`w${n}`, 'part_of', 'lost'],
        ]),
        ['w250', 'part_of', 'romanticism'],
        ['w260', 'Part_Of', 'realism'],
        ['w270', 'of', 'sea'],
        ['friend', 'owns', 'w280'],
        ['sea', 'of', 'baltic'],
        ['realism', 'part_of', 'france'],
      ],
    );

    // The same where none of the first is near to the text alone.
    const many = new MemoryGraph(
      [
        ...numbers.map((n) => thing(`w${n}`, 'work', 'calm')),
        ...['romanticism', 'realism', 'france', 'friend'].map((id) => thing(id, 'movement')),
        ...['pond', 'lake'].map((id) => thing(id, 'subject')),
      ],
      [
        ['w000', 'of', 'pond'],
        ['w250', 'of', 'lake'],
        ['w003', 'by', 'pond'],
        ['w250', 'by', 'lake'],
        ['w250', 'part_of', 'romanticism'],
        ['w260', 'part_of', 'realism'],
        ['friend', 'owns', 'w280'],
        ['realism', 'part_of', 'france'],
      ],
    );

    test.each([
      ['@artist <-[by]- type:work -[*]-> type:movement', ['realism', 'romanticism'], false],
      ['@artist <-[by]- type:work -[part_of]-> type:movement', ['realism', 'romanticism'], false],
      ['@artist <-[by]- type:work -[of]-> @sea', ['sea'], false],
      ['@artist <-[by]- type:work <-[owns]- type:person', ['friend'], false],
      ['@artist <-[by]- type:work <-[*]-> type:person', ['friend'], false],
      ['@artist <-[by]- type:work <-[owns]{1,2}- type:person', ['friend'], true],
      ['@artist <-[by]- type:work -[part_of]-> type:movement ~ "realism"', ['realism', 'romanticism'], false],
      ['@artist <-[by]- type:work ~ "storm" -[part_of]-> type:movement', ['romanticism'], true],
      ['@artist <-[by]- type:work -[*]{,2}-> @sea', ['sea'], true],
      // Every work has relationships: which of them lead there by two is not looked up.
      ['@artist <-[by]- type:work -[*]{2}-> @baltic', [], true],
      ['@artist <-[by]- type:work -[of]{2,3}-> @baltic', [], true],
      ['@artist <-[by]- type:work -[part_of]{2}-> @france', ['france'], false],
      ['@artist <-[by]- type:work -[*]-> type:zebra', [], false],
    ])('%s', async (query, ids, truncated) => {
      expect(await run(query, { k: 5, kExplore: 15 }, artist)).toMatchObject({ ids, truncated });
    });

    test.each([
      ['"calm" -[part_of]-> type:movement', ['realism', 'romanticism'], false],
      ['"calm" type:work <-[owns]- @friend', ['friend'], false],
      ['"calm" -[*]-> type:movement ~ "realism"', ['realism', 'romanticism'], false],
      ['"calm" -[part_of]{2}-> @france', ['france'], false],
      // What is nearest leads there, or only another one of the nearest.
      ['"calm" -[of]-> type:subject', ['pond'], false],
      ['"calm" -[by]-> type:subject', ['lake', 'pond'], false],
    ])('%s, from the nearest to a text', async (query, ids, truncated) => {
      expect(await run(query, { k: 5, kExplore: 15 }, many)).toMatchObject({ ids, truncated });
    });

    test('but not where the one leads there that is nearest by the text that ranks them', async () => {
      const works = [thing('a', 'work', 'calm'), thing('b', 'work', 'calm storm'), thing('c', 'work', 'calm')];
      const seas = ['pond', 'lake'].map((id) => thing(id, 'subject'));
      const edges = [['b', 'of', 'pond'], ...seas.map(({ id }) => ['c', 'of', id])] as Edge[];
      const told = new MemoryGraph([...works, ...seas], edges);
      expect((await run('"calm" "storm" -[of]-> type:subject', { kExplore: 2 }, told)).ids).toEqual(['pond']);
    });

    test('and where none does, says how it came there', async () => {
      const { stop, explored } = await run('@artist <-[by]- type:work -[*]-> type:zebra', { k: 5 }, artist);
      expect(stop).toMatchObject({ stopped_at_hop: 2, partial_path: [{ entity: 'artist' }, {}, { entity: 'w000' }] });
      expect(explored).toBe(76);
    });
  });

  test('takes its text targets among what fits the filter', async () => {
    const filter = { sql: '', params: ['place'] };
    expect((await run('@wash -[*]-> "continental virginia"', { filter })).ids).toEqual(['va']);
    expect((await run('@wash -[*]-> type:organization', { filter })).ids).toEqual(['army', 'cong']);
    // What fits comes last where it is not like the text, as it does without a filter.
    expect(await run('@wash -[*]-> "president"', { filter })).toMatchObject({ ids: ['va'], scores: [0.5], stop: null });
    const either = { sql: '', params: ['place', 'organization'] };
    expect((await run('@wash -[*]-> "congress"', { filter: either })).ids).toEqual(['cong', 'army', 'va']);
  });

  test('stops walking when the rest cannot be among the best', async () => {
    const hub = Array.from({ length: 100 }, (_, i) =>
      thing(`s${String(i).padStart(3, '0')}`, 'x', i < 16 ? 'a b' : 'a'),
    );
    const many = new MemoryGraph(
      [...hub, ...hub.map(({ id }) => thing(`t${id}`, 'y'))],
      hub.map(({ id }): Edge => [id, 'to', `t${id}`]),
    );
    const { ids } = await run('"a b" -[*]-> type:y', { k: 5, kExplore: 100 }, many);
    expect(ids).toEqual(['ts000', 'ts001', 'ts002', 'ts003', 'ts004']);
    expect(many.walks).toBe(1);
  });

  test('looks at no more relationships than a query may, and says so', async () => {
    const many = new MemoryGraph(
      Array.from({ length: 100 }, (_, i) => thing(`s${i}`, i < 90 ? 'x' : 'y', 'a')),
      Array.from({ length: 10 }, (_, i): Edge => [`s${i * 9}`, 'to', `s${90 + i}`]),
    );
    many.rowsOfOne = 100_000;
    // Three walks of 16 sources each.
    const { ids, truncated } = await run('"a" type:x -[*]-> type:y', { kExplore: 90 }, many);
    expect({ walks: many.walks, truncated }).toEqual({ walks: 3, truncated: true });
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(10);
    many.rowsOfOne = 0;
    const all = await run('"a" type:x -[*]-> type:y', { kExplore: 90 }, many);
    expect(all).toMatchObject({ truncated: false, ids: Array.from({ length: 10 }, (_, i) => `s${90 + i}`) });
  });

  test('to an entity are looked for from some sources after the others, as long as there is a budget', async () => {
    const many = new MemoryGraph(
      [...Array.from({ length: 75 }, (_, i) => thing(`s${String(i).padStart(2, '0')}`, 'x', 'a')), thing('end', 'y')],
      [40, 74].map((i): Edge => [`s${i}`, 'to', 'end']),
    );
    many.rowsOfOne = 100_000;
    const first = await run('"a" -[*]-> @end', {}, many);
    expect({ walks: many.walks, truncated: first.truncated }).toEqual({ walks: 3, truncated: true });
    expect(first.results.map(({ path }) => path[0])).toEqual([{ entity: 's40', score: 1 }]);
    expect(many.allowed).toEqual([64_000, Math.ceil((200_000 * 16) / 59), Math.ceil((100_000 * 16) / 43)]);
    [many.walks, many.rowsOfOne] = [0, 10];
    const all = await run('"a" <-[*]-> @end', {}, many);
    expect({ walks: many.walks, truncated: all.truncated }).toEqual({ walks: 5, truncated: false });
  });

  test('and where there was no time to try the filter on all', async () => {
    const slow = new MemoryGraph(things, edges);
    const filter = { sql: '', params: ['organization'] };
    for (const query of ['"congress"', '"zebra"', '@wash -[*]-> "congress"', '@wash -[*]-> "zebra"']) {
      slow.late = false;
      expect((await run(query, { filter }, slow)).truncated, query).toBe(false);
      slow.late = true;
      expect((await run(query, { filter }, slow)).truncated, query).toBe(true);
    }
  });

  test('finds the nearest to a text also among more than can be looked at', async () => {
    const works = Array.from({ length: 5000 }, (_, i) => thing(`w${String(i).padStart(4, '0')}`, 'work', 'sea'));
    const horse = thing('z', 'work', 'horses');
    const many = new MemoryGraph(
      [thing('artist', 'person'), ...works, horse],
      [...works, horse].map(({ id }): Edge => [id, 'by', 'artist']),
    );
    const { ids, truncated } = await run('@artist <-[by]- type:work ~ "horses"', {}, many);
    expect({ first: ids[0], truncated }).toEqual({ first: 'z', truncated: true });
  });
});

describe('a query that ends before its end', () => {
  test.each(refusedExamples)('%i: %s', async (_number, query, _plan, error) => {
    expect(await run(query)).toMatchObject({ results: [], explored: 0, stop: { error } });
  });

  test.each([
    [
      'type:person -[*]-> type:place',
      'Queries with hops require a semantic search or exact ID entry point. Type-only entry points (type:X) are only valid for zero-hop queries.',
    ],
    ['@w -[*]{,4}->', 'Variable-depth hop requires a target filter (type, semantic, or exact_id)'],
    ['@w -[*]->', 'Single hop requires a target filter (type, semantic, or exact_id)'],
  ])('%s says why', async (query, reason) => {
    expect((await run(query)).stop?.reason).toBe(reason);
  });

  test('at the first hop says where it was', async () => {
    expect(await run('"george adams" -[*]-> type:zebra')).toMatchObject({
      results: [],
      explored: 2,
      stop: {
        error: 'no_path_found',
        reason: 'Traversal stopped at hop 1 - no matching relations or entities',
        stopped_at_hop: 1,
        partial_path: [{ entity: 'adams', score: 0.5 }],
      },
    });
  });

  test('at a later hop says how it came there, with the entity that it came to', async () => {
    expect(await run('@jeff -[member_of]-> type:organization -[*]-> @nobody')).toMatchObject({
      explored: 2,
      stop: {
        stopped_at_hop: 2,
        reason: 'Traversal stopped at hop 2 - no matching relations or entities',
        partial_path: [{ entity: 'jeff' }, { edge: 'member_of', direction: 'outgoing' }, { entity: 'cong' }],
      },
    });
  });
});
