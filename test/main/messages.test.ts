import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

vi.mock('electron', async () => (await import('./electron.ts')).electron);
const { text } = await import('../../src/main/messages.ts');

const read = (file: string) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
const all = Object.entries<string[]>(JSON.parse(read('main/messages.json')));
const places = (template = '') => [...template.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();

test('every text is there in every language, with the same places', () => {
  for (const [key, texts] of all) {
    expect(texts, key).toHaveLength(2);
    expect(
      texts.every((one) => one.trim() !== ''),
      key,
    ).toBe(true);
    expect(places(texts[1]), key).toEqual(places(texts[0]));
  }
});

test('no text is left that nothing shows', () => {
  const files = ['archives', 'index', 'menu', 'node-client', 'server-process', 'settings', 'window'];
  const code = files.map((file) => read(`main/${file}.ts`)).join('');
  const shown = (key: string) => code.includes(`'${key.replace(/Detail$/, '')}'`);
  expect(all.map(([key]) => key).filter((key) => !shown(key))).toEqual([]);
});

test('places that nothing is given for stay empty', () => {
  expect(text('noFile', { name: '{path}' })).toBe('“{path}” cannot be opened');
  expect(text('noFile')).toBe('“” cannot be opened');
});
