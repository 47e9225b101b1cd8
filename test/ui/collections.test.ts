import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, read, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, pictureOf, type Visit } from './browser.ts';
import { seedArtworks, seedItems } from './seed.ts';

describePage('collections', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const labels = () => page.locator('[role="row"] a').allInnerTexts();
  const firstLabel = () => page.locator('[aria-rowindex="2"] a');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });

  test('an empty node says how something comes in, and makes a collection and an entity by keys alone', async () => {
    await visitor.go('/');
    await heading('Welcome').waitFor();
    await expect.poll(() => page.getByText(` --data ${node.data}`).count()).toBe(3);
    await lookAt(page, 'start-empty');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'There is no collection yet' }).waitFor();
    await lookAt(page, 'collections-empty');

    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('Letters');
    await lookAt(page, 'collection-new');
    await page.keyboard.press('Enter');
    await heading('Letters').waitFor();
    await page.getByRole('heading', { name: 'This collection is empty' }).waitFor();
    await pictureOf(page, 'collection-empty');

    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('letter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('To Ada');
    await page.keyboard.press('Enter');
    await heading('To Ada').waitFor();

    // What changed last is where one begins.
    await visitor.go('/');
    const recent = page.getByRole('region', { name: 'Changed last' }).getByRole('listitem');
    await recent.nth(1).getByRole('link', { name: 'Letters' }).waitFor();
    await recent.first().getByRole('link', { name: 'To Ada' }).waitFor();
    expect(await recent.first().innerText()).toMatch(/^To Ada\n+letter · /);
    await pictureOf(page, 'start-recent');

    // The filter is in the address.
    await visitor.go('/collections');
    await page.getByRole('searchbox').fill('lette');
    await page.waitForURL(/\?q=lette$/);
    await page.reload();
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await page.getByRole('searchbox').fill('bills');
    await page.getByText('No collection has a name like that.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a collection shows its entities, by type, condition, order and columns, all of it in the address', async () => {
    const id = await seedArtworks(node, 60);
    await visitor.go('/');
    // The newest changes may still say, beside the table, that the collection was made.
    const link = page.getByRole('table').getByRole('link', { name: 'Tate' });
    await link.waitFor();
    await lookAt(page, 'start');
    await link.click();
    await heading('Tate').waitFor();
    await firstLabel().waitFor();
    await page.getByRole('button', { name: /^artwork 60$/ }).click();
    await page.getByText('60 entities').waitFor();
    await page.getByRole('button', { name: 'Label', exact: true }).click();
    await page.locator('[aria-sort="ascending"]').waitFor();
    await lookAt(page, 'collection');
    const sorted = await labels();
    expect(sorted).toEqual(sorted.toSorted(new Intl.Collator('en').compare));

    await page.keyboard.press('/');
    const part = sorted[5]?.split(' ')[0] ?? '';
    await page.keyboard.type(part);
    await page.waitForURL(/where=/);
    await expect
      .poll(async () => (await labels()).every((label) => label.toLowerCase().includes(part.toLowerCase())), {
        timeout: 60_000,
      })
      .toBe(true);
    const address = page.url();
    const shown = await labels();
    await page.goto(address);
    await firstLabel().waitFor();
    expect(await labels()).toEqual(shown);

    await visitor.go(`/collections/${id}?types=["artwork"]`);
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Column').selectOption('classification');
    await page.getByLabel('Condition', { exact: true }).selectOption('is');
    await page.getByLabel('Value').fill('PAINTING');
    await lookAt(page, 'collection-condition');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove this condition' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'medium' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'medium' }).waitFor();
    expect(new URL(page.url()).searchParams.get('columns')).toContain('properties.medium');
    await page.getByRole('button', { name: 'Remove this condition' }).click();
    await page.getByText('60 entities').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('more than a thousand collections are all found, and offered', async () => {
    const me = operator(node);
    await collection(node, me, { label: 'Oldest of all' });
    for (let made = 0; made < 1010; made += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => collection(node, me, { label: `Box ${made + n}` })));
    await visitor.go('/collections');
    await page.getByText('1,011 collections').waitFor();
    const links = page.getByRole('main').getByRole('table').getByRole('link');
    await expect.poll(() => links.count()).toBe(500);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => links.count()).toBe(1000);
    // Enter is heard before it is known what there is.
    await page.getByRole('searchbox', { name: 'Filter by label' }).fill('oldest');
    await page.keyboard.press('Enter');
    await heading('Oldest of all').waitFor();
    await visitor.go('/collections?q=oldest');
    await expect.poll(() => links.allInnerTexts()).toEqual(['Oldest of all']);
    // A screen asks for those alone that it shows.
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/node/collections?') && asked.push(request.url()));
    // In a narrow window, too, names have the most room.
    await page.setViewportSize({ width: 800, height: 800 });
    const { width = 0 } = (await page.getByRole('cell', { name: 'Oldest of all' }).boundingBox()) ?? {};
    expect(width).toBeGreaterThan(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    await visitor.go('/processors/new?kind=agent');
    const choice = page.getByRole('combobox', { name: 'Collection' });
    await expect.poll(() => choice.inputValue()).toMatch(/^Box /);
    await choice.click();
    await page.keyboard.type('bóx 10');
    const offered = page.getByRole('listbox', { name: 'Collection' }).getByRole('option');
    await expect.poll(() => offered.allInnerTexts()).toHaveLength(21);
    expect(await offered.first().innerText()).toBe('Box 10');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('of all');
    await expect.poll(() => offered.allInnerTexts()).toEqual(['Oldest of all']);
    await page.keyboard.press('Enter');
    await expect.poll(() => choice.inputValue()).toBe('Oldest of all');
    // Enter is heard before it is known what there is, also where the field is left at once.
    await page.keyboard.type('box 10');
    await page.keyboard.press('Enter');
    await expect.poll(() => choice.inputValue()).toBe('Box 10');
    await page.keyboard.type('oldest');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expect.poll(() => choice.inputValue()).toBe('Oldest of all');
    await page.keyboard.press('Shift+Tab');
    // What is typed and not chosen is nothing; what is typed next takes the place of what was chosen.
    await page.keyboard.type('Box');
    expect(await choice.inputValue()).toBe('Box');
    await page.keyboard.press('Tab');
    await expect.poll(() => choice.inputValue()).toBe('Oldest of all');
    await page.keyboard.press('Shift+Tab');
    expect(await offered.first().innerText()).toBe('Oldest of all');
    expect(await offered.last().innerText()).toBe('and 961 more');
    await page.keyboard.press('Enter');
    await page.getByLabel('Label').first().fill('Reader');
    expect(await choice.inputValue()).toBe('Oldest of all');
    expect(asked.filter((url) => Number(new URL(url).searchParams.get('limit')) > 200)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
    expect(visitor.faults).toEqual([]);
  });

  test('that a table takes no further condition is said where one would be added', async () => {
    const id = await seedItems(node, 1);
    const where = Array.from({ length: 19 }, (_, i) => ({
      column: 'properties.colour',
      op: 'not',
      value: `grey ${i}`,
    }));
    await visitor.go(`/collections/${id}?where=${encodeURIComponent(JSON.stringify(where))}`);
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByText('A table takes no more conditions than these.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Filter by label' }).fill('item');
    await page.waitForURL(/contains/);
    expect(await page.getByRole('button', { name: 'Remove this condition' }).count()).toBe(19);
    await page.getByRole('button', { name: 'Remove this condition' }).first().click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Value').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what its entities have none of is no heading in the menu of its columns', async () => {
    await visitor.go(`/collections/${await seedItems(node, 1)}`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menu').getByText('Properties', { exact: true }).waitFor();
    expect(await page.getByRole('menu').getByText('Relationships', { exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(visitor.faults).toEqual([]);
  });

  test('who types a filter and goes elsewhere at once stays there', async () => {
    await visitor.go(`/collections/${await seedItems(node, 6)}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/assets\/settings.*\.js/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.getByRole('searchbox', { name: 'Filter by label' }).fill('Item 00004 ');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForTimeout(800);
    gate.resolve();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.waitForTimeout(300);
    expect(new URL(page.url()).pathname).toBe('/ui/settings');
    expect(visitor.faults).toEqual([]);
  });

  test('thousands of rows are gone through and selected by keys', async () => {
    const id = await seedItems(node, 2500);
    await visitor.go(`/collections/${id}?sort=label`);
    await firstLabel().waitFor();
    expect(await firstLabel().innerText()).toBe('Item 00000');
    // Far fewer rows are in the document than there are.
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2501');

    const hidden = `(() => {
      const grid = document.querySelector('[role=grid]');
      const row = document.getElementById(grid.getAttribute('aria-activedescendant'));
      return row.getBoundingClientRect().bottom - grid.getBoundingClientRect().bottom;
    })()`;
    // Also where the bar of the selection takes room from below.
    for (let i = 0; i < 40; i++) await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('One selected').waitFor();
    await expect.poll(() => page.evaluate(hidden)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape');
    for (let i = 0; i < 37; i++) await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 selected').waitFor();
    await pictureOf(page, 'collection-selected');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await expect.poll(() => page.evaluate(hidden)).toBeLessThanOrEqual(0);
    // Also where the window has less room than the table takes, as at 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    await page.keyboard.press('ArrowDown');
    const below = `document.getElementById('${await activeRow()}').getBoundingClientRect().bottom - innerHeight`;
    await expect.poll(() => page.evaluate(below)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });

    // Where somebody looks stays in sight when others write.
    const scrolled = () =>
      page.getByRole('grid').evaluate((grid: unknown) => (grid as { scrollTop: number }).scrollTop);
    await page.getByRole('grid').evaluate((grid: unknown) => {
      (grid as { scrollTop: number }).scrollTop = 40_000;
    });
    await page.getByRole('link', { name: 'Item 01250' }).waitFor();
    const me = operator(node);
    const late = await create(node, me, { type: 'item', collection: id, properties: { label: 'Item 99999' } });
    await page.getByText('2,501 entities').waitFor();
    expect(await scrolled()).toBe(40_000);
    await remove(node, me, late);
    await page.getByText('2,500 entities').waitFor();

    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item 02499' }).waitFor();
    expect(await page.locator(`#${await activeRow()}`).getAttribute('aria-rowindex')).toBe('2501');
    // Also what nobody has scrolled to.
    await page.keyboard.press('Shift+Home');
    await page.getByText('2,500 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2,500 selected').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item 02499' }).waitFor();
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    await firstLabel().waitFor();

    // Whoever comes back is where they were, with what was ticked.
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item 02499' }).waitFor();
    for (let i = 0; i < 99; i++) await page.keyboard.press('k');
    for (const name of ['Item 02400', 'Item 02399', 'Item 02398']) {
      await page.getByRole('link', { name }).waitFor();
      await page.keyboard.press('x');
      await page.keyboard.press('k');
    }
    await page.getByRole('link', { name: 'Item 02397' }).waitFor();
    await page.getByText('3 selected').waitFor();
    const place = await scrolled();
    await page.keyboard.press('Enter');
    await heading('Item 02397').waitFor();
    await page.goBack();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('link', { name: 'Item 02397' }).waitFor();
    await expect.poll(() => activeRow()).toBe(await idOf(page.locator('[aria-rowindex="2399"]')));
    expect(await scrolled()).toBe(place);
    expect(visitor.faults).toEqual([]);
  });

  test('rows are ticked without letters as shortcuts, by keys and by mouse, and said by their names', async () => {
    const id = await seedItems(node, 60);
    await visitor.go('/settings');
    await page.getByRole('checkbox', { name: 'Single letters are shortcuts' }).uncheck();
    await visitor.go(`/collections/${id}?sort=label`);
    await firstLabel().waitFor();
    const tick = (name: string) => page.getByRole('checkbox', { name: `Select: ${name}`, exact: true });
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('Space');
    await page.getByText('One selected').waitFor();
    expect(await tick('Item 00001').isChecked()).toBe(true);
    await page.keyboard.press('Space');
    await page.getByText('One selected').waitFor({ state: 'detached' });
    // After a click the keys go on from that row.
    await tick('Item 00003').click();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    expect([await tick('Item 00003').isChecked(), await tick('Item 00004').isChecked()]).toEqual([true, true]);
    // The box of the table is one of its own.
    await page.getByRole('checkbox', { name: 'Clear the selection' }).press('Space');
    await page.getByText('2 selected').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('a stretch is selected as it stands by now, when rows have come before it', async () => {
    const id = await seedItems(node, 300);
    const me = operator(node);
    await visitor.go(`/collections/${id}?sort=label`);
    await firstLabel().waitFor();
    const grid = page.getByRole('grid');
    const rowAt = async (index: number) => {
      await grid.evaluate(
        (element: unknown, top) => {
          (element as { scrollTop: number }).scrollTop = top;
        },
        Math.max(0, index - 5) * 32,
      );
      const row = page.locator(`[aria-rowindex="${index + 2}"]`);
      await row.getByRole('link').waitFor();
      return row;
    };
    // Once through all of it, so that each page has come.
    for (let index = 0; index < 300; index += 40) await rowAt(index);
    await (await rowAt(10)).getByRole('checkbox').click();
    const entities = Array.from({ length: 30 }, (_, n) => ({
      type: 'item',
      collection: id,
      properties: { label: `Item 0000${n < 10 ? 'a' : 'b'} ${n}` },
    }));
    ok(await ask(node, me, 'POST /entities/batch', { entities }));
    await page.getByText('330 entities').waitFor();
    // What the keys are at is the row, and not the place where it stood.
    const marked = await rowAt(40);
    await marked.getByText('Item 00010').waitFor();
    await expect.poll(() => activeRow()).toBe(await idOf(marked));
    await page.keyboard.press('x');
    await page.getByText('One selected').waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await page.getByText('One selected').waitFor();
    expect(await marked.getByRole('checkbox').isChecked()).toBe(true);
    await (await rowAt(250)).getByRole('checkbox').click({ modifiers: ['Shift'] });
    await page.getByText('211 selected').waitFor();
    for (const index of [40, 120, 249])
      expect(await (await rowAt(index)).getByRole('checkbox').isChecked(), String(index)).toBe(true);
    expect(await (await rowAt(39)).getByRole('checkbox').isChecked()).toBe(false);

    // Where it is not known where that row stands by now, no key is about another one.
    await page.keyboard.press('Escape');
    await (await rowAt(205)).getByRole('checkbox').click();
    await page.getByText('One selected').waitFor();
    await rowAt(20);
    const more = entities.map((one, n) => ({ ...one, properties: { label: `Item 0000c ${n}` } }));
    for (let times = 0; times < 5; times++) ok(await ask(node, me, 'POST /entities/batch', { entities: more }));
    await page.getByText('480 entities').waitFor();
    await page.keyboard.press('x');
    await (await rowAt(25)).getByRole('checkbox').click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  async function idOf(row: Locator): Promise<string> {
    return escaped(await row.getAttribute('id'));
  }

  async function activeRow(): Promise<string> {
    return escaped(await page.getByRole('grid').getAttribute('aria-activedescendant'));
  }

  function escaped(id: string | null): string {
    return (id ?? '').replaceAll(/[^\w-]/g, '\\$&');
  }

  test('what is selected is changed together, and what somebody else was quicker with is told', async () => {
    const id = await seedItems(node, 6);
    await visitor.go(`/collections/${id}?sort=label`);
    await firstLabel().waitFor();
    await page.getByRole('grid').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('4 selected').waitFor();
    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog', { name: 'Edit 4 entities' });
    await dialog.getByLabel('Property').fill('colour');
    await dialog.getByLabel('Value').fill('violet');
    await dialog.getByLabel('Note').fill('Seen in daylight');
    await lookAt(page, 'collection-bulk');
    await dialog.getByRole('button', { name: 'Set a property' }).click();
    await page.getByText('4 entities were changed', { exact: true }).waitFor();
    await visitor.load(`/collections/${id}?where=[{"column":"properties.colour","op":"is","value":"violet"}]`);
    await page.getByText('4 entities', { exact: true }).waitFor();

    const me = operator(node);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    const changed = await read(
      node,
      me,
      (await page.locator('[aria-rowindex="2"] a').getAttribute('href'))?.split('/').at(-1) ?? '',
    );
    await page.keyboard.press('b');
    await page.getByLabel('What to do').selectOption('Delete');
    await update(node, me, changed, { properties: { colour: 'mauve' } });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('One was not changed').waitFor();
    await lookAt(page, 'collection-bulk-failed');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('2 entities', { exact: true }).waitFor();
    expect((await read(node, me, changed.id)).properties.colour).toBe('mauve');
    expect(visitor.faults).toEqual([]);
  });

  test('what was selected under another filter is said to be so, and left out', async () => {
    const id = await seedItems(node, 8);
    const other = await collection(node, operator(node), { label: 'Others' });
    const where = (colour: string) => `where=[{"column":"properties.colour","op":"is","value":"${colour}"}]`;
    await visitor.go(`/collections/${id}?${where('red')}`);
    await page.getByText('2 entities', { exact: true }).waitFor();
    // In a field what is typed there is selected, and everywhere else what matches.
    await page.getByRole('searchbox').press('Control+a');
    expect(await page.getByText('2 selected').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await page.getByText('2 selected').waitFor();
    const said = page.getByText('2 of them were selected under another filter');
    expect(await said.count()).toBe(0);
    await visitor.go(`/collections/${id}?${where('blue')}`);
    await said.waitFor();
    // Until then a key is about the rows that still stand there.
    await page.getByRole('grid').getByText('Item 00002').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('x');
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 2 that match' }).waitFor();
    await lookAt(page, 'collection-elsewhere');
    await page.keyboard.press('b');
    await page.getByRole('dialog').getByText('2 of them were selected under another filter').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Leave these out' }).click();
    await page.getByText('One selected').waitFor();
    // Where nothing is left out, all of it is shown.
    await visitor.go(`/collections/${id}`);
    await page.getByText('8 entities', { exact: true }).waitFor();
    expect(await page.getByText('under another filter').count()).toBe(0);
    await page.getByText('One selected').waitFor();
    await visitor.go(`/collections/${other.id}`);
    await page.getByRole('heading', { name: 'Others', level: 1 }).waitFor();
    await page.getByText('One selected').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('everything that matches is selected, changed together, and put back', async () => {
    const id = await seedItems(node, 160);
    await visitor.go(`/collections/${id}?sort=label&where=[{"column":"properties.colour","op":"not","value":"white"}]`);
    await firstLabel().waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 120 that match' }).click();
    await page.getByText('120 selected').waitFor();
    await page.getByRole('checkbox', { name: 'Clear the selection' }).click();
    await page.getByText('120 selected').waitFor({ state: 'detached' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('120 selected').waitFor();
    await pictureOf(page, 'collection-everything');

    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Property').fill('colour');
    await dialog.getByLabel('Value').fill('violet');
    await dialog.getByRole('button', { name: 'Set a property' }).click();
    await dialog.getByText('120 entities were changed', { exact: true }).waitFor({ timeout: 180_000 });
    await pictureOf(page, 'collection-bulk-done');
    const violet = async () => {
      const query = new URLSearchParams({ filter: '[{"column":"properties.colour","op":"is","value":"violet"}]' });
      const answer = await ask(node, operator(node), `GET /node/collections/${id}/table?${query}`);
      return answer.body as { total: number; rows: { id: string }[] };
    };
    expect((await violet()).total).toBe(120);
    // What somebody else has written since is left alone.
    const me = operator(node);
    const late = await read(node, me, (await violet()).rows[0]?.id ?? '');
    await update(node, me, late, { properties: { note: 'mine' } });
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('119 entities say again what they said before').waitFor({ timeout: 180_000 });
    await dialog.getByText('One was not changed').waitFor();
    expect((await violet()).rows.map((row) => row.id)).toEqual([late.id]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('120 selected').waitFor();
    await page.keyboard.press('b');
    await page.getByLabel('What to do').selectOption('Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText(/left as (?:it was|they were)\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText(/says? again what/).waitFor({ timeout: 180_000 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('120 entities', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what others write appears by itself', async () => {
    const id = await seedItems(node, 3);
    await visitor.go(`/collections/${id}`);
    await firstLabel().waitFor();
    const body = JSON.stringify({ type: 'item', collection: id, properties: { label: 'From afar' } });
    await page.evaluate(
      `fetch('/entities', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(body)} })`,
    );
    await page.getByRole('link', { name: 'From afar' }).waitFor();
    await page.getByText('4 entities').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
