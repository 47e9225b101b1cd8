import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { askToClose, describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('what is typed and not saved', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  let letter: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
    letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'To Ada', pages: 2, text: 'Dear Ada' },
    });
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const openLetter = async () => {
    await visitor.go(`/entities/${letter.id}`);
    await field('label').waitFor();
  };
  const focused = () => page.evaluate('document.activeElement.id');
  const label = async (id: string) => (await read(node, me, id)).properties.label;

  /** What the browser asks when the tab is to be closed, which it is not then. */
  const closing = () => askToClose(page);

  /** Holds back what is written until it is let go. */
  async function held(): Promise<{ begun: Promise<unknown>; letGo(): void }> {
    const answer = Promise.withResolvers<void>();
    const begun = page.waitForRequest((request) => request.method() === 'PUT');
    await page.route('**/*', async (route) => {
      if (route.request().method() === 'PUT') await answer.promise;
      await route.continue();
    });
    return { begun, letGo: answer.resolve };
  }

  /** Types a text, saves it, types on before that is answered, and saves that, too. */
  async function typesOn(name: string): Promise<void> {
    const { begun, letGo } = await held();
    await field(name).fill('Once');
    await page.keyboard.press('Control+s');
    await begun;
    await field(name).press('End');
    await page.keyboard.type(' more');
    const before = await focused();
    letGo();
    await page.getByText('Saved as version 2', { exact: true }).first().waitFor();
    expect(await field(name).inputValue()).toBe('Once more');
    expect(await focused()).toBe(before);
    // A save that has not come to its end begins no other one.
    await page.getByRole('button', { name: /^Save/, disabled: false }).first().waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    expect(await field(name).inputValue()).toBe('Once more');
  }

  test('while an entity is saved stays, in its field, and is saved next', async () => {
    await openLetter();
    await typesOn('label');
    expect(await focused()).toBe('p/label');
    expect((await read(node, me, letter.id)).properties).toMatchObject({ label: 'Once more', pages: 2 });
    expect(visitor.faults).toEqual([]);
  });

  test('and could not be saved or deleted leaves the focus at its button', async () => {
    await openLetter();
    const asked = Promise.withResolvers<void>();
    const refused = /^(PUT|DELETE)$/;
    await page.route('**/*', async (route) => {
      if (!refused.test(route.request().method())) return route.continue();
      await asked.promise;
      await route.abort();
    });
    const save = page.getByRole('button', { name: /^Save/ });
    const name = () => page.evaluate('document.activeElement.textContent');
    await field('label').fill('Once');
    await save.press('Enter');
    await expect.poll(name).not.toBe('Save');
    asked.resolve();
    await page
      .getByText(/^The node does not answer/)
      .first()
      .waitFor();
    await save.and(page.locator(':focus')).waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Delete');
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await remove.press('Enter');
    await page
      .getByRole('dialog')
      .getByText(/^The node does not answer/)
      .waitFor();
    await remove.and(page.locator(':focus')).waitFor();
    await page.unroute('**/*');
    await page.keyboard.press('Escape');
    expect(visitor.faults).toEqual([]);
  });

  test('while a processor or one’s own name is saved stays, and is saved next', async () => {
    const splitter = await klados(node, me, home.id, { label: 'Splitter' });
    await visitor.go(`/processors/${splitter.id}`);
    await typesOn('Label');
    expect(await label(splitter.id)).toBe('Once more');

    await page.unroute('**/*');
    await visitor.go('/settings');
    const { begun, letGo } = await held();
    await field('Name').fill('Ann');
    await page.keyboard.press('Enter');
    await begun;
    await field('Name').fill('Ann Lee');
    letGo();
    await page.getByText('Your name was saved', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save', disabled: false }).waitFor();
    expect(await field('Name').inputValue()).toBe('Ann Lee');
    await field('Name').press('Enter');
    await expect.poll(() => label(me.id)).toBe('Ann Lee');
    expect(visitor.faults).toEqual([]);
  });

  test('into a processor is not discarded while it is saved', async () => {
    const splitter = await klados(node, me, home.id, { label: 'Splitter' });
    await visitor.go(`/processors/${splitter.id}`);
    const { begun, letGo } = await held();
    await field('Label').fill('Divider');
    await page.keyboard.press('Control+s');
    await begun;
    await page.getByRole('button', { name: 'Discard', disabled: true }).waitFor();
    letGo();
    await page.getByText('Saved as version 2', { exact: true }).first().waitFor();
    expect(await label(splitter.id)).toBe('Divider');
    expect(visitor.faults).toEqual([]);
  });

  test('into a processor takes the place of nobody else’s version but when that is asked for', async () => {
    const made = { label: 'Splitter' };
    const each = {
      agents: await agent(node, me, home.id, made),
      kladoi: await klados(node, me, home.id, made),
      rhizai: await rhiza(node, me, home.id, made),
    };
    for (const [path, processor] of Object.entries(each)) {
      await visitor.go(`/processors/${processor.id}`);
      await field('Description').fill('Mine');
      const theirs = ok(
        await ask(node, me, `PUT /${path}/${processor.id}`, { expect_tip: processor.cid, label: 'Theirs' }),
      );
      await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor();
      await page.keyboard.press('Control+s');
      await page.getByText('Somebody else changed this in the meantime.').waitFor();
      expect(await field('Description').inputValue()).toBe('Mine');
      // Nor when it is only asked for again.
      const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
      await page.keyboard.press('Control+s');
      expect((await answered).status()).toBe(409);
      expect((await read(node, me, processor.id)).cid).toBe(theirs.cid);
      await page.getByRole('button', { name: 'Save mine on top', disabled: false }).click();
      const both = { label: 'Theirs', description: 'Mine' };
      await expect.poll(async () => (await read(node, me, processor.id)).properties).toMatchObject(both);
      await expect.poll(() => field('Label').inputValue()).toBe('Theirs');
    }
    expect(visitor.faults).toEqual([]);
  });

  test('and is no value yet stays: as JSON, when another version comes, and when the tab is closed', async () => {
    await openLetter();
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"label": "To Ada By');
    await page.getByText('First put right what cannot be saved.').waitFor();
    expect(await page.getByRole('button', { name: 'Edit as a form' }).isDisabled()).toBe(true);
    await update(node, me, letter, { properties: { pages: 3 } });
    await page.getByText('Somebody else has saved version 2').waitFor();
    expect(await text.inputValue()).toBe('{"label": "To Ada By');
    expect(await closing()).toBe('beforeunload');
    await text.fill('{"label": "To Ada Byron", "pages": 2, "text": "Dear Ada"}');
    await page.getByRole('button', { name: 'Edit as a form' }).click();
    expect(await field('label').inputValue()).toBe('To Ada Byron');
    expect(visitor.faults).toEqual([]);
  });

  test('and is no value yet counts no more once its field is gone', async () => {
    await openLetter();
    const fault = page.getByText('Something cannot be saved as it is');
    await field('pages').fill('-');
    await fault.waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await field('pages').inputValue()).toBe('2');
    await field('pages').fill('-');
    await fault.waitFor();
    await page.getByRole('button', { name: 'What to do with pages' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await fault.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).first().waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada', text: 'Dear Ada' });
    expect(visitor.faults).toEqual([]);
  });

  const question = () => page.getByRole('dialog', { name: 'Discard what you have typed?' });
  const answer = async (name: string) => {
    await question().getByRole('button', { name, exact: true }).click();
    await question().waitFor({ state: 'detached' });
  };
  const goToCollections = async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
  };
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });

  test('into an entity lets no screen be closed without a question, until it is discarded', async () => {
    await openLetter();
    await field('label').fill('To Ada, later');
    await goToCollections();
    await heading('Collections').waitFor();
    expect(await closing()).toBe('beforeunload');
    // Nor where the page is another one than that in which it was typed.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await heading('Collections').click();
    expect(await closing()).toBe('beforeunload');
    page.once('dialog', (dialog) => void dialog.accept());
    await openLetter();
    expect(await field('label').inputValue()).toBe('To Ada, later');
    await page.getByRole('button', { name: 'Discard' }).click();
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    expect(visitor.faults).toEqual([]);
  });

  test('is not written to the tab’s storage with each key, and is there when the page is loaded again', async () => {
    await openLetter();
    await page.evaluate(`{
      const write = Storage.prototype.setItem;
      window.writes = 0;
      Storage.prototype.setItem = function (...args) {
        if (args[0].startsWith('draft ')) window.writes++;
        return write.apply(this, args);
      };
    }`);
    const text = 'a text of forty letters, one key for each';
    await field('label').fill('');
    await field('label').pressSequentially(text);
    expect(await page.evaluate('window.writes')).toBeLessThan(text.length);
    await field('label').press('!');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    expect(await field('label').inputValue()).toBe(`${text}!`);
    // Nor does it come back once it is discarded.
    await field('label').press('End');
    await field('label').press('?');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.reload();
    await field('label').waitFor();
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('and too large for the tab’s storage is said to be so, and nothing older is taken for it', async () => {
    await openLetter();
    await field('text').fill('a beginning');
    const stored = () =>
      page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('draft ')).length");
    await expect.poll(stored).toBe(1);
    await page.evaluate(`{
      const write = Storage.prototype.setItem;
      Storage.prototype.setItem = function (name, value) {
        if (value.length > 2000) throw new DOMException('full', 'QuotaExceededError');
        return write.call(this, name, value);
      };
    }`);
    await field('text').fill('a long text '.repeat(1000));
    const said = page.getByText(/too large for what this browser keeps/);
    await said.waitFor();
    expect(await stored()).toBe(0);
    await lookAt(page, 'entity-draft-unkept', { known: true });
    // Elsewhere on the page it is there still.
    await visitor.go('/collections');
    await openLetter();
    await said.waitFor();
    await field('text').fill('a short text');
    await said.waitFor({ state: 'detached' });
    await expect.poll(stored).toBe(1);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(visitor.faults).toEqual([]);
  });

  test('and is let go as its screen is left lets Tab begin with the next one', async () => {
    // A screen that is loaded already is there before the question has gone.
    for (const path of ['/collections', '/processors', '/jobs']) await visitor.go(path);
    for (const way of ['Collections', 'Processors', 'Jobs']) {
      await visitor.go('/processors/new?kind=klados');
      await field('Label').fill('-');
      await page.getByRole('navigation').getByRole('link', { name: way, exact: true }).focus();
      await page.keyboard.press('Enter');
      await question().waitFor();
      await question().getByRole('button', { name: 'Discard' }).press('Enter');
      await heading(way).waitFor();
      await page.locator('#content:focus, #content :focus').waitFor();
    }
  });

  test('where it goes with its screen is asked for before that is left', async () => {
    const { id } = await rhiza(node, me, home.id, { label: 'Texts' });
    const splitter = await klados(node, me, home.id, { label: 'Splitter' });
    const screens: [string, string][] = [
      [`/processors/${id}`, 'Label'],
      [`/processors/${splitter.id}`, 'Description'],
      ['/processors/new?kind=rhiza', 'Label'],
      ['/processors/new?kind=klados', 'Label'],
      [`/process?processor=${splitter.id}`, 'Input as JSON'],
      [`/entities/${letter.id}`, 'pages'],
    ];
    for (const [path, name] of screens) {
      await visitor.go(path);
      await field(name).fill('-');
      await goToCollections();
      await question().waitFor();
      await answer('Keep it');
      expect(await field(name).inputValue()).toBe('-');
      expect(await closing()).toBe('beforeunload');
      await goToCollections();
      await answer('Discard');
      await heading('Collections').waitFor();
    }
    // The browser's own way back asks, too, and the address stays that of the screen.
    await visitor.go('/processors');
    await page.getByRole('link', { name: 'Splitter' }).click();
    await field('Description').fill('-');
    await page.evaluate('history.back()');
    await question().waitFor();
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/processors/${splitter.id}`);
    expect(await field('Description').inputValue()).toBe('-');
    await page.evaluate('history.back()');
    await answer('Discard');
    await heading('Processors').waitFor();
    // What was registered is not asked for.
    await visitor.go('/processors/new?kind=klados');
    await field('Label').fill('Reader');
    await field('Endpoint').fill('https://reader.test');
    await page.getByRole('button', { name: 'Register', disabled: false }).click();
    await heading('Reader').waitFor();
    await goToCollections();
    await heading('Collections').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('into a mapping is asked for before another screen or other files take its place', async () => {
    page.on('filechooser', () => undefined);
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles({ name: 'things.csv', mimeType: 'text/csv', buffer: Buffer.from('id,label\n1,One\n') });
    await page.getByText('One record.').waitFor();
    await field('Type of each record').fill('object');
    await goToCollections();
    await question().waitFor();
    await lookAt(page, 'unsaved');
    await answer('Keep it');
    expect(await field('Type of each record').inputValue()).toBe('object');
    await page.locator('main').getByRole('link', { name: 'Import' }).click();
    await answer('Keep it');
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File(['id,label'], 'other.csv', { type: 'text/csv' }));
      dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
    }`);
    await answer('Keep it');
    expect(await field('Type of each record').inputValue()).toBe('object');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: /created$/ }).waitFor();
    await goToCollections();
    await heading('Collections').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('keeps its field when somebody else saves another version, which is shown whole', async () => {
    await openLetter();
    await field('label').focus();
    const second = await update(node, me, letter, { properties: { pages: 3 } });
    await expect.poll(() => field('pages').inputValue()).toBe('3');
    expect(await focused()).toBe('p/label');
    // A field of one line would lose the lines of a text, and all after them with the next sign.
    await update(node, me, second, { properties: { text: 'Dear Ada,\nthank you' } });
    await expect.poll(() => field('text').inputValue()).toBe('Dear Ada,\nthank you');
    expect(visitor.faults).toEqual([]);
  });
});
