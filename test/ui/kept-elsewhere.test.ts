import type { Page, Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('files for which another place is chosen', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let scans: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });
  beforeEach(async () => {
    me = operator(node);
    scans = await collection(node, me, { label: 'Scans' });
    await collection(node, me, { label: 'Others' });
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const choose = async (...names: string[]) => {
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
    await page.getByRole('heading', { name: /files?$/ }).waitFor();
  };
  const into = (label: string) => page.getByLabel('Into the collection').selectOption({ label });
  /** What lies in a collection: labels, with whether their bytes are there. */
  const filesIn = async (label: string) => {
    const { collections } = ok<{ collections: { id: string; label: string }[] }>(
      await ask(node, me, 'GET /node/collections'),
    );
    const id = collections.find((one) => one.label === label)?.id;
    const { entities } = ok<{ entities: { id: string }[] }>(await ask(node, me, `GET /collections/${id}/entities`));
    const all = await Promise.all(entities.map((one) => read(node, me, one.id)));
    return all.map(({ properties }) => `${properties.label} ${properties.uploaded}`).sort();
  };
  /** Lets a request be done, and loses its answer. */
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };

  test('are kept once, and leave nothing empty behind, whichever answer was lost', async () => {
    await choose('recto.txt', 'verso.txt');
    await into('Scans');
    let made = 0;
    await page.route('**/entities', (route) => (++made === 2 ? lose(route) : route.continue()));
    await page.route('**/files/*/content', lose);
    await button('Keep 2 files').click();
    await page.getByText('2 are not kept yet.').waitFor();
    expect(await filesIn('Scans')).toEqual(['recto.txt true', 'verso.txt false']);
    await page.unrouteAll();
    await button('Choose another place').click();
    // The first is there after all.
    await page.getByRole('link', { name: 'recto.txt' }).waitFor();
    await into('Others');
    await button('Keep the file').click();
    await page.getByText('All 2 are kept.').waitFor();
    expect(await filesIn('Scans')).toEqual(['recto.txt true']);
    expect(await filesIn('Others')).toEqual(['verso.txt true']);
    expect(visitor.faults).toEqual([]);
  });

  test('stay where they are as long as the node cannot tell what has come', async () => {
    await choose('recto.txt');
    await into('Scans');
    let isAway = false;
    await page.route('**/*', (route) => {
      if (isAway) return route.abort('connectionrefused');
      if (!route.request().url().endsWith('/content')) return route.continue();
      isAway = true;
      return lose(route);
    });
    await button('Keep the file').click();
    await page.getByText('One is not kept yet.').waitFor();
    await button('Choose another place').click();
    await page.getByRole('main').getByRole('alert').getByText('The node does not answer.').waitFor();
    expect(await button('Choose another place').count()).toBe(1);
    await page.unrouteAll();
    await button('Choose another place').click();
    await page.getByText('It is kept.').waitFor();
    await lookAt(page, 'import-kept-after-all');
    expect(await filesIn('Scans')).toEqual(['recto.txt true']);
    expect(visitor.faults).toEqual([]);
  });

  test('stay with the entity that has them, though that was not answered', async () => {
    const letter = await create(node, me, { collection: scans.id, type: 'letter', properties: { label: 'To Ada' } });
    await choose('recto.txt');
    await page.getByRole('radio', { name: 'Attached to an entity that is there' }).check();
    await page.getByRole('combobox', { name: 'The entity' }).fill('To Ada');
    await page.getByRole('option', { name: /To Ada/ }).click();
    await page.route('**/entities/*/content?*', (route) =>
      route.request().method() === 'POST' ? lose(route) : route.continue(),
    );
    await button('Keep the file').click();
    await page.getByText('One is not kept yet.').waitFor();
    await button('Choose another place').click();
    await page.getByText('It is kept.').waitFor();
    expect(Object.keys((await read(node, me, letter.id)).properties.content as object)).toEqual(['recto.txt']);
    expect(visitor.faults).toEqual([]);
  });

  test('are said not to know the collections that there are, as long as nobody could be asked', async () => {
    await page.route('**/node/collections?*', (route) => route.abort('connectionreset'));
    await visitor.load('/import');
    await choose('recto.txt');
    const choice = page.getByLabel('Into the collection');
    await page.getByText('Which collections there are could not be asked for.').waitFor();
    await lookAt(page, 'import-targets-unknown', { asItIs: true });
    await page.unrouteAll();
    await button('Try again').click();
    await choice.locator('option', { hasText: 'Scans' }).waitFor({ state: 'attached' });
    expect(await page.getByText('could not be asked for').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
