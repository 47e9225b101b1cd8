import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesOf, excerpt } from '../../src/renderer/src/views/entity/model/changes.ts';
import type { Json } from '../../src/renderer/src/views/entity/model/json.ts';
import type { Piece } from '../../src/renderer/src/views/history/word-diff.ts';
import { operator } from '../helpers/callers.ts';
import { collection, create, read, update } from '../helpers/entities.ts';
import { describePage, lookAt, onNewPage } from './browser.ts';

const said = (pieces: readonly Piece[] | null, left: 'old' | 'new') =>
  (pieces ?? [])
    .filter(({ side }) => side !== left)
    .map(({ text }) => text)
    .join('');

describe('what two made of a place', () => {
  const texts = fc.array(fc.constantFrom('a', 'b ', ' ', '\n'), { maxLength: 12 }).map((all) => all.join(''));

  test('is theirs and ours, of what was there', () => {
    fc.assert(
      fc.property(texts, texts, texts, (base, mine, theirs) => {
        const changes = changesOf({ base, mine, theirs });
        expect(said(changes.base, 'new')).toBe(base);
        expect([changes.mine, changes.theirs].map((pieces) => said(pieces, 'old'))).toEqual([mine, theirs]);
        const beside = changesOf({ base: undefined, mine, theirs });
        expect([beside.mine, beside.theirs].map((pieces) => said(pieces, 'old'))).toEqual([mine, theirs]);
      }),
    );
    expect(changesOf({ base: 'a b', mine: undefined, theirs: 'a c' })).toEqual({
      base: [
        { text: 'a ', side: 'both' },
        { text: 'b', side: 'both' },
      ],
      mine: null,
      theirs: [
        { text: 'a ', side: 'both' },
        { text: 'c', side: 'new' },
      ],
      alike: false,
      unseen: false,
    });
    expect(changesOf({ base: 'a b c', mine: 'a c', theirs: 'a b c' })).toMatchObject({
      mine: [
        { text: 'a ', side: 'both' },
        { text: 'b ', side: 'old' },
        { text: 'c', side: 'both' },
      ],
      theirs: ['a ', 'b ', 'c'].map((text) => ({ text, side: 'both' })),
    });
  });

  test('is of other kinds where it only looks the same', () => {
    expect(changesOf({ base: undefined, mine: '1850', theirs: 1850 }).alike).toBe(true);
    expect(changesOf({ base: 'null', mine: '', theirs: null }).alike).toBe(true);
    expect(changesOf({ base: 1850, mine: 1850, theirs: 1851 }).alike).toBe(false);
  });

  test('is told where it cannot be seen', () => {
    const unseen = (mine: Json, theirs: Json) => changesOf({ base: 'before', mine, theirs }).unseen;
    const looks = [
      'C\u00e9zanne',
      'Ce\u0301zanne',
      ' C\u00e9zanne\r\n',
      'C\u00e9\u200bzanne',
      '\ufeffC\u00e9zanne\u00a0',
    ];
    for (const one of looks)
      expect(looks.map((other) => unseen(one, other))).toEqual(looks.map((other) => one !== other));
    expect(unseen('a\r\nb', 'a\nb')).toBe(true);
    expect([unseen('Cezanne', 'C\u00e9zanne'), unseen('ab', 'a b'), unseen('1', 1), unseen(null, '')]).not.toContain(
      true,
    );
  });

  test('is shown around what changed, however far in a text that is', () => {
    const line = (i: number) => `Line ${i} of a letter, as long as lines are.\n`;
    const text = (word: string) => Array.from({ length: 400 }, (_, i) => (i === 300 ? `${word}\n` : line(i))).join('');
    const { base, mine, theirs } = changesOf({ base: text('old'), mine: text('mine'), theirs: text('theirs') });
    for (const [pieces, word] of [
      [base, 'old'],
      [mine, 'mine'],
      [theirs, 'theirs'],
    ] as const) {
      const shown = excerpt(pieces ?? [])
        .map((piece) => piece.text)
        .join('');
      expect(shown).toContain(`${line(299)}`);
      expect(shown).toContain(word);
      expect(shown.length).toBeLessThan(400);
    }
    expect(excerpt([{ text: 'x'.repeat(2000), side: 'both' }])[0]?.text.length).toBeLessThan(800);
    expect(excerpt([{ text: 'short', side: 'both' }])).toEqual([{ text: 'short', side: 'both' }]);
  });
});

describePage('both sides', () => {
  let scene: Parameters<Parameters<typeof onNewPage>[0]>[0];
  onNewPage((ready) => {
    scene = ready;
  });

  test('show where they differ, and of which kind they are where they look the same', async () => {
    const { node, visitor, page } = scene;
    const me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const text = (word: string) => `${'Dear Ada, thank you.\n'.repeat(60)}It was ${word}.\n${'Yours.\n'.repeat(60)}`;
    const letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'To Ada', text: text('old'), year: '1850' },
    });
    await visitor.go(`/entities/${letter.id}`);
    await page.getByLabel('text', { exact: true }).fill(text('red'));
    await page.getByRole('button', { name: 'What to do with year' }).click();
    await page.getByRole('menuitem', { name: 'Number', exact: true }).click();
    const theirs = await update(node, me, letter, { properties: { text: text('blue') } });
    await page.getByText('Somebody else has saved version 2').waitFor();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Somebody else was quicker' });
    const row = (name: string) => dialog.getByRole('row', { name: new RegExp(`^${name}`) });
    await row('text').waitFor();
    expect(await row('text').locator('ins').allInnerTexts()).toEqual(['red', 'blue']);
    expect(
      await row('text')
        .getByText(/It was (?:old|red|blue)\./)
        .count(),
    ).toBe(3);
    const cells = (name: string) => row(name).getByRole('cell').allInnerTexts();
    expect((await cells('text')).map((cell) => cell.split('\n').length < 40)).toEqual([true, true, true]);
    expect((await cells('year')).map((cell) => cell.split('\n'))).toEqual([
      ['1850', 'Text'],
      ['1850', 'Number'],
      ['1850', 'Text'],
    ]);
    await lookAt(page, 'entity-merge-long');
    await row('text').getByRole('button', { name: 'Show all of it' }).click();
    expect((await cells('text')).map((cell) => cell.split('\n').length > 100)).toEqual([true, true, true]);
    await row('text').getByRole('button', { name: 'Show less', expanded: true }).click();
    await dialog.getByRole('radio', { name: 'text: theirs' }).check();
    await dialog.getByRole('button', { name: 'Save both together' }).click();
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ ...theirs.properties, year: 1850 });

    await visitor.go(`/entities/${letter.id}/history`);
    const compared = page.getByRole('region', { name: 'Comparison' }).getByRole('row', { name: /^year/ });
    await compared.waitFor();
    expect((await compared.getByRole('cell').allInnerTexts()).map((cell) => cell.split('\n'))).toEqual([
      ['1850', 'Text'],
      ['1850', 'Number'],
    ]);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('n');
    await compared.and(page.locator(':focus')).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
