import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, read, update } from '../helpers/entities.ts';
import { type TestNode, temporaryFolder } from '../helpers/node.ts';
import {
  comingIn,
  describePage,
  lookAt,
  pictureOf,
  signIn,
  startPageNode,
  tidiedAfterEach,
  type Visit,
} from './browser.ts';
import { silence } from './silence.ts';

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describePage('an entity', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  let letter: Entity;
  let ann: Entity;
  let data: Awaited<ReturnType<typeof temporaryFolder>>;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    data = tidied(await temporaryFolder());
    node = tidied(await startPageNode({ data: data.path }));
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
    ann = await create(node, me, { type: 'person', collection: home.id, properties: { label: 'Ann Lee' } });
    await create(node, me, { type: 'person', collection: home.id, properties: { label: 'Bea Moss' } });
    letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: {
        label: 'To Ada',
        pages: 2,
        sealed: true,
        sent: '1843-07-10',
        languages: ['en', 'fr'],
        place: { town: 'Rye', land: 'England' },
        text: `Dear Ada,\n\n**thank you** for [Ann](arke:${ann.id}).\n\n<script>window.hacked = 1</script>`,
      },
      relationships: [{ predicate: 'author', peer: ann.id, peer_type: 'person', peer_label: 'Ann Lee' }],
    });
    visitor = tidied(await comingIn(node));
    page = visitor.page;
    await visitor.go(`/entities/${letter.id}`);
    await heading('To Ada').waitFor();
  });

  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const field = (name: string) => page.getByLabel(name, { exact: true });

  test('is edited in fields of its values’ kinds, related, and saved with a note when that is wanted', async () => {
    await page.getByRole('button', { name: 'Markdown preview' }).click();
    await page.locator('.prose strong').waitFor();
    await page.getByRole('list', { name: 'Refers to' }).getByText('Ann Lee').waitFor();
    await lookAt(page, 'entity');
    expect(await page.evaluate('window.hacked')).toBe(undefined);

    await page.keyboard.press('e');
    await field('label').fill('To Ada Lovelace');
    await field('pages').fill('-');
    await page.getByText('Something cannot be saved as it is').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await field('pages').fill('3');
    await field('sealed').uncheck();
    await field('sent').fill('1843-07-11');
    await field('town').fill('Deal');
    await page.getByRole('button', { name: 'Add an item' }).click();
    await page.getByLabel('Item 3', { exact: true }).fill('it');
    await page.getByRole('button', { name: 'What to do with text' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByLabel('Name of a new property').last().fill('shelf');
    await page.keyboard.press('Enter');
    await page.locator('[id="p/shelf"]:focus').waitFor();
    await page.keyboard.type('B 12');

    await field('Predicate').fill('recipient');
    await page.getByRole('combobox', { name: 'The other entity' }).fill('bea');
    await page.getByRole('option', { name: /Bea Moss/ }).waitFor();
    await page.keyboard.press('Enter');
    const added = page.getByText('recipient → Bea Moss is added below');
    await added.waitFor();
    await page.getByRole('button', { name: 'Remove Ann Lee' }).click();
    await page.getByLabel('Note').fill('Read again');
    await lookAt(page, 'entity-unsaved');
    expect((await read(node, me, letter.id)).ver).toBe(1);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    expect(await added.count()).toBe(0);

    const saved = await read(node, me, letter.id);
    expect(saved.properties).toEqual({
      label: 'To Ada Lovelace',
      pages: 3,
      sealed: false,
      sent: '1843-07-11',
      languages: ['en', 'fr', 'it'],
      place: { town: 'Deal', land: 'England' },
      shelf: 'B 12',
    });
    expect(saved.relationships.map(({ predicate, peer_label }) => [predicate, peer_label])).toContainEqual([
      'recipient',
      'Bea Moss',
    ]);
    expect(saved.relationships.map(({ predicate }) => predicate)).not.toContain('author');
    expect(visitor.faults).toEqual([]);
  });

  test('has relationships that say something of themselves, edited in fields or as JSON', async () => {
    await page.getByRole('button', { name: 'What the relationship to Ann Lee says' }).click();
    const dialog = page.getByRole('dialog', { name: 'author: Ann Lee' });
    await dialog.getByLabel('Name of a new property').fill('role');
    await page.keyboard.press('Enter');
    await page.locator('[id="relationship/role"]:focus').waitFor();
    await page.keyboard.type('copyist');
    await dialog.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = dialog.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"role": "copyist", "pages": [1,}');
    await dialog.getByText('This is no JSON yet: look at line 1, column 33.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Take over' }).isDisabled()).toBe(true);
    await lookAt(page, 'entity-relationship');
    await text.fill('{"role": "copyist", "pages": [1, 3]}');
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('role: copyist, pages: [1,3]').waitFor();
    expect((await read(node, me, letter.id)).ver).toBe(1);
    await page.getByRole('button', { name: 'Put Ann Lee back' }).waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    const author = async () =>
      (await read(node, me, letter.id)).relationships.find(({ predicate }) => predicate === 'author');
    expect((await author())?.properties).toEqual({ role: 'copyist', pages: [1, 3] });

    // Another one takes its place whole; what is said no more is gone.
    await page.getByRole('button', { name: 'What the relationship to Ann Lee says' }).click();
    await dialog.getByRole('button', { name: 'What to do with pages' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await author())?.properties).toEqual({ role: 'copyist' });
    expect(visitor.faults).toEqual([]);
  });

  test('is edited as JSON, where what is none is said and not saved', async () => {
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"label": "To Ada",}');
    await page.getByText('This is no JSON yet: look at line 1, column 20.').waitFor();
    await text.fill('{"label": "Of Ada", "list": [1, {"a": null}]}');
    await lookAt(page, 'entity-json');
    // At 200 % there is less room than the screen wants.
    await page.setViewportSize({ width: 680, height: 425 });
    await expect
      .poll(async () => (await page.getByRole('button', { name: 'Save' }).boundingBox())?.y)
      .toBeLessThan(390);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'Of Ada', list: [1, { a: null }] });
    expect(visitor.faults).toEqual([]);
  });

  test('that somebody else changed meanwhile shows both sides, and saves both together', async () => {
    await field('label').fill('To Ada Byron');
    await field('pages').fill('4');
    await update(node, me, letter, { properties: { label: 'To Lady Ada', place: { land: 'Kent' } } });
    await page.getByText(/Somebody else has saved version 2/).waitFor();
    // What says so leaves in sight what is typed in.
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    const bottomOf = async (name: string) => {
      await field(name).focus();
      const { y = 0, height = 0 } = (await field(name).boundingBox()) ?? {};
      return y + height;
    };
    for (const [width, height] of [
      [640, 360],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const name of ['label', 'sent'])
        await expect
          .poll(async () => (await bottomOf(name)) <= ((await bar.boundingBox())?.y ?? 0), {
            message: `${name} at ${width}`,
          })
          .toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Somebody else was quicker' });
    await dialog.waitFor();
    await lookAt(page, 'entity-merge');
    await dialog.getByRole('radio', { name: 'label: theirs' }).check();
    await dialog.getByRole('button', { name: 'Save both together' }).click();
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({
      label: 'To Lady Ada',
      pages: 4,
      place: { town: 'Rye', land: 'Kent' },
    });
    expect(visitor.faults).toEqual([]);
  });

  test('that differs in hundreds of places shows the first of them, and more where they are asked for', async () => {
    const many = (text: string) => Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`n${i}`, text]));
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('textbox', { name: 'Edit as JSON' }).fill(JSON.stringify(many('mine')));
    await update(node, me, letter, { properties: many('theirs') });
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else was quicker' });
    await dialog.getByText('In 230 places both changed the same').waitFor();
    const radios = dialog.getByRole('radio', { name: / theirs$/ });
    expect(await radios.count()).toBe(200);
    const unseen = dialog.getByText('30 places that both changed are not shown above: yours is saved there.');
    await unseen.waitFor();
    await pictureOf(page, 'merge-of-hundreds');
    await dialog.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect.poll(() => radios.count()).toBe(230);
    expect(await unseen.count()).toBe(0);
    await dialog.locator('tr:focus', { hasText: 'n200' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('that names what is not known here asks for that once, however often it is looked at', async () => {
    const id = '01J0000000000000000000000Z';
    await update(node, me, letter, { properties: { text: `[Bea](arke:${id})` } });
    let asked = 0;
    page.on('request', (request) => request.url().endsWith(`${id}/preview`) && asked++);
    await visitor.load(`/entities/${letter.id}`);
    for (let looks = 0; looks < 3; looks++) {
      await page.getByRole('link', { name: id }).waitFor();
      await visitor.go('/collections');
      await visitor.go(`/entities/${letter.id}`);
    }
    await page.getByRole('link', { name: id }).waitFor();
    expect(asked).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('keeps what was typed when the node is killed, says what happened, and saves it afterwards', async () => {
    await field('label').fill('To Ada, unsent');
    const { port } = new URL(node.url);
    await node[Symbol.asyncDispose]();
    await page.keyboard.press('Control+s');
    await page.getByText('The node does not answer. What you have typed is still here').waitFor();
    await lookAt(page, 'entity-node-gone', { asItIs: true });
    expect(await field('label').inputValue()).toBe('To Ada, unsent');

    node = tidied(await startPageNode({ data: data.path, env: { ARCHEION_PORT: port } }));
    await page.getByText('You are no longer signed in.', { exact: true }).waitFor();
    const other = await page.context().newPage();
    await signIn(other, node);
    await page.getByText('You are no longer signed in.', { exact: true }).waitFor({ state: 'detached' });
    expect(await field('label').inputValue()).toBe('To Ada, unsent');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties.label).toBe('To Ada, unsent');
  });

  test('keeps what was typed while one looks elsewhere, and when the page is loaded again', async () => {
    await field('label').fill('To Ada, later');
    await page.getByRole('link', { name: 'Collections' }).first().click();
    await heading('Collections').waitFor();
    await page.goBack();
    expect(await field('label').inputValue()).toBe('To Ada, later');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Not saved').waitFor();
    expect(await field('label').inputValue()).toBe('To Ada, later');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await field('label').inputValue()).toBe('To Ada');
  });

  test('that is not there any more, as on a backup from before it, gives back what was typed', async () => {
    await field('label').fill('To Ada, unsaved');
    const { port } = new URL(node.url);
    await node[Symbol.asyncDispose]();
    node = tidied(await startPageNode({ env: { ARCHEION_PORT: port } }));
    page.on('dialog', (dialog) => void dialog.accept());
    await signIn(page, node);
    await visitor.load(`/entities/${letter.id}`);
    await page.getByText('There is no such thing on this node.').waitFor();
    const text = page.getByLabel('What you have typed and not saved');
    expect(JSON.parse(await text.inputValue()).properties).toMatchObject({ label: 'To Ada, unsaved', pages: 2 });
    await lookAt(page, 'entity-missing-typed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await text.waitFor({ state: 'detached' });
  });

  test('shows its versions, any two side by side, and is deleted and restored', async () => {
    const second = await update(node, me, letter, { properties: { text: 'Dear Ada, thank you very much for Ann.' } });
    await update(node, me, second, { properties: { pages: 5 }, note: 'Counted' });
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('region', { name: 'Comparison' }).getByText('pages').waitFor();
    await page.getByRole('radio', { name: 'Compare from version 1' }).check();
    await page.locator('ins').first().waitFor();
    // From one difference to the next, by keys: those of the text, then the number.
    const differences = async (...presses: string[]) => {
      const said: string[] = [];
      for (const press of presses) {
        await page.keyboard.press(press);
        said.push(await page.locator('[data-difference]:focus').innerText());
      }
      return said;
    };
    await page.getByRole('heading', { level: 1 }).click();
    const [begun = '', next = '', ...back] = await differences('n', 'n', 'p');
    expect(back).toEqual([begun]);
    expect(next).not.toBe(begun);
    const all = await differences(...Array.from({ length: 9 }, () => 'n'));
    expect(all.at(-1)).toBe(all.at(-2));
    await page.getByRole('row', { name: /pages/ }).locator('[data-difference]:focus').waitFor();
    await lookAt(page, 'history');
    await page.getByText(/In the node’s signed log, no\. \d/).waitFor();
    const [proof] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the proof' }).click(),
    ]);
    expect(JSON.parse(readFileSync(await proof.path(), 'utf8'))).toMatchObject({
      format: 'archeion/proof@v1',
      leaf: { pi: letter.id, ver: 3 },
    });
    const address = page.url();
    await page.goto(address);
    await page.locator('ins').first().waitFor();

    const first = page.getByRole('listitem').filter({ hasText: 'Version 1' });
    await first.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1' });
    await lookAt(page, 'history-restore');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored as version 4', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual(letter.properties);

    await page.getByRole('link', { name: 'Properties' }).click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await heading('Letters').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await lookAt(page, 'entity-deleted');
    // It is called what it was called.
    await heading('To Ada').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored as version 6', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).ver).toBe(6);
    // Her own is no other's.
    await update(node, me, ann, { relationships_add: [{ predicate: 'related_to', peer: ann.id }] });
    await page.getByRole('link', { name: 'Ann Lee' }).last().click();
    await heading('Ann Lee').waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('One relationship of another entity leads here.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('holds files that are attached, looked at and removed', async () => {
    const input = page.locator('input[type="file"]');
    await input.setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer: pixel });
    await page.getByText('page.png was attached', { exact: true }).waitFor();
    const evil = '<script>window.hacked = 1</script>';
    await input.setInputFiles({ name: 'evil.html', mimeType: 'text/html', buffer: Buffer.from(evil) });
    await page.getByText('evil.html was attached', { exact: true }).waitFor();
    const line = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await line('page.png').getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(() =>
        page
          .getByRole('img', { name: 'page.png' })
          .evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth),
      )
      .toBe(1);
    await line('evil.html').getByRole('button', { name: 'Show' }).click();
    await line('evil.html').locator('pre').getByText(evil).waitFor();
    await input.setInputFiles({ name: 'voice.wav', mimeType: 'audio/wav', buffer: silence(8000) });
    await page.getByText('voice.wav was attached', { exact: true }).waitFor();
    await line('voice.wav').getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(() =>
        line('voice.wav')
          .locator('audio')
          .evaluate((one: unknown) => (one as { duration: number }).duration),
      )
      .toBe(1);
    await input.setInputFiles({
      name: 'leaf.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
    });
    await page.getByText('leaf.pdf was attached', { exact: true }).waitFor();
    await line('leaf.pdf').getByRole('button', { name: 'Show' }).click();
    await line('leaf.pdf').locator('iframe[src^="blob:"]').waitFor();
    for (const name of ['voice.wav', 'leaf.pdf']) {
      // By a key: the browser gives a click just after a scroll to the frame of the PDF, where that stood before.
      await page.getByRole('button', { name: `Remove ${name}` }).press('Enter');
      await line(name).waitFor({ state: 'detached' });
    }
    await lookAt(page, 'entity-files');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save evil.html' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('evil.html');
    await page.getByRole('button', { name: 'Remove page.png' }).click();
    await line('page.png').waitFor({ state: 'detached' });
    expect(Object.keys((await read(node, me, letter.id)).properties.content as object)).toEqual(['evil.html']);
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });

  test('is read and edited at twice the size, on a page that is not wider than the window', async () => {
    await update(node, me, letter, { properties: { deep: { er: { still: { more: 'x' } } } } });
    await page.setViewportSize({ width: 640, height: 400 });
    const isNarrow = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    await field('more').waitFor();
    await field('label').fill('To Ada, large');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await lookAt(page, 'entity-large');
    expect(await isNarrow()).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    await visitor.go(`/entities/${letter.id}/history`);
    await page.getByText('Version 3').first().waitFor();
    await lookAt(page, 'history-large');
    expect(await isNarrow()).toBe(true);
    await visitor.go(`/collections/${home.id}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await lookAt(page, 'collection-large');
    expect(await isNarrow()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test('of hostile content shows harmlessly', async () => {
    const label = `\u202Eevil ${'long '.repeat(200_000)}`;
    const hostile = await create(node, me, {
      type: '<img src=x onerror=window.hacked=1>',
      collection: home.id,
      properties: {
        label,
        html: '<script>window.hacked = 1</script>\n<img src=x onerror="window.hacked=1">',
        link: '[click](javascript:window.hacked=1) and ![x](https://example.org/x.png)\n',
        ['__proto__']: 'x',
      },
    });
    await visitor.go(`/entities/${hostile.id}`);
    await field('html').waitFor();
    // A text of a million letters is opened by hand.
    await page.getByRole('button', { name: /Edit all of it/ }).waitFor();
    expect(await page.locator('textarea').count()).toBe(2);
    const preview = page.getByRole('button', { name: 'Markdown preview' }).first();
    await preview.click();
    await preview.click();
    await page.locator('.prose').last().waitFor();
    expect(await page.locator('.prose a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('.prose img, .prose script').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await visitor.go(`/collections/${home.id}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await lookAt(page, 'collection-hostile');
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });
});
