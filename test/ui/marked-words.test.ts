import { describe, expect, test } from 'vitest';
import { folded, markedWords, soughtWords } from '../../src/renderer/src/components/marked-words.ts';
import { plainLetters } from '../../src/server/model/plain-letters.ts';

/** The text with its hits between brackets. */
const marked = (text: string, query: string) =>
  markedWords(text, soughtWords(query))
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join('');

describe('the words that were sought', () => {
  test.each([
    ['A ship, two ships and a shipwreck', 'ship', 'A [ship], two [ships] and a [shipwreck]'],
    ['A ship at sea', 'ships by the sea', 'A [ship] at [sea]'],
    ['Vue de la Forêt', 'foret', 'Vue de la [Forêt]'],
    ['Das ist eine Übung', 'ÜBUNG', 'Das ist eine [Übung]'],
    ['東京の絵', '東京の絵', '[東京の絵]'],
    ['Die Straße nach Łódź', 'STRASSE lodz', 'Die [Straße] nach [Łódź]'],
    ['KIRMIZI', 'kırmızı', '[KIRMIZI]'],
    ['The \ufb01nal １２', 'final 12', 'The [\ufb01nal] [１２]'],
    ['A <script>alert(1)</script>', 'script', 'A <[script]>alert(1)</[script]>'],
    ['a b c', 'a b', 'a b c'],
    ['shore', 'short', 'shore'],
    ['relationship', 'ship', 'relationship'],
    ['', 'ship', ''],
    ['ship', '*[(', 'ship'],
  ])('are marked in %s for %s', (text, query, expected) => expect(marked(text, query)).toBe(expected));

  test('are compared as the node compares the words of its search', () => {
    for (const text of [
      'Straße Æsir œuvre Ørsted Łódź',
      'IŞIK ışık KIRMIZI',
      'Đorđe Ðorđe Þór',
      'λόγος ΛΟΓΟΣ É é ﬁ １',
    ])
      expect(folded(text).normalize('NFC')).toBe(plainLetters(text));
  });

  test('nothing of a text is lost, however long it is', () => {
    const long = 'harbour and boats. '.repeat(20_000);
    const pieces = markedWords(long, soughtWords('boat'));
    expect(pieces.map(({ text }) => text).join('')).toBe(long);
    expect(pieces.filter(({ hit }) => hit)).toHaveLength(20_000);
  });
});
