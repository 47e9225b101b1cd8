import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import type { TestNode } from '../helpers/node.ts';
import { askToClose, describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('the report of an import', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const heading = (name: string | RegExp) => page.getByRole('heading', { name });
  const button = (name: string) => page.getByRole('button', { name }).last();
  const things = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `${from + i},Thing ${from + i}\n`).join('');

  /** Chooses files and imports them. */
  async function imported(contents: Record<string, string>): Promise<void> {
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(
      Object.entries(contents).map(([name, content]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })),
    );
    await page.getByLabel('Told apart by').selectOption('id');
    await page.getByLabel('Kind of pages').selectOption('number');
    await page.keyboard.press('Control+Enter');
  }

  const refusedTable = `id,label,pages\n${things(0, 3).replaceAll('\n', ',1\n')}3,Thing 3,many\n`;
  const why = () => page.getByText(/line 5: .*not a number/);

  test('says which records were refused and why, also on the way back to it', async () => {
    await imported({ 'things.csv': refusedTable });
    await why().waitFor();
    await page.getByRole('link', { name: 'Open the collection' }).click();
    await page.getByRole('link', { name: 'Thing 2' }).waitFor();
    await page.goBack();
    await why().waitFor();
    await lookAt(page, 'import-report-back');
    expect(visitor.faults).toEqual([]);
  });

  test('says so also where the page is loaded again, and elsewhere that it is not known', async () => {
    await imported({ 'things.csv': refusedTable });
    await why().waitFor();
    await page.reload();
    await heading('One record was refused').waitFor();
    await why().waitFor();
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await heading('One record was refused').waitFor();
    await page.getByText('Which ones was told only where the import ran').waitFor();
    expect(await why().count()).toBe(0);
    await lookAt(page, 'import-report-unknown');
    expect(visitor.faults).toEqual([]);
  });

  test('says so also where the page is loaded again while the import is at work', async () => {
    await page.route(/\/files\/more\.csv/, () => undefined);
    await imported({ 'things.csv': refusedTable, 'more.csv': refusedTable });
    await page.getByText('4', { exact: true }).first().waitFor();
    page.once('dialog', (asked) => void asked.accept());
    await visitor.load('/import');
    await page.getByRole('link', { name: 'things.csv', exact: true }).click();
    await why().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  /** Imports two files, of which the second never comes. */
  async function stopped(): Promise<void> {
    await page.route(/\/files\/more\.csv/, () => undefined);
    await imported({ 'things.csv': refusedTable, 'more.csv': refusedTable });
    await page.getByText('4', { exact: true }).first().waitFor();
    await button('Stop').click();
    await heading('Broken off: 3 entities had been created').waitFor();
  }

  test('says so also where the import is stopped', async () => {
    await stopped();
    await why().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is given also where the node could not be told that the import has ended', async () => {
    await page.route(/\/node\/imports\/[^/]+$/, (route) =>
      route.request().method() === 'DELETE' ? route.abort('connectionrefused') : route.continue(),
    );
    await imported({ 'things.csv': refusedTable });
    await why().waitFor();
    expect(await page.getByText('Broken off').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  const states = async () => {
    const { imports } = ok<{ imports: { state: string }[] }>(await ask(node, operator(node), 'GET /node/imports'));
    return imports.map(({ state }) => state);
  };

  test('is of an import that has ended for everybody, where it was stopped when all had come', async () => {
    const gate = Promise.withResolvers<void>();
    await page.route(/\/node\/imports\/[^/?]+$/, async (route) => {
      if (route.request().method() === 'DELETE') await gate.promise;
      // What the page has given up is not sent any more.
      await route.continue().catch(() => undefined);
    });
    const closing = page.waitForRequest((request) => request.method() === 'DELETE');
    await imported({ 'things.csv': refusedTable });
    await closing;
    await button('Stop').click();
    gate.resolve();
    await why().waitFor();
    expect(await page.getByText('Broken off').count()).toBe(0);
    await expect.poll(states).toEqual(['ended']);
    expect(visitor.faults).toEqual([]);
  });

  test('is of one that was broken off for everybody, also where the node is slow to say how far it was', async () => {
    await page.route(/\/files\/more\.csv/, () => undefined);
    await imported({ 'things.csv': refusedTable, 'more.csv': refusedTable });
    await page.getByText('4', { exact: true }).first().waitFor();
    await page.route(/\/node\/imports\/[^/?]+$/, (route) =>
      route.request().method() === 'GET' ? undefined : route.continue(),
    );
    await button('Stop').click();
    await expect.poll(states).toEqual(['broken_off']);
    expect(visitor.faults).toEqual([]);
  });

  test('is of nothing that is left, once one that made nothing but its collection was taken back', async () => {
    await page.route(/\/files\/more\.csv/, () => undefined);
    const withoutIds = `id,label,pages\n${',Thing,1\n'.repeat(7)}`;
    await imported({ 'things.csv': withoutIds, 'more.csv': withoutIds });
    await page.getByText('7', { exact: true }).first().waitFor();
    await button('Stop').click();
    await heading(/^Broken off/).waitFor();
    await button('Undo this import').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await heading('Nothing of this import is left').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is no longer said in the list of imports to be under way once it has ended, which moves nothing', async () => {
    const on = importer(node);
    const mapping = { records: [{ type: 'thing', id: 'id' }] };
    const { id } = await on.start({ collection: 'Things', mapping });
    await on.put(id, 'a.ndjson', '{"id": 1}\n');
    await visitor.go('/import');
    await page.getByText('under way').waitFor();
    // All that had moved before is known by now.
    await page.waitForResponse(/\/events\?/);
    await page.waitForResponse(/\/events\?/);
    await on.ask('DELETE', `/node/imports/${id}`);
    await page.getByText('under way').waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'a.ndjson' }).count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('says in the list of imports that one was broken off, until it was undone whole', async () => {
    await stopped();
    await visitor.go('/import');
    const line = page.getByRole('row').filter({ hasText: 'things.csv' });
    await line.getByText('broken off').waitFor();
    await line.getByRole('link').click();
    await button('Undo this import').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await heading('Nothing of this import is left').waitFor();
    await visitor.go('/import');
    await line.waitFor();
    await page.waitForLoadState('networkidle');
    expect(await line.getByText('broken off').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('has an undo that is stopped only on purpose, and asks nothing more once it has ended', async () => {
    await visitor.go('/');
    await imported({ 'things.csv': `id,label,pages\n${things(0, 40).replaceAll('\n', ',1\n')}` });
    await heading('40 entities were created').waitFor();
    await button('Undo this import').click();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/node\/imports\/[^/]+\/undo/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await dialog.getByRole('button', { name: /^Delete 40 entities/ }).click();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const question = page.getByRole('dialog', { name: 'Stop the undo?' });
    const goOn = async () => {
      await question.getByRole('button', { name: 'Go on' }).click();
      await question.waitFor({ state: 'detached' });
    };
    // None of these ends it.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await lookAt(page, 'import-undo-stop', { asItIs: true });
    await goOn();
    await page.evaluate('history.back()');
    await goOn();
    expect(await askToClose(page)).toBe('beforeunload');
    await page.keyboard.press('Escape');
    await question.waitFor();
    gate.resolve();
    await heading('Nothing of this import is left').waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('stays, with an undo that is under way, while it cannot be fetched anew', async () => {
    await imported({ 'things.csv': `id,label,pages\n${things(0, 40).replaceAll('\n', ',1\n')}` });
    await heading('40 entities were created').waitFor();
    await button('Undo this import').click();
    await page.route(/\/node\/imports\/[^/]+\/undo/, () => undefined);
    await page.route(/\/node\/imports\/[^/]+\/made/, (route) =>
      route.fulfill({ status: 500, json: { error: 'Internal error' } }),
    );
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await dialog.getByRole('button', { name: /^Delete 40 entities/ }).click();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await create(node, operator(node), { type: 'letter', properties: { label: 'By somebody else' } });
    await page.getByText('The node could not do this.').waitFor();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    await page.unroute(/\/node\/imports\/[^/]+\/made/);
    await page.unroute(/\/node\/imports\/[^/]+\/undo/);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await button('Try again').click();
    await page.getByText('The node could not do this.').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });
});
