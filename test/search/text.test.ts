import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/server/model/manifest.ts';
import { docWords, entityText, passageOf } from '../../src/server/search/text.ts';

function textOf(type: string, properties: { [key: string]: Json }) {
  return entityText({ type, label: 'One', properties, neighbours: [], labelOf: () => undefined });
}

test('of a label that is longer than labels are indexed the rest is a text, of others nothing is', () => {
  const label = `${'long '.repeat(100)}quellband`;
  const source = { type: 'document', neighbours: [], labelOf: () => undefined };
  const bodyOf = (own: string) => docWords(entityText({ ...source, label: own, properties: { label: own } })).body;
  expect(bodyOf(label)).toContain('quellband');
  expect(bodyOf('quellband')).toBe('document');
});

describe('of properties', () => {
  test.each([
    ['collection', 'roles'],
    ['agent', 'input_schema'],
    ['klados', 'input_schema'],
    ['rhiza', 'flow'],
    ['document', '_content'],
  ])('of a %s `%s` is no text; elsewhere it is', (type, name) => {
    const properties = { [name]: { inside: 'quellband' } };
    expect(textOf(type, properties).body).not.toContain('quellband');
    if (type !== 'document') expect(textOf('document', properties).body).toContain('quellband');
  });

  test('whole numbers are words and not embedded, decimals and what cannot be told apart are neither', () => {
    const text = textOf('artwork', { year: 1893, years: [1893, -44], height: 12.5, large: 2 ** 60, is: true });
    expect(docWords(text)).toMatchObject({ body: 'artwork', numbers: '1893 44' });
    expect(passageOf(text).text).toBe('artwork');
  });

  test('of very many numbers those that stand least deep are words, and all texts', () => {
    const marks = Array.from({ length: 200 }, (_, i) => ({ of: { x: i, y: 1000 + i, z: 2000 + i } }));
    const text = textOf('artwork', { marks, after: 'Postscript', of: { box: 4711 }, inventory: 88_123_456 });
    const { body, numbers } = docWords(text);
    expect(numbers.split(' ')).toHaveLength(500);
    expect(numbers.split(' ').slice(0, 3)).toEqual(['88123456', '4711', '0']);
    expect(body).toBe('artwork postscript');
  });

  test('numbers of short lists are words, those of long ones and of lists within lists are none', () => {
    const boxes = Array.from({ length: 150 }, (_, i) => [i, 1000 + i, 20, 30]);
    const series = Array.from({ length: 11 }, (_, i) => 50 + i);
    const sold: Json[] = [{ year: 1907 }, { years: [1911, 1912] }];
    const text = textOf('artwork', {
      boxes,
      series,
      near: [[[7, 8]]],
      years: [1851, 1853],
      sold,
      inventory: 88_123_456,
    });
    expect(docWords(text).numbers).toBe('88123456 1851 1853 1907 1911 1912');
  });

  test('numbers beside a very long text are words', () => {
    const text = textOf('artwork', { ocr: 'x'.repeat(60_000), held: { inventory: 88_123_456 } });
    expect(docWords(text).numbers).toBe('88123456');
  });
});
