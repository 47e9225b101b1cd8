import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { indexIdle } from '../helpers/searches.ts';
import { comingIn, describePage, lookAt, signedIn, startPageNode } from './browser.ts';
import { seedArtworks } from './seed.ts';

describePage('the search', () => {
  test('finds what is typed, by type and collection, and goes there by keys', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    await seedArtworks(node, 40);
    const home = await collection(node, me, { label: 'Notes' });
    const properties = { label: 'On harbours', description: 'What a zeppelin looks like above a harbour.' };
    await create(node, me, { type: 'note', collection: home.id, properties });
    await create(node, me, { type: 'memo', collection: home.id, properties: { label: 'Zeppelin' } });

    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('searchbox', { name: 'Search for' }).waitFor();
    await lookAt(page, 'search-empty');
    // The index follows the writes; the page asks again when it is told to.
    await expect
      .poll(
        async () => {
          await visitor.go('/search?q=zeppelin');
          await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
          return page.getByRole('list', { name: 'What was found' }).getByRole('listitem').count();
        },
        { timeout: 60_000, interval: 1000 },
      )
      .toBe(2);
    const marks = page.getByRole('list', { name: 'What was found' }).locator('mark');
    expect((await marks.allInnerTexts()).toSorted()).toEqual(['Zeppelin', 'zeppelin']);
    await lookAt(page, 'search');
    await page.getByRole('button', { name: /^note/ }).click();
    await page.getByText('One found').waitFor();
    expect(page.url()).toContain('types=');
    await page.getByRole('searchbox').press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'On harbours', level: 1 }).waitFor();

    await visitor.go('/search?q=zeppelin');
    // What stands there is gone on with, and a pause after a word does not take its space away.
    await page.keyboard.press('/');
    await page.keyboard.type(' above', { delay: 300 });
    expect(await page.getByRole('searchbox').inputValue()).toBe('zeppelin above');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('searchbox').inputValue()).toBe('zeppelin above');
    await page.getByLabel('In which collection').selectOption('Tate');
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows the types that are chosen also where nothing of them is found, and how to see all', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    await create(node, me, { type: 'person', properties: { label: 'Rider of a horse' } });
    await create(node, me, { type: 'deed', properties: { label: 'A treaty' } });
    await indexIdle(node);
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/search?q=horse');
    await page.getByRole('button', { name: /^person/ }).click();
    await page.getByText('One found').waitFor();
    await page.getByRole('searchbox').fill('treaty');
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    const chip = (name: string) =>
      page.getByRole('group', { name: 'Types' }).getByRole('button', { name, exact: true });
    await chip('deed 1').waitFor();
    expect(await chip('person 0').getAttribute('aria-pressed')).toBe('true');
    await lookAt(page, 'search-other-types');
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.getByText('One found').waitFor();
    await chip('person 0').waitFor({ state: 'detached' });
    const entities = Array.from({ length: 100 }, () => ({ type: 'grain', properties: { label: 'Some wheat' } }));
    ok(await ask(node, me, 'POST /entities/batch', { entities }));
    await indexIdle(node);
    await visitor.go('/search?q=wheat');
    await page.getByText('100 found; there may be more', { exact: true }).waitFor();
    // A chip takes it away, too.
    await visitor.go(`/search?q=treaty&types=${encodeURIComponent(JSON.stringify(['person']))}`);
    await chip('person 0').click();
    await page.getByText('One found').waitFor();
    // One that is chosen in the menu stands in line, too.
    const more = ['atlas', 'bill', 'chart', 'draft', 'essay', 'fable', 'glyph', 'hymn'];
    for (const type of more) await create(node, me, { type, properties: { label: `A harvest in a ${type}` } });
    await indexIdle(node);
    await visitor.go('/search?q=harvest');
    await page.getByText('8 found').waitFor();
    await page.getByRole('button', { name: '2 more types' }).click();
    const item = page.getByRole('menuitemcheckbox').first();
    const name = (await item.innerText()).replace(/\s+/, ' ');
    await item.click();
    await page.keyboard.press('Escape');
    await page.getByText('One found').waitFor();
    expect(await chip(name).getAttribute('aria-pressed')).toBe('true');
    expect(visitor.faults).toEqual([]);
  });

  test('keeps the keys at what they were put at, where something better is found meanwhile', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    for (const town of ['Rye', 'Deal', 'Hythe'])
      await create(node, me, { type: 'view', properties: { label: `The harbour of ${town}` } });
    await indexIdle(node);
    await using visitor = await comingIn(node, {});
    const { page } = visitor;
    // It asks every three seconds whether something has changed.
    await page.addInitScript(
      'const set = self.setInterval; self.setInterval = (f, ms) => set(f, ms === 3000 ? 50 : ms);',
    );
    await visitor.load('/search?q=harbour');
    await page.getByText('3 found').waitFor();
    await page.keyboard.press('j');
    const second = await page.getByRole('list', { name: 'What was found' }).getByRole('link').nth(1).innerText();
    await create(node, me, { type: 'view', properties: { label: 'Harbour' } });
    await indexIdle(node);
    await create(node, me, { type: 'memo', properties: { label: 'Nothing of that' } });
    await page.getByText('4 found').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: second, level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
