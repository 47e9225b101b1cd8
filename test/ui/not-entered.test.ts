import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { klados, rhiza } from '../helpers/processors.ts';
import { askToClose, describePage, onNewPage, type Visit } from './browser.ts';

describePage('what is typed and not entered', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
  });

  const takes = () => page.getByRole('combobox', { name: 'Takes: types' });
  const types = async (id: string) => ((await read(node, me, id)).properties.accepts as { types: string[] }).types;
  /** As a hand does, which does not know what cannot be pressed, and follows what moves on. */
  const press = async (name: string) => {
    const button = page.getByRole('button', { name, exact: true });
    await (await button.elementHandle())!.waitForElementState('stable');
    await button.click({ force: true });
  };
  const question = () => page.getByRole('dialog', { name: 'Discard what you have typed?' });

  test('into a list counts when it is left: it is saved, and asked for', async () => {
    const { id } = await klados(node, me, home.id, { label: 'Splitter' });
    await visitor.go(`/processors/${id}`);
    await takes().pressSequentially('map');
    expect(await askToClose(page)).toBe('beforeunload');
    expect(await takes().inputValue()).toBe('map');
    // By a shortcut, which leaves no field, and by a button, which cannot be pressed until then.
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2').first().waitFor();
    expect(await types(id)).toEqual(['file', 'map']);
    await page.keyboard.type('plan');
    await press('Save');
    await expect.poll(() => types(id)).toEqual(['file', 'map', 'plan']);
    // What is there already is not there twice.
    await takes().pressSequentially('plan');
    await page.getByRole('link', { name: 'Processors' }).first().click();
    await page.getByRole('heading', { name: 'Processors', level: 1 }).waitFor();
    await visitor.go(`/processors/${id}`);
    await takes().pressSequentially('letter');
    await page.getByRole('link', { name: 'Processors' }).first().click();
    await question().getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Remove letter' }).waitFor();
    // Enter takes what is typed also where nothing is offered any more, and saves nothing.
    await takes().pressSequentially('page');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove page' }).waitFor();
    expect(await types(id)).toEqual(['file', 'map', 'plan']);
    expect(visitor.faults).toEqual([]);
  });

  test('as the name of a step or of a property is saved by a shortcut, and asked for', async () => {
    const made = await rhiza(node, me, home.id, { label: 'Texts' });
    await visitor.go(`/processors/${made.id}`);
    await page.getByRole('button', { name: /^first/ }).click();
    await page.getByLabel('Name of the step').fill('begin');
    expect(await askToClose(page)).toBe('beforeunload');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2').first().waitFor();
    expect((await read(node, me, made.id)).properties).toMatchObject({ entry: 'begin', flow: { begin: {} } });

    const letter = await create(node, me, { type: 'letter', collection: home.id, properties: { pages: 2 } });
    await visitor.go(`/entities/${letter.id}`);
    await page.getByRole('button', { name: 'What to do with pages' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Rename').fill('sheets');
    expect(await askToClose(page)).toBe('beforeunload');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2').nth(1).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ sheets: 2 });
    // A name that is not added yet goes with the screen.
    await page.getByLabel('Name of a new property').fill('place');
    expect(await askToClose(page)).toBe('beforeunload');
    await page.getByRole('link', { name: 'Processors' }).first().click();
    await question().getByRole('button', { name: 'Keep it' }).click();
    expect(await page.getByLabel('Name of a new property').inputValue()).toBe('place');
    expect(visitor.faults).toEqual([]);
  });

  test('as the id of a collection that is to come is one of those', async () => {
    await using origin = await startNode();
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url }));
    for (let n = 0; n < 13; n++) await collection(node, me, { label: `More letters ${n}` });
    await visitor.go('/sync/remotes/museum');
    await page.getByLabel('Only these collections:').check();
    const scope = page.getByRole('combobox', { name: 'Add a collection, by its name or id' });
    await scope.fill(home.id);
    await press('Save what comes');
    await page.getByRole('button', { name: `Remove ${home.id}` }).waitFor();
    await page.getByRole('button', { name: 'Save what comes', disabled: false }).click();
    await expect
      .poll(async () => ok<{ collections: string[] }>(await ask(node, me, 'GET /node/remotes/museum')).collections)
      .toEqual([home.id]);
    // What a text is all of the name of comes first, however many newer names it is a part of.
    await page.getByRole('button', { name: `Remove ${home.id}` }).click();
    // As long as it is looked for, nobody says that there is none, and Enter is heard.
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await page.route(/\/node\/collections\?q=letters/, (route) => held.then(() => route.continue()));
    await scope.fill('letters');
    await scope.press('Enter');
    await page.getByRole('status').filter({ hasText: 'One moment…' }).first().waitFor();
    letGo();
    await page.getByRole('button', { name: `Remove ${home.id}` }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
