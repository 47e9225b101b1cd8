import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/server/model/manifest.ts';
import { docWords, entityText, passageOf } from '../../src/server/search/text.ts';

function textOf(type: string, properties: { [key: string]: Json }) {
  return entityText({ type, label: 'One', properties, neighbours: [], labelOf: () => undefined });
}

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

  test('of very many numbers the first are words, and all texts', () => {
    const text = textOf('artwork', { many: Array.from({ length: 10_000 }, (_, i) => i), after: 'Postscript' });
    const { body, numbers } = docWords(text);
    expect(numbers.split(' ')).toEqual(Array.from({ length: 500 }, (_, i) => `${i}`));
    expect(body).toBe('artwork postscript');
  });
});
