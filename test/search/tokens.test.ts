import { join } from 'node:path';
import { expect, test } from 'vitest';
import { words } from '../../src/server/search/tokens.ts';
import { openIndexWriter, putDoc } from '../../src/server/store/search/search-index.ts';
import { temporaryFolder } from '../helpers/node.ts';

/** Vowel signs and finals of New Tai Lue, and two signs of Vedic texts, which SQLite takes for no letters. */
const unknown = /[\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3]/u;

test('of every letter the vocabulary has the word that it is searched as', async () => {
  await using folder = await temporaryFolder();
  const index = openIndexWriter(join(folder.path, 'search.db'));
  const all = new Set<string>();
  for (let code = 0; code < 0x110000; code++) {
    const letter = code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code);
    if (/\p{L}/u.test(letter) && !unknown.test(letter)) for (const word of words(letter)) all.add(word);
  }
  expect(all.size).toBeGreaterThan(100_000);
  const doc = { key: 1, digest: '', label: '', collections: '', seen: 1 };
  putDoc(index, doc, { label: '', body: [...all].join(' '), numbers: '', links: '', whole: '' });
  const terms = new Set(index.all<{ term: string }>('SELECT term FROM vocabulary').map(({ term }) => term));
  index.close();
  expect([...all].filter((word) => !terms.has(word))).toEqual([]);
});

test('words are the same in all forms of their letters', () => {
  expect(words('Λόγος ΛΌΓΟΣ λογοσ')).toEqual(['λογοσ', 'λογοσ', 'λογοσ']);
  expect(words('Waſſer 5 µm ϑεός')).toEqual(['wasser', '5', 'μm', 'θεοσ']);
  expect(words('Straße STRASSE GROẞE Œuvre Ærø Łódź')).toEqual([
    'strasse',
    'strasse',
    'grosse',
    'oeuvre',
    'aero',
    'lodz',
  ]);
  expect(words('KIRMIZI ışık IŞIK Đorđe Þórður')).toEqual(['kirmizi', 'isik', 'isik', 'dorde', 'thordur']);
  expect(words('kırmızı')).toEqual(words('KIRMIZI'));
});

test('what a letter is printed as says nothing: joined, wide, narrow or raised, it is the letter', () => {
  expect(words('ﬁnal eﬀort oﬃce')).toEqual(['final', 'effort', 'office']);
  expect(words('Ｎｏ．１２ ﾃﾞｰﾀ')).toEqual(words('No．12 データ'));
  expect(words('x² ﷲ ㌔')).toEqual(words('x2 الله キロ'));
  expect(words('№12 100㎡ Windows™ 3½')).toEqual(['no', '12', '100', 'm2', 'windows', 'tm', '3', '1', '2']);
});

test('texts of scripts without spaces between words are cut into pairs of letters, however long', () => {
  const [pagoda, museum] = ['ဘုရား', 'ပြတိုက်'];
  for (const [text, word] of [
    [`${museum}${pagoda}${museum}`, pagoda],
    [museum.repeat(20) + pagoda, pagoda],
    ['พิพิธภัณฑ์เจดีย์', 'เจดีย์'],
  ] as const) {
    const indexed = words(text);
    for (const part of words(word)) expect(indexed, text).toContain(part);
    expect(indexed.every((one) => [...one].length === 2)).toBe(true);
  }
});
