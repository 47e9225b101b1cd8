import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

describePage('what is chosen to be imported', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(() => visitor.go('/'));

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const heading = (name: string | RegExp) => page.getByRole('heading', { name });
  /** Lets files go over the window, as `name: content` in Latin letters. */
  const drop = (contents: Record<string, string>) =>
    page.evaluate(`{
      const files = new DataTransfer();
      for (const [name, content] of Object.entries(${JSON.stringify(contents)}))
        files.items.add(new File([Uint8Array.from(content, (letter) => letter.charCodeAt(0))], name, { lastModified: 0 }));
      dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
    }`);
  const labels = async () => {
    const { collections } = ok<{ collections: { id: string; label: string }[] }>(
      await ask(node, operator(node), 'GET /node/collections'),
    );
    const found = await Promise.all(
      collections.map(async ({ id, label }) => {
        const { entities } = ok<{ entities: { label: string }[] }>(
          await ask(node, operator(node), `GET /collections/${id}/entities`),
        );
        return [label, entities.map((one) => one.label).sort()] as const;
      }),
    );
    return Object.fromEntries(found);
  };

  test('once more after it was taken back is taken in once more', async () => {
    await using other = await startNode();
    const id = await seedItems(other, 3);
    const { headers } = operator(other);
    const answer = await fetch(`${other.url}/node/export?collection=${id}`, { headers });
    const archive = { 'items.car': Buffer.from(await answer.arrayBuffer()).toString('latin1') };
    const takeIn = async () => {
      await drop(archive);
      await heading(/^items\.car .*(bytes|kB)$/).waitFor();
      await page.keyboard.press('Control+Enter');
      await heading('items.car was taken in').waitFor();
    };
    await takeIn();
    await page.keyboard.press('u');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await labels()).toEqual({});
    await takeIn();
    // It is done with then, and not offered to whoever comes back.
    await page.getByRole('link', { name: 'Collections', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('Drop files here').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('and kept is not kept once more by who looks at it and comes back', async () => {
    await drop({ 'one.txt': '1', 'two.txt': '2' });
    await page.getByLabel('Its name').fill('Scans');
    await button('Keep 2 files').click();
    // Who leaves before that is asked first.
    await button('Import something else').waitFor();
    await page.getByRole('link', { name: 'one.txt' }).click();
    await page.getByRole('heading', { name: 'one.txt', level: 1, exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'two.txt' }).waitFor();
    expect(await button(/^Keep/).count()).toBe(0);
    await expect.poll(labels).toEqual({ Scans: ['one.txt', 'two.txt'] });
    await button('Import something else').click();
    await page.getByText('Drop files here').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('and kept in part is offered without what is kept by then', async () => {
    await page.route('**/files/*/content', (route) =>
      route.request().postData() === '2' ? route.abort('connectionreset') : route.continue(),
    );
    await drop({ 'one.txt': '1', 'two.txt': '2' });
    await page.getByLabel('Its name').fill('Scans');
    await button('Keep 2 files').click();
    await page.getByText('One is not kept yet.').waitFor();
    await page.getByRole('link', { name: 'one.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'one.txt', level: 1, exact: true }).waitFor();
    await page.unroute('**/files/*/content');
    await page.goBack();
    await page.getByLabel('Into the collection').selectOption({ label: 'Scans' });
    await button('Keep the file').click();
    await page.getByRole('link', { name: 'two.txt' }).waitFor();
    await expect.poll(labels).toEqual({ Scans: ['one.txt', 'two.txt'] });
    expect(visitor.faults).toEqual([]);
  });

  test('while a table of that name and size is imported stops that, and is looked at', async () => {
    await page.route(/\/files\/things\.csv/, () => undefined);
    await drop({ 'things.csv': 'id,label\n1,One\n' });
    await page.getByText('One record.').waitFor();
    await page.keyboard.press('Control+Enter');
    await button('Stop').waitFor();
    const told = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await drop({ 'things.csv': 'id,label\n1,Two\n' });
    await page.getByRole('dialog', { name: 'Stop the import?' }).getByRole('button', { name: 'Stop' }).click();
    expect((await told).status()).toBe(204);
    await page.getByText('Two', { exact: true }).first().waitFor();
    await page.unroute(/\/files\/things\.csv/);
    await page.getByLabel('Its name').fill('Right');
    await page.getByRole('button', { name: /^Import one record/, disabled: false }).click();
    await heading('One entity was created').waitFor();
    expect((await labels()).Right).toEqual(['Two']);
    expect(visitor.faults).toEqual([]);
  });

  test('beside a file that was kept asks where all of it goes', async () => {
    await drop({ 'a.txt': '1' });
    await page.getByLabel('Its name').fill('First');
    await button('Keep the file').click();
    await page.getByRole('link', { name: 'a.txt' }).waitFor();
    await drop({ 'a.txt': '1', 'b.txt': '2' });
    await page.getByLabel('Its name').fill('Second');
    await button('Keep 2 files').click();
    await page.getByRole('link', { name: 'b.txt' }).waitFor();
    expect(await labels()).toEqual({ First: ['a.txt'], Second: ['a.txt', 'b.txt'] });
    expect(visitor.faults).toEqual([]);
  });
});
