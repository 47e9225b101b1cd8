import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { askToClose, describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('a dialog', () => {
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

  const question = () => page.getByRole('dialog', { name: 'Discard what you have typed?' });
  const answer = async (name: string) => {
    await question().getByRole('button', { name, exact: true }).click();
    await question().waitFor({ state: 'detached' });
  };
  const beside = () => page.mouse.click(5, 5);
  /** Until what is there no longer moves what is to be pressed. */
  const goToCollections = async () => {
    await visitor.go('/collections');
    await page.getByRole('row').getByRole('link', { name: 'Letters' }).waitFor();
  };

  test('stays where its button is clicked twice, and keeps the focus where what is beside it is clicked', async () => {
    await visitor.go('/collections');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New collection' }).first().click();
    await dialog.waitFor();
    // The pointer is where it was.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    const name = dialog.getByRole('textbox').first();
    await name.fill('Maps');
    await beside();
    expect(await page.evaluate('document.activeElement.value')).toBe('Maps');
    await name.fill('');
    await beside();
    await dialog.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('so does the palette, and a click beside that closes it', async () => {
    await visitor.go('/collections');
    const palette = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Commands' }).click();
    await palette.waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.keyboard.type('graph');
    expect(await page.evaluate('document.activeElement.value')).toBe('graph');
    await beside();
    await palette.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('goes with what was typed into it only when that is wanted', async () => {
    const ann = await create(node, me, { type: 'person', collection: home.id, properties: { label: 'Ann Lee' } });
    const relationships = [{ predicate: 'author', peer: ann.id, peer_type: 'person', peer_label: 'Ann Lee' }];
    await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' }, relationships });
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('link', { name: 'To Ada' }).click();
    const open = page.getByRole('button', { name: 'What the relationship to Ann Lee says' });
    const dialog = page.getByRole('dialog', { name: 'author: Ann Lee' });
    await open.click();
    await dialog.getByLabel('Name of a new property').fill('role');
    await page.keyboard.press('Enter');
    const role = page.locator('[id="relationship/role"]');
    await role.fill('copyist');
    await beside();
    await page.keyboard.press('Escape');
    await lookAt(page, 'dialog-unsaved', { asItIs: true });
    await answer('Keep it');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await answer('Keep it');
    await page.evaluate('history.back()');
    await answer('Keep it');
    expect(await role.inputValue()).toBe('copyist');
    expect(await askToClose(page)).toBe('beforeunload');
    // A name that is being typed is given up by itself.
    await dialog.getByRole('button', { name: 'What to do with role' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog.getByLabel('Rename').fill('task');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Rename').waitFor({ state: 'detached' });
    await role.waitFor();
    await page.keyboard.press('Escape');
    await answer('Discard');
    await dialog.waitFor({ state: 'detached' });
    await open.click();
    await dialog.waitFor();
    await beside();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('copyist').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('gives the focus back to where it was, also where an item of a menu or the palette has opened it', async () => {
    const letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
    await visitor.go(`/entities/${letter.id}`);
    const label = page.getByLabel('label', { exact: true });
    await label.fill('To Ada Lovelace');
    ok(await ask(node, me, `PUT /entities/${letter.id}`, { expect_tip: letter.cid, properties: { pages: 3 } }));
    await page.keyboard.press('Control+s');
    const merge = page.getByRole('dialog', { name: 'Somebody else was quicker' });
    await merge.waitFor();
    await page.keyboard.press('Escape');
    await merge.waitFor({ state: 'detached' });
    await label.and(page.locator(':focus')).waitFor();
    // What is typed goes on there: none of it is a shortcut.
    await page.keyboard.type('he');
    expect(await label.inputValue()).toBe('To Ada Lovelacehe');

    const palette = page.getByRole('dialog', { name: 'Commands' });
    const chosen = async (part: string, ...keys: string[]) => {
      await page.keyboard.press('Control+k');
      await palette.waitFor();
      await page.keyboard.type(part);
      for (const key of keys) await page.keyboard.press(key);
      await palette.waitFor({ state: 'detached' });
    };
    await chosen('noth', 'Escape');
    await label.and(page.locator(':focus')).waitFor();
    const deletion = page.getByRole('dialog', { name: /^Delete/ });
    await chosen('delete', 'Enter');
    await deletion.waitFor();
    await page.keyboard.press('Escape');
    await deletion.waitFor({ state: 'detached' });
    await label.and(page.locator(':focus')).waitFor();
    // A command that moves the focus does.
    await chosen('relat', 'Enter');
    await page.getByRole('combobox', { name: 'The other entity' }).and(page.locator(':focus')).waitFor();

    await visitor.go(`/collections/${home.id}/members`);
    const menu = page.getByRole('button', { name: /^What to do with / }).first();
    const change = page.getByRole('menuitem', { name: 'Change role or end' });
    // The row may be drawn anew while its names come, and a key is lost with it.
    const opened = async () => {
      if (!(await change.isVisible())) await menu.press('Enter');
      return change.isVisible();
    };
    await expect.poll(opened, { interval: 500 }).toBe(true);
    await page.keyboard.press('Enter');
    const role = page.getByRole('dialog', { name: /^Role of / });
    await role.waitFor();
    await page.keyboard.press('Escape');
    await role.waitFor({ state: 'detached' });
    await menu.and(page.locator(':focus')).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('stays when Escape closes the list of a field in it', async () => {
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Label').fill('Readers');
    const who = dialog.getByRole('combobox', { name: 'Who is in it' });
    await who.fill('nobody at all');
    const list = dialog.getByRole('status');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    expect(await who.inputValue()).toBe('nobody at all');
    expect(await question().count()).toBe(0);
    await page.keyboard.press('Escape');
    await answer('Discard');
    await dialog.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('that shows a key this once is not closed before it was copied, but on purpose', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.go('/settings/keys');
    await page.getByRole('heading', { name: 'You have no keys' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Create', disabled: false }).click();
    const made = page.getByRole('dialog', { name: 'Your new key' });
    await made.waitFor();
    await beside();
    await page.keyboard.press('Escape');
    const asked = page.getByRole('dialog', { name: 'Close without the key?' });
    await lookAt(page, 'dialog-key', { asItIs: true });
    await asked.getByRole('button', { name: 'Back to the key' }).click();
    await asked.waitFor({ state: 'detached' });
    await made.getByRole('button', { name: 'Copy' }).click();
    await made.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await made.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('says nothing of what went wrong before it was closed', async () => {
    await page.route(/\/(?:collections|entities)$/, (route) =>
      route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
    );
    const fails = async (name: string) => {
      const dialog = page.getByRole('dialog', { name });
      const open = page.getByRole('button', { name }).first();
      await open.click();
      await dialog.getByLabel('Label', { exact: true }).fill('Maps');
      for (const _ of ['once', 'again']) {
        await dialog.getByRole('button', { name: 'Create', disabled: false }).click();
        await dialog.getByText('The node does not answer.').waitFor();
      }
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await open.click();
      await dialog.getByLabel('Label', { exact: true }).waitFor();
      expect(await dialog.getByText('The node does not answer.').count()).toBe(0);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await fails('New collection');
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('button', { name: 'New entity' }).first().click();
    await page.getByRole('dialog', { name: 'New entity' }).getByLabel('Type', { exact: true }).fill('letter');
    await page.keyboard.press('Escape');
    await fails('New entity');
    expect(visitor.faults).toEqual([]);
  });

  test('makes its thing once, as it was typed last, where the answer to that was lost', async () => {
    const lost = new Map<string, number>();
    await page.route(/\/(?:collections|entities)$/, async (route) => {
      const kind = (route.request().postDataJSON() as { type?: string } | null)?.type ?? 'collection';
      const count = (lost.get(kind) ?? 0) + 1;
      if (route.request().method() !== 'POST' || count > 2) return route.continue();
      lost.set(kind, count);
      await route.fetch();
      await route.abort('connectionreset');
    });
    const dialog = (name: string) => page.getByRole('dialog', { name });
    const label = (name: string) => dialog(name).getByLabel('Label', { exact: true });
    /** Loses two answers, one to each thing that is typed, before there is one. */
    const makeTwice = async (name: string, first: string, second: string) => {
      const press = () => dialog(name).getByRole('button', { name: 'Create', disabled: false }).click();
      for (const typed of [first, second]) {
        await label(name).fill(typed);
        const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
        await press();
        await failed;
        await dialog(name).getByText('The node does not answer.').waitFor();
      }
      await press();
      await dialog(name).waitFor({ state: 'detached' });
    };
    await goToCollections();
    await page.getByRole('button', { name: 'New collection' }).click();
    await makeTwice('New collection', 'Maps', 'Charts');
    await page.getByRole('heading', { name: 'Charts', level: 1 }).waitFor();
    const { collections } = ok<{ collections: { id: string; label: string }[] }>(
      await ask(node, me, 'GET /node/collections'),
    );
    expect(collections.map((one) => one.label).sort()).toEqual(['Charts', 'Letters']);

    const inside = async () => {
      const { entities } = ok<{ entities: { id: string }[] }>(
        await ask(node, me, `GET /collections/${home.id}/entities`),
      );
      const all = await Promise.all(entities.map(({ id }) => read(node, me, id)));
      return all.map(({ properties }) => properties.label).sort();
    };
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('button', { name: 'New entity' }).first().click();
    await dialog('New entity').getByLabel('Type', { exact: true }).fill('letter');
    await makeTwice('New entity', 'To Ada', 'To Bea');
    await page.getByRole('heading', { name: 'To Bea', level: 1 }).waitFor();
    expect(await inside()).toEqual(['To Bea']);

    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'New group' }).click();
    await makeTwice('New group', 'Readers', 'Writers');
    await expect.poll(inside).toEqual(['To Bea', 'Writers']);
    expect(visitor.faults).toEqual([]);
  });

  test.each([
    ['New entity', () => `/collections/${home.id}`, '**/entities', 'The entity was made'],
    ['New collection', () => '/collections', '**/collections', 'The collection was made'],
  ])('says what was made though it was closed before that: %s', async (name, address, request, said) => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(request, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      asked.resolve();
      await gate.promise;
      await route.continue();
    });
    await visitor.go(address());
    await page.getByRole('button', { name }).first().click();
    const dialog = page.getByRole('dialog', { name });
    if (name === 'New entity') await dialog.getByLabel('Type', { exact: true }).fill('letter');
    await dialog.getByLabel('Label', { exact: true }).fill('To Ada');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await asked.promise;
    await page.keyboard.press('Escape');
    await answer('Discard');
    await dialog.waitFor({ state: 'detached' });
    gate.resolve();
    await page.getByText(said, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'To Ada', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('says what was made though it was closed while an earlier try was taken back, and leaves that be', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/collections', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await page.unroute('**/collections');
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.route('**/entities/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      asked.resolve();
      await gate.promise;
      await route.continue();
    });
    const dialog = page.getByRole('dialog', { name: 'New collection' });
    const make = async (label: string) => {
      await dialog.getByLabel('Label', { exact: true }).fill(label);
      await dialog.getByRole('button', { name: 'Create', disabled: false }).click();
    };
    await visitor.go('/collections');
    await page.getByRole('button', { name: 'New collection' }).click();
    await make('Maps');
    await dialog.getByText('The node does not answer.').waitFor();
    await make('Charts');
    await asked.promise;
    await page.keyboard.press('Escape');
    await answer('Discard');
    await dialog.waitFor({ state: 'detached' });
    gate.resolve();
    await page.getByText('The collection was made', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New collection' }).click();
    await make('Plans');
    await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();
    const { collections } = ok<{ collections: { label: string }[] }>(await ask(node, me, 'GET /node/collections'));
    expect(collections.map(({ label }) => label).sort()).toEqual(['Charts', 'Letters', 'Plans']);
    expect(visitor.faults).toEqual([]);
  });

  test('cuts nothing off of what is pasted, and says what is too long', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const paste = async (text: string) => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('Control+v');
    };
    const sentence = (length: number) => 'All that is known of them. '.repeat(100).slice(0, length);
    await goToCollections();
    await page.getByRole('button', { name: 'New collection' }).click();
    const dialog = page.getByRole('dialog', { name: 'New collection' });
    await dialog.getByLabel('Label', { exact: true }).fill('Maps');
    const description = dialog.getByLabel('Description');
    await description.focus();
    await paste(sentence(2003));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText(/2000/).waitFor();
    expect(await description.inputValue()).toBe(sentence(2003));
    await description.fill(sentence(1999));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Maps', level: 1 }).waitFor();

    const letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
    await visitor.go(`/entities/${letter.id}`);
    await page.getByLabel('label', { exact: true }).fill('To Ada Lovelace');
    const note = page.getByLabel('Note');
    await note.focus();
    await paste(sentence(2500));
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    const { versions } = ok<{ versions: { note?: string }[] }>(await ask(node, me, `GET /versions/${letter.id}`));
    expect(versions[0]?.note).toBe(sentence(2500).trim());
    expect(visitor.faults).toEqual([]);
  });
});
