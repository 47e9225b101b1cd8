import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, read, remove, update } from '../helpers/entities.ts';
import { cidOf, put, uploaded } from '../helpers/files.ts';
import type { TestNode } from '../helpers/node.ts';
import { takenOver } from '../helpers/taken-over.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('while an entity is edited', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let letter: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const ann = await create(node, me, { type: 'person', collection: home.id, properties: { label: 'Ann Lee' } });
    letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'To Ada', pages: 2, text: 'Dear Ada' },
      relationships: [
        {
          predicate: 'author',
          peer: ann.id,
          peer_type: 'person',
          peer_label: 'Ann Lee',
          properties: { role: 'editor' },
        },
      ],
    });
    await visitor.go(`/entities/${letter.id}`);
    await field('label').waitFor();
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const deletedMeanwhile = () =>
    page.getByRole('region', { name: 'Unsaved changes' }).getByText(/^It was deleted meanwhile/);
  const versions = async () => (await read(node, me, letter.id)).ver;

  test('it is deleted as it was looked at, and no other version with it', async () => {
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.waitFor();
    await update(node, me, letter, { properties: { text: 'Dear Ada, once more' } });
    await dialog.getByText(/Meanwhile version 2 was saved/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await lookAt(page, 'entity-delete-overtaken');
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await field('text').inputValue()).toBe('Dear Ada, once more');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted', { exact: true }).first().waitFor();
    expect((await ask(node, me, `GET /entities/${letter.id}`)).body).toMatchObject({ details: { deleted: true } });
  });

  test('it is said to be deleted already where somebody else was quicker with that', async () => {
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByLabel('Note').fill('A duplicate');
    await remove(node, me, letter);
    await dialog.getByText('It was deleted meanwhile.').waitFor();
    expect(await dialog.getByText('Meanwhile version').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test('nobody else is said to have deleted it where the answer to that was lost', async () => {
    await page.route('**/entities/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.fallback();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByLabel('Note').fill('A duplicate');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('There is nothing left to delete.').waitFor();
    expect(await dialog.getByText('Somebody else').count()).toBe(0);
  });

  test('what is typed comes back with it when its deletion is undone', async () => {
    await field('label').fill('To Ada Byron');
    await page.getByLabel('Note').fill('As she signed');
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByText('What is typed and not saved goes with it.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Not saved').waitFor();
    expect(await field('label').inputValue()).toBe('To Ada Byron');
    expect(await page.getByLabel('Note').inputValue()).toBe('As she signed');
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 4, properties: { label: 'To Ada Byron' } });
  });

  test('a remote that says the same by its own version is nobody who was quicker, nor in the way of an undo', async () => {
    await field('label').fill('To Ada Byron');
    const anew = page.waitForResponse((answer) => new URL(answer.url()).pathname === `/entities/${letter.id}`);
    await takenOver(node, letter.id);
    await anew;
    await page.getByText('Somebody else has saved').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await takenOver(node, letter.id);
    await page.getByRole('button', { name: 'Undo' }).click();
    await field('label').waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 3, properties: { label: 'To Ada Byron' } });
  });

  test('and somebody else deletes it, what is typed waits for the way back, or is discarded', async () => {
    await field('label').fill('To Ada Byron');
    await remove(node, me, letter);
    await deletedMeanwhile().waitFor();
    await lookAt(page, 'entity-gone-typed');
    await button('Restore').click();
    await page.getByText('Restored as version 3', { exact: true }).waitFor();
    await deletedMeanwhile().waitFor({ state: 'detached' });
    // It says what was edited: there is nothing to merge.
    expect(await page.getByText(/Somebody else has saved/).count()).toBe(0);
    expect(await field('label').inputValue()).toBe('To Ada Byron');
    await remove(node, me, await read(node, me, letter.id));
    await deletedMeanwhile().waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    const told = page.getByText(/You had typed something that is not saved/);
    await told.waitFor();
    await lookAt(page, 'entity-gone-drafted');
    await button('Discard').click();
    await told.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: /^Restore/ }).waitFor();
    expect(await told.count()).toBe(0);
  });

  test('and somebody else deletes it right before it is saved, the way back is offered, and nothing that would do nothing', async () => {
    await page.route('**/entities/*', async (route) => {
      if (route.request().method() === 'PUT') await remove(node, me, letter);
      await route.continue();
    });
    await field('label').fill('To Ada Byron');
    await page.keyboard.press('Control+s');
    await deletedMeanwhile().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await button('Try again').waitFor({ state: 'detached' });
    await button('Restore').click();
    await deletedMeanwhile().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 4', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('and somebody else deletes it, what a relationship is to say stays where it is typed, and goes with it when it is back', async () => {
    const role = page.locator('[id="relationship/role"]');
    await button('What the relationship to Ann Lee says').click();
    await role.fill('copyist');
    await remove(node, me, letter);
    // Behind the dialog.
    await page.getByText(/^It was deleted meanwhile/).waitFor();
    await lookAt(page, 'entity-gone-stating', { asItIs: true });
    expect(await role.inputValue()).toBe('copyist');
    await button('Take over').click();
    await deletedMeanwhile().waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
    await page.keyboard.press('Control+s');
    await lookAt(page, 'entity-gone-editing');
    await button('Restore').click();
    await page.getByText('Restored as version 3', { exact: true }).waitFor();
    await deletedMeanwhile().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 4', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).relationships).toContainEqual(
      expect.objectContaining({ predicate: 'author', properties: { role: 'copyist' } }),
    );
    expect(visitor.faults).toEqual([]);
  });

  test('and somebody else deletes it, a name and a text that are no value yet stay, and are discarded only on purpose', async () => {
    await page.getByLabel('Name of a new property', { exact: true }).fill('place');
    await remove(node, me, letter);
    await deletedMeanwhile().waitFor();
    expect(await page.getByLabel('Name of a new property', { exact: true }).inputValue()).toBe('place');
    // Nothing is changed yet that a note could be about.
    expect(await field('Note').count()).toBe(0);
    await button('Discard').click();
    await page.getByText('Every version of it is still there.').waitFor();
    await page.getByRole('button', { name: /^Restore/ }).click();
    await button('Edit as JSON').click();
    await page.getByRole('textbox', { name: 'Edit as JSON' }).fill('{ "label": "To Ada Byr');
    await remove(node, me, await read(node, me, letter.id));
    await deletedMeanwhile().waitFor();
    expect(await page.getByRole('textbox', { name: 'Edit as JSON' }).inputValue()).toBe('{ "label": "To Ada Byr');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('dialog', { name: 'Discard what you have typed?' }).getByText('Keep it').click();
    await button('Discard').click();
    await page.getByText('Every version of it is still there.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('and saved, what is under way is not discarded', async () => {
    const answer = Promise.withResolvers<void>();
    await page.route('**/*', async (route) => {
      if (route.request().method() === 'PUT') await answer.promise;
      await route.continue();
    });
    await field('label').fill('To Ada Byron');
    const begun = page.waitForRequest((request) => request.method() === 'PUT');
    await page.keyboard.press('Control+s');
    await begun;
    await page.getByRole('button', { name: 'Discard', disabled: true }).waitFor();
    answer.resolve();
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
  });

  test('nothing is merged with what was not looked at, nor while a field holds no value', async () => {
    await field('label').fill('To Ada Byron');
    await field('pages').fill('2 or 3');
    const second = await update(node, me, letter, { properties: { label: 'To Lady Ada' } });
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else was quicker' });
    const take = dialog.getByRole('button', { name: 'Save both together' });
    await dialog.getByText(/Something stands in a field/).waitFor();
    expect(await take.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await field('pages').fill('3');
    await page.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByRole('radio', { name: 'label: theirs' }).check();
    await update(node, me, second, { properties: { label: 'To the Countess' } });
    await dialog.getByText(/Meanwhile somebody has saved another version/).waitFor();
    expect(await dialog.getByText('To Lady Ada').count()).toBe(1);
    expect(await take.isDisabled()).toBe(true);
    await lookAt(page, 'entity-merge-overtaken');
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await dialog.getByText('To the Countess').waitFor();
    expect(await dialog.getByRole('radio', { name: 'label: theirs' }).isChecked()).toBe(false);
    await take.click();
    await page.getByText('Saved as version 4', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({ label: 'To Ada Byron', pages: 3 });
  });

  test('the side is marked that is saved, also where the other one only has another order', async () => {
    const second = await update(node, me, letter, { properties: { place: { town: 'Rye', land: 'England' } } });
    await button('Edit as JSON').click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await expect.poll(() => text.inputValue()).toContain('Rye');
    const said = JSON.parse(await text.inputValue()) as { place: object };
    const turned = Object.fromEntries(Object.entries(said.place).reverse());
    await text.fill(JSON.stringify({ ...said, place: turned, pages: 3 }));
    await update(node, me, second, { properties: { place: { town: 'Hove' } } });
    await button('Compare').click();
    const row = page.getByRole('dialog').getByRole('row').filter({ hasText: 'Hove' });
    await row.waitFor();
    expect(await row.locator('.bg-good-soft').allInnerTexts()).toEqual([expect.stringContaining('Hove')]);
    await button('Save both together').click();
    await page.getByText('Saved as version 4', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({ pages: 3, place: { town: 'Hove' } });
  });

  test('what is said of a file’s own bytes is one choice, and no side’s is mixed with the other’s', async () => {
    const file = await uploaded(node, me, 'one');
    await put(node, me, file.id, 'other', 'the second');
    const now = await read(node, me, file.id);
    await visitor.go(`/entities/${file.id}`);
    await field('content_type').fill('text/csv');
    const bytes = { cid: cidOf('the second'), size: 10 };
    await update(node, me, now, { properties: bytes });
    await button('Compare').click();
    await page.getByRole('radio', { name: /theirs$/ }).check();
    await button('Save both together').click();
    await page.getByText(/^Version \d+ says all of it already/).waitFor();
    expect((await read(node, me, file.id)).properties).toMatchObject({ ...bytes, content_type: 'text/plain' });
  });

  test('what both wrote is not said to be saved once more', async () => {
    await field('label').fill('To Ada Byron');
    await update(node, me, letter, { properties: { label: 'To Ada Byron', pages: 3 } });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Save both together' }).click();
    await page.getByText('Version 2 says all of it already: nothing was left to save', { exact: true }).waitFor();
    expect(await versions()).toBe(2);
  });

  test('its note stays while one looks elsewhere, and goes with the version', async () => {
    await field('label').fill('To Ada Byron');
    await page.getByLabel('Note').fill('As she signed');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('region', { name: 'Comparison' }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Note').inputValue()).toBe('As she signed');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    const { cid } = await read(node, me, letter.id);
    const { body } = await ask(node, me, `GET /versions/manifest/${cid}`);
    expect(body).toMatchObject({ manifest: { ver: 2, note: 'As she signed' } });
    await field('label').fill('To Ada');
    expect(await page.getByLabel('Note').inputValue()).toBe('');
  });

  test('a file is attached and removed once, and nobody is said to have been quicker', async () => {
    await field('label').fill('To Ada Byron');
    await page
      .getByLabel('Attach a file')
      .setInputFiles({ name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('a scan') });
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await button('Save scan.txt').waitFor();
    expect(await page.getByText(/Somebody else/).count()).toBe(0);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({
      label: 'To Ada Byron',
      content: { 'scan.txt': {} },
    });
    await button('Remove scan.txt').dblclick();
    await button('Remove scan.txt').waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await versions()).toBe(4);
  });

  test('a file that comes or goes while its JSON is none yet stays so when that is saved', async () => {
    const attach = (name: string) =>
      page
        .getByLabel('Attach a file')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(`of ${name}`) });
    await attach('old.txt');
    await button('Save old.txt').waitFor();
    await button('Edit as JSON').click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    const before = await text.inputValue();
    const typed = before.replace('To Ada', 'To Ada Byron');
    await text.fill(typed.slice(0, -1));
    await attach('scan.txt');
    await button('Save scan.txt').waitFor();
    await button('Remove old.txt').click();
    await button('Remove old.txt').waitFor({ state: 'detached' });
    // What is typed stays as it was typed until it is whole.
    expect(await text.inputValue()).toBe(typed.slice(0, -1));
    await text.press('Control+End');
    await text.press('}');
    await expect.poll(() => text.inputValue()).toContain('scan.txt');
    expect(await page.getByText(/Somebody else/).count()).toBe(0);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 5', { exact: true }).waitFor();
    const { label, content } = (await read(node, me, letter.id)).properties as { label: string; content: object };
    expect([label, Object.keys(content)]).toEqual(['To Ada Byron', ['scan.txt']]);
    expect(visitor.faults).toEqual([]);
  });

  test('a file that had come before makes no version, and that of somebody else is not taken for one’s own', async () => {
    const attach = () =>
      page
        .getByLabel('Attach a file')
        .setInputFiles({ name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('a scan') });
    let count = 0;
    await page.route('**/entities/*/content?*', async (route) => {
      const isSent = route.request().method() === 'POST' && ++count === 1;
      if (isSent) await route.fetch();
      if (isSent) return route.abort('connectionreset');
      await update(node, me, await read(node, me, letter.id), { properties: { label: 'To Lady Ada' } });
      await route.continue();
    });
    await attach();
    await page.getByText('The node does not answer.').waitFor();
    await button('Save scan.txt').waitFor();
    await field('label').fill('To Ada Byron');
    await attach();
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await page.getByText(/Somebody else has saved version 3/).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a relationship that is there keeps what it says, and a predicate that is none makes no other', async () => {
    const choose = async (predicate: string) => {
      await field('Predicate').fill(predicate);
      await page.getByRole('combobox', { name: 'The other entity' }).fill('ann');
      await page.getByRole('option', { name: /Ann Lee/ }).click();
    };
    await choose('author');
    await page.getByText('author: Ann Lee is there already', { exact: true }).waitFor();
    await choose('Created by');
    await page.getByText(/A predicate has small letters/).waitFor();
    expect(await page.getByText('Not saved').count()).toBe(0);
    await button('Remove Ann Lee').click();
    await choose('author');
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    await choose('witness');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    const { relationships } = await read(node, me, letter.id);
    const said = relationships.map(({ predicate, properties }) => [predicate, properties]);
    expect(said).toEqual(
      expect.arrayContaining([
        ['author', { role: 'editor' }],
        ['witness', undefined],
      ]),
    );
    expect(said).not.toContainEqual(['related_to', undefined]);
  });

  test('what a relationship says is edited over the version in which it was read, also where it is gone by now', async () => {
    const [author] = letter.relationships.filter(({ predicate }) => predicate === 'author');
    const peer = author?.peer ?? '';
    const restate = async (role: string, meanwhile: object) => {
      await button('What the relationship to Ann Lee says').click();
      await page.locator('[id="relationship/role"]').fill(role);
      const now = await update(node, me, await read(node, me, letter.id), meanwhile);
      await page
        .getByText(new RegExp(`Version ${now.ver}\\b`))
        .first()
        .waitFor();
      await button('Take over').click();
      await page.getByText(new RegExp(`Somebody else has saved version ${now.ver}`)).waitFor();
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog', { name: 'Somebody else was quicker' }).waitFor();
      return now.ver;
    };
    const said = async () =>
      (await read(node, me, letter.id)).relationships.filter(({ predicate }) => predicate === 'author');

    const added = { predicate: 'author', peer, peer_type: 'person', peer_label: 'Ann Lee' };
    const ver = await restate('copyist', {
      relationships_remove: [{ predicate: 'author', peer }],
      relationships_add: [{ ...added, properties: { role: 'editor', page: 12 } }],
    });
    await button('Save both together').click();
    await page.getByText(`Saved as version ${ver + 1}`, { exact: true }).waitFor();
    expect((await said()).map(({ properties }) => properties)).toEqual([{ role: 'copyist', page: 12 }]);

    await restate('witness', { relationships_remove: [{ predicate: 'author', peer }] });
    await page.getByRole('radio', { name: /theirs$/ }).check();
    await button('Save both together').click();
    await page.getByText(/^Version \d+ says all of it already/).waitFor();
    expect(await said()).toEqual([]);
    // Nothing stands there for who only looked at it.
    expect(await page.getByText('Not saved').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('a relationship to what is deleted by now can say something else of itself', async () => {
    const [{ peer } = { peer: '' }] = letter.relationships.filter(({ predicate }) => predicate === 'author');
    await remove(node, me, await read(node, me, peer));
    await button('What the relationship to Ann Lee says').click();
    await page.locator('[id="relationship/role"]').fill('copyist');
    await button('Take over').click();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).relationships).toContainEqual(
      expect.objectContaining({ peer, properties: { role: 'copyist' } }),
    );
  });

  test('a field that holds no value yet keeps its name, and no name is given twice', async () => {
    const menu = async (name: string) => {
      await button(`What to do with ${name}`).click();
      return page.getByRole('menuitem', { name: 'Rename' });
    };
    await field('pages').fill('2 or 3');
    expect(await (await menu('pages')).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await field('pages').inputValue()).toBe('2 or 3');
    await field('pages').fill('3');
    await (await menu('pages')).click();
    await page.getByRole('textbox', { name: 'Rename' }).fill('text');
    await page.getByText('There is a property of this name already.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Rename' }).fill('leaves');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada', leaves: 3, text: 'Dear Ada' });
  });

  test('a name with blanks at its ends that is looked at stays as it is', async () => {
    await update(node, me, letter, { properties: { ' odd ': 1 } });
    await page.reload();
    await button('What to do with odd').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Rename' }).press('Enter');
    await page.getByRole('textbox', { name: 'Rename' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  test('what was asked for before it was saved is not shown after that', async () => {
    const [asked, saved, told] = Array.from({ length: 3 }, () => Promise.withResolvers<void>()) as [Gate, Gate, Gate];
    let isHeld = false;
    await page.route(`**/entities/${letter.id}`, async (route) => {
      if (isHeld || route.request().method() !== 'GET') return route.continue();
      isHeld = true;
      const response = await route.fetch();
      asked.resolve();
      await saved.promise;
      // Nobody may wait for it any more.
      await route.fulfill({ response }).catch(() => undefined);
      told.resolve();
    });
    await create(node, me, { type: 'letter', properties: { label: 'Another one' } });
    await asked.promise;
    // The next look at what has changed would set it right.
    await page.route('**/events?*', () => undefined);
    await field('label').fill('To Ada Byron');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    saved.resolve();
    await told.promise;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await field('text').fill('Dear Ada, once more');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({
      label: 'To Ada Byron',
      text: 'Dear Ada, once more',
    });
  });
});

type Gate = PromiseWithResolvers<void>;
