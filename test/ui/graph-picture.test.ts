import { describe, expect, test } from 'vitest';
import { svgOf } from '../../src/renderer/src/views/graph/export-svg.ts';
import { graphAddress, idsOf, mostOpen } from '../../src/renderer/src/views/graph/graph-address.ts';
import type { Expansion, Path } from '../../src/renderer/src/views/graph/graph-queries.ts';
import {
  countsOf,
  edgesByNode,
  gather,
  hiddenAtFirst,
  lineOf,
  pictureOf,
} from '../../src/renderer/src/views/graph/picture.ts';
import { placesOf } from '../../src/renderer/src/views/graph/places.ts';

type Tie = ['outgoing' | 'incoming', string, string, string?];

const expansion = (id: string, type: string, ties: Tie[], more = 0) =>
  ({
    ...{ id, type, label: `label of ${id}` },
    relationships: ties.map(([direction, predicate, peer_id, peer_type = 'thing']) => ({
      ...{ direction, predicate, peer_id, peer_type, peer_label: `label of ${peer_id}` },
    })),
    totals: { outgoing: ties.length, incoming: more },
  }) as unknown as Expansion;

const all = { predicates: [], types: [] };
const ids = (nodes: Iterable<{ id: string }>) => [...nodes].map(({ id }) => id);

describe('a picture of the graph', () => {
  const painter = expansion('A', 'person', [
    ['incoming', 'made_by', 'W', 'artwork'],
    ['incoming', 'made_by', 'V', 'artwork'],
    ['outgoing', 'collection', 'C', 'collection'],
  ]);
  const work = expansion('W', 'artwork', [
    ['outgoing', 'made_by', 'A', 'person'],
    ['outgoing', 'depicts', 'S', 'subject'],
  ]);

  test('has each entity and each relationship once, and counts what is not there', () => {
    const gathered = gather([painter, expansion('W', 'artwork', [['outgoing', 'made_by', 'A', 'person']], 39)], []);
    expect(ids(gathered.nodes.values())).toEqual(['A', 'W', 'V', 'C']);
    expect(gathered.edges.map(({ from, predicate, to }) => `${from} ${predicate} ${to}`)).toEqual([
      'W made_by A',
      'V made_by A',
      'A collection C',
    ]);
    expect([gathered.total, gathered.full]).toEqual([42, false]);
    expect(countsOf(gathered)).toEqual({
      types: [
        { name: 'artwork', count: 2 },
        { name: 'person', count: 1 },
        { name: 'collection', count: 1 },
      ],
      predicates: [
        { name: 'made_by', count: 2 },
        { name: 'collection', count: 1 },
      ],
    });
  });

  test('never has more entities than it may, and says so', () => {
    const gathered = gather([painter, work], [], 3);
    expect(ids(gathered.nodes.values())).toEqual(['A', 'W', 'V']);
    expect([gathered.edges.length, gathered.total, gathered.full]).toEqual([2, 4, true]);
  });

  test('leaves out what is not wanted, but not what is open or on a path', () => {
    const edge = { subject_id: 'W', predicate: 'depicts', object_id: 'S', subject_label: '', object_label: '' };
    const path = { edges: [{ ...edge, subject_type: 'artwork', object_type: 'subject' }] } as unknown as Path;
    const gathered = gather([painter, work], [path]);
    const shown = (predicates: string[], types: string[]) => ids(pictureOf(gathered, { predicates, types }).nodes);
    expect(shown([], []).sort()).toEqual(['A', 'C', 'S', 'V', 'W']);
    expect(shown(['collection'], []).sort()).toEqual(['A', 'S', 'V', 'W']);
    expect(shown([], ['artwork', 'subject', 'person']).sort()).toEqual(['A', 'C', 'S', 'W']);
    expect(shown(['depicts', 'made_by', 'collection'], []).sort()).toEqual(['A', 'S', 'W']);
    const picture = pictureOf(gathered, all);
    expect(edgesByNode(picture).get('W')).toHaveLength(2);
    expect([hiddenAtFirst([painter]), hiddenAtFirst([expansion('C', 'collection', [])])]).toEqual([['collection'], []]);
  });

  test('keeps places, and puts what is new near what it is tied to, the same each time', () => {
    const before = placesOf(pictureOf(gather([painter], []), all), new Map());
    expect(new Set([...before.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(4);
    const moved = new Map([...before, ['W', { x: 5000, y: 5000 }] as const]);
    const picture = pictureOf(gather([painter, work], []), all);
    const after = placesOf(picture, moved);
    expect(after.get('A')).toEqual(before.get('A'));
    const subject = after.get('S')!;
    expect(Math.hypot(subject.x - 5000, subject.y - 5000)).toBeLessThan(100);
    expect(placesOf(picture, moved)).toEqual(after);
  });

  test('is an SVG of all its places, in which a label is no more than a label', () => {
    const hostile = expansion('A', 'a"><script>', [['outgoing', 'x', 'B', 'b']]);
    hostile.label = '</text><script>1</script>\u202e\0';
    const picture = pictureOf(gather([hostile], []), all);
    const colours = { type: () => 'red', ink: 'black', quiet: 'grey', paper: 'white', surface: 'white' };
    const svg = svgOf(picture, placesOf(picture, new Map()), { ...colours, line: 'grey', accent: 'blue' });
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(svg).not.toMatch(/<script|\u202e|\0|NaN|Infinity/);
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;1&lt;/script&gt;');
    expect(svgOf({ nodes: [], edges: [] }, new Map(), { ...colours, line: 'grey', accent: 'blue' })).not.toContain(
      'NaN',
    );
  });

  test('has labels of one line without what turns or breaks it', () => {
    expect(lineOf(' a\n\tb\u202ec\u0007 ')).toBe('a b c');
    expect(lineOf('x'.repeat(1_000_000))).toBe(`${'x'.repeat(59)}…`);
    expect(lineOf('🙂'.repeat(300), 3)).toBe('🙂🙂…');
  });
});

describe('the address of the graph', () => {
  const id = '01J00000000000000000000000';

  test('keeps what it knows, and nothing else', () => {
    expect(graphAddress({ of: `${id}.${id}.nonsense`, from: id, to: '../x', most: 200, without: ['a', 1] })).toEqual({
      ...{ of: id, from: id, most: 200, without: ['a'] },
    });
    expect(graphAddress({ of: 7, from: {}, most: 7, without: 'a', withoutTypes: [] })).toEqual({ withoutTypes: [] });
  });

  test('never opens more than is borne', () => {
    const many = Array.from({ length: 300 }, (_, i) => `01J0000000000000000000${String(i).padStart(4, '0')}`);
    expect(idsOf(many.join('.'))).toEqual(many.slice(0, mostOpen));
  });
});
