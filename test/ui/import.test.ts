import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection, create, read, update } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { type TestNode, temporaryFolder } from '../helpers/node.ts';
import { zipOf } from '../helpers/zip-files.ts';
import { describePage, lookAt, onNewPage, pictureOf, signedIn, startPageNode, type Visit } from './browser.ts';
import { artworksTable, seedItems } from './seed.ts';

describePage('import', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const heading = (name: string | RegExp) => page.getByRole('heading', { name });

  const choose = (name: string, content: string | Buffer) => chooseAll({ [name]: content });

  async function chooseAll(contents: Record<string, string | Buffer>): Promise<void> {
    // Before the screen is there the key does nothing.
    await heading(/^Import$/).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    const mimeType = 'application/octet-stream';
    await chooser.setFiles(
      Object.entries(contents).map(([name, content]) => ({ name, mimeType, buffer: Buffer.from(content) })),
    );
  }

  /** Chooses by its first letter, which may be typed before the page has read the last one. */
  async function select(label: string, letter: string, value: string): Promise<void> {
    const field = page.getByLabel(label, { exact: true });
    const pressed = async () => {
      await field.press(letter);
      return field.inputValue();
    };
    // What is typed within a second of the letter before is one word to the browser.
    await expect.poll(pressed, { interval: 1200 }).toBe(value);
  }

  /** By its keys, which do nothing before all that the import needs is known. */
  async function start(): Promise<void> {
    await page.locator('button[type="submit"]:enabled').last().waitFor();
    await page.keyboard.press('Control+Enter');
  }

  async function press(name: string | RegExp): Promise<void> {
    await page.getByRole('button', { name }).last().focus();
    await page.keyboard.press('Enter');
  }

  test('three hundred artworks of a table become entities, are looked at before, and taken back after, by keys alone', async () => {
    await visitor.go('/');
    await heading('Welcome').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await heading(/^Import$/).waitFor();
    await lookAt(page, 'import-choose');
    await choose('artworks.csv', await artworksTable(300));
    await page.getByText('300 records.').waitFor();
    await pictureOf(page, 'import-mapping');
    await expect.poll(() => page.getByLabel('Told apart by').inputValue()).toBe('acno');
    expect(await page.getByLabel('Label', { exact: true }).inputValue()).toBe('title');
    expect(await page.getByLabel('Type of each record').inputValue()).toBe('artwork');

    await select('Kind of dateText', 'n', 'number');
    await page
      .getByText(/which is not a number/)
      .first()
      .waitFor();
    await lookAt(page, 'import-refused');
    await select('Kind of dateText', 'a', '');
    await page
      .getByText(/which is not a number/)
      .first()
      .waitFor({ state: 'detached' });

    await select('What artist becomes', 'r', 'relationship');
    await select('What subjects becomes', 'r', 'relationship');
    await page.getByLabel('Predicate of subjects').fill('subject');
    await page.getByLabel('Type of what subjects leads to').fill('subject');
    await page.getByLabel('What separates several values in subjects').fill(';');
    await page.getByRole('listitem').getByText('subject', { exact: true }).first().waitFor();
    await page.getByLabel('Its name').fill('Works');
    await page.getByText('300 records.').waitFor();
    await lookAt(page, 'import-related');
    await start();
    await heading(/entities were created$/).waitFor();
    await pictureOf(page, 'import-done');
    const run = new URL(page.url()).searchParams.get('run');
    const on = importer(node);
    const state = (await on.ask('GET', `/node/imports/${run}/made`)).body as {
      made: number;
      import: { counts: { records: number; refused: number }; collection: { id: string } };
    };
    expect(state.import.counts).toMatchObject({ records: 300, refused: 0 });
    expect(state.made).toBeGreaterThan(300);

    await page.getByRole('link', { name: 'Open the collection' }).focus();
    await page.keyboard.press('Enter');
    await heading('Works').waitFor();
    await page.getByRole('button', { name: /^artwork 300$/ }).waitFor();
    const me = operator(node);
    const href = await page.locator('[aria-rowindex="2"] a').getAttribute('href');
    const touched = await read(node, me, href?.split('/').at(-1) ?? '');
    await update(node, me, touched, { properties: { checked: true } });

    await visitor.go(`/import?run=${run}`);
    await page.getByText('One was changed since', { exact: true }).waitFor();
    await lookAt(page, 'import-changed');
    await page.keyboard.press('u');
    const dialog = page.getByRole('dialog', { name: 'Undo this import?' });
    await dialog.getByText('One was changed since, and is therefore kept:').waitFor();
    await lookAt(page, 'import-undo');
    await press(/^Delete .* entities$/);
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await on.ask('GET', `/node/imports/${run}/made`)).body)
      .toMatchObject({ untouched: 0, changed: 1, deleted: state.made - 1 });
    expect((await on.entities(state.import.collection.id)).size).toBe(1);
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await heading('Earlier imports').waitFor();
    await lookAt(page, 'import-earlier');
    expect(visitor.faults).toEqual([]);
  });

  test('an import is stopped, and what had come by then is undone with its collection', async () => {
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const rows = (from: number) => Array.from({ length: 500 }, (_, i) => `${from + i},Thing ${from + i}\n`).join('');
    // The second file is on its way until the import is stopped.
    await page.route(/\/files\/more\.csv/, () => undefined);
    await chooseAll({ 'things.csv': `id,label\n${rows(0)}`, 'more.csv': `id,label\n${rows(500)}` });
    await page.getByText('500 records.').waitFor();
    await start();
    await page.getByText('500', { exact: true }).first().waitFor();
    await press('Stop');
    await heading('Broken off: 500 entities had been created').waitFor();
    await pictureOf(page, 'import-broken-off');
    const run = new URL(page.url()).searchParams.get('run');
    await press('Undo this import');
    await page.getByText('is deleted too').waitFor();
    await press(/^Delete .* entit/);
    await heading('Nothing of this import is left').waitFor();
    const on = importer(node);
    expect((await on.ask('GET', `/node/imports/${run}/made`)).body).toMatchObject({ untouched: 0, changed: 0 });
    expect(visitor.faults).toEqual([]);
  });

  test('an import is left only on purpose, says then that it was broken off, and goes on with the same files', async () => {
    const question = page.getByRole('dialog', { name: 'Stop the import?' });
    const leave = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await question.waitFor();
    };
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const rows = (from: number) => Array.from({ length: 50 }, (_, i) => `${from + i},Thing ${from + i}\n`).join('');
    const files = { 'things.csv': `id,label\n${rows(0)}`, 'more.csv': `id,label\n${rows(50)}` };
    await page.route(/\/files\/more\.csv/, () => undefined);
    await chooseAll(files);
    await page.getByText('50 records.').waitFor();
    await page.getByLabel('Its name').fill('Things');
    await start();
    await page.getByText('50', { exact: true }).first().waitFor();
    await leave();
    await question.getByRole('button', { name: 'Go on' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const told = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await leave();
    await question.getByRole('button', { name: 'Stop' }).click();
    expect((await told).status()).toBe(204);
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Things' }).waitFor();
    // Who has left it is not taken back.
    expect(new URL(page.url()).pathname).toBe('/ui/collections');

    await page.unroute(/\/files\/more\.csv/);
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    // The files are still chosen, so that they can be imported again at once.
    await page.getByText('50 records.').waitFor();
    await page.locator('main').getByRole('link', { name: 'Import' }).click();
    await page.getByRole('row', { name: /broken off/ }).waitFor();
    await page.getByRole('link', { name: 'things.csv', exact: true }).click();
    await heading('Broken off: 50 entities had been created').waitFor();
    await page.getByRole('button', { name: 'Import again' }).click();
    await heading(/^Import$/).waitFor();
    await chooseAll(files);
    await page.getByText('50 records.').waitFor();
    // What came by then lies in it: a new one would have all of it once more.
    expect(await page.getByLabel('Into the collection').locator('option:checked').innerText()).toBe('Things');
    await start();
    await heading('50 entities were created').waitFor();
    expect(await page.getByText('Broken off').count()).toBe(0);
    const [made] = [(await importer(node).ask('GET', '/node/imports')).body as { imports: object[] }];
    expect(made.imports).toMatchObject([
      { state: 'ended', counts: { created: 50, unchanged: 50 } },
      { state: 'broken_off', counts: { created: 50 } },
    ]);

    // What is imported next is something else, and may have the same numbers.
    await page.getByRole('button', { name: 'Import something else' }).click();
    await choose('theirs.csv', 'id,label\n1,Jug\n2,Bowl\n');
    await page.getByText('2 records.').waitFor();
    expect(await page.getByLabel('Into the collection').inputValue()).toBe('');
    expect(await page.getByLabel('Its name').inputValue()).toBe('theirs');
    expect(visitor.faults).toEqual([]);
  });

  test('an import whose collection went with its undo is imported again into a new one', async () => {
    const on = importer(node);
    const { id } = await on.start({
      collection: 'things',
      mapping: { records: [{ type: 'thing', id: 'id', label: 'label' }] },
    });
    await on.put(id, 'things.csv', 'id,label\n');
    await on.ask('DELETE', `/node/imports/${id}?ended=false`);
    const undone = await on.ask('POST', `/node/imports/${id}/undo`);
    expect(undone.text).toContain('"collection_deleted":true');

    await visitor.go(`/import?run=${id}`);
    await heading('Nothing of this import is left').waitFor();
    await page.getByRole('button', { name: 'Import something else' }).click();
    await choose('things.csv', 'id,label\n1,Vase\n2,Plate\n');
    await page.getByText('2 records.').waitFor();
    expect(await page.getByLabel('Its name').inputValue()).toBe('things');
    await start();
    await heading('2 entities were created').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a new collection is no other one of its name, which is said before anything is written', async () => {
    const taken = page.getByText('There is a collection of this name already');
    const begin = page.getByRole('button', { name: 'Import 2 records' });
    const into = page.getByLabel('Into the collection').locator('option:checked');
    const on = importer(node);
    const runs = async () => ((await on.ask('GET', '/node/imports')).body as { imports: { id: string }[] }).imports;
    const labels = async (name: string) => {
      const { collections } = (await on.ask('GET', '/node/collections')).body as {
        collections: { id: string; label: string }[];
      };
      const ids = collections.filter(({ label }) => label === name).map(({ id }) => id);
      expect(ids).toHaveLength(1);
      return [...(await on.entities(ids[0] ?? '')).keys()].sort();
    };
    await visitor.go('/import');
    await choose('objects.csv', 'id,label\n1,Vase\n2,Plate\n');
    await page.getByText('2 records.').waitFor();
    await start();
    await heading('2 entities were created').waitFor();

    // Another museum's, with the same name and numbers.
    const theirs = 'id,label\n1,Jug\n2,Bowl\n';
    await visitor.go('/import');
    await choose('objects.csv', theirs);
    await page.getByText('2 records.').waitFor();
    await taken.waitFor();
    expect(await begin.isDisabled()).toBe(true);
    await lookAt(page, 'import-name-taken');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Its name').fill('objects of B');
    await taken.waitFor({ state: 'detached' });
    await start();
    await heading('2 entities were created').waitFor();
    expect(await runs()).toHaveLength(2);
    expect([await labels('objects'), await labels('objects of B')]).toEqual([
      ['Plate', 'Vase'],
      ['Bowl', 'Jug'],
    ]);

    // Who means that one says so, and sees what is there.
    await visitor.go('/import');
    await choose('objects.csv', theirs);
    await press('Import into it');
    expect(await into.innerText()).toBe('objects');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SELECT');
    await page.getByText('is here already').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a new collection is none that has come to be since the page looked', async () => {
    const taken = page.getByText('There is a collection of this name already');
    await visitor.go('/import');
    await choose('objects.csv', 'id,label\n1,Jug\n2,Bowl\n');
    await page.getByText('2 records.').waitFor();
    await page.route(/\/node\/collections\?/, (route) => route.abort());
    const other = await collection(node, operator(node), { label: 'objects' });
    await page.getByRole('button', { name: 'Import 2 records', disabled: false }).click();
    await page.getByRole('alert').filter({ has: taken }).waitFor();
    const on = importer(node);
    expect((await on.ask('GET', '/node/imports')).body).toMatchObject({ imports: [] });
    expect((await on.entities(other.id)).size).toBe(0);
    await page.unroute(/\/node\/collections\?/);
    await create(node, operator(node), { type: 'note', properties: { label: 'Told of' } });
    await press('Back to the mapping');
    await press('Import into it');
    await page.getByRole('button', { name: 'Import 2 records', disabled: false }).click();
    await heading('2 entities were created').waitFor();
    expect((await on.entities(other.id)).size).toBe(2);
    expect(visitor.faults).toEqual([]);
  });

  test('an import that fails on its way goes on into the collection that it made', async () => {
    await visitor.go('/import');
    await choose('things.csv', 'id,label\n1,One\n2,Two\n');
    await page.getByText('2 records.').waitFor();
    await page.route(/\/files\/things\.csv/, (route) => route.abort('connectionreset'));
    await start();
    await page.getByText('The node does not answer.').waitFor();
    await page.unroute(/\/files\/things\.csv/);
    await press('Back to the mapping');
    await expect
      .poll(() => page.getByLabel('Into the collection').locator('option:checked').innerText())
      .toBe('things');
    await page.getByRole('button', { name: 'Import 2 records', disabled: false }).click();
    await heading('2 entities were created').waitFor();
    const { collections } = (await importer(node).ask('GET', '/node/collections')).body as { collections: object[] };
    expect(collections).toHaveLength(1);
    expect(visitor.faults).toEqual([]);
  });

  test('an archive that is being verified is left only on purpose', async () => {
    await page.route(/\/node\/import-car/, () => undefined);
    await visitor.go('/import');
    await choose('items.car', 'not yet looked at');
    await heading(/^items\.car .*bytes/).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sending and verifying…').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    const question = page.getByRole('dialog', { name: 'Stop verifying the archive?' });
    await question.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Sending and verifying…').waitFor();
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/node/import-car'));
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await question.getByRole('button', { name: 'Stop' }).click();
    await ended;
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what an import does not keep is told', async () => {
    await visitor.go('/import');
    await choose('twice.csv', 'id,label\n1,Zebra\n1,Wool\n2,Yak\n');
    await page.getByText('3 records.').waitFor();
    await page.getByLabel('Told apart by').selectOption('id');
    await start();
    await heading('In one place a record says something that is not kept').waitFor();
    await page.getByText('twice.csv, line 3: another record with the id of an earlier one: label').waitFor();
    await lookAt(page, 'import-differing');
    expect(visitor.faults).toEqual([]);
  });

  test('a table of a spreadsheet is read in what it seems to be written in, which is said and can be changed', async () => {
    await visitor.go('/import');
    await choose('works.csv', Buffer.from('Nummer;K\xfcnstler;Preis\r\n1;Anna M\xfcller;5 \x80\r\n', 'latin1'));
    await page.getByText(/is no Unicode text .* read as Western European/).waitFor();
    await page.getByText('Anna Müller').first().waitFor();
    await lookAt(page, 'import-encoding');
    const encoding = page.getByLabel('Text encoding');
    await encoding.selectOption('macintosh');
    await page.getByText('Anna M¸ller').first().waitFor();
    expect(await page.getByText(/is no Unicode text/).count()).toBe(0);
    await encoding.selectOption('windows-1252');
    await page.getByText('Anna Müller').first().waitFor();
    await page.getByLabel('Label', { exact: true }).selectOption('Künstler');
    await start();
    await heading('One entity was created').waitFor();
    await page.getByRole('link', { name: 'Open the collection' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Anna Müller' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('of several files each is read in what it is written in, and any of them can be looked at', async () => {
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const table = (name: string, encoding: 'latin1' | 'utf8') => Buffer.from(`Name\r\n${name}\r\n`, encoding);
    await chooseAll({
      'one.csv': table('Anna M\xfcller', 'latin1'),
      'two.csv': table('Bj\xf6rn', 'utf8'),
      'three.csv': table('Zo\xeb', 'latin1'),
    });
    await page.getByText('Anna Müller').first().waitFor();
    const file = page.getByLabel('File', { exact: true });
    await file.selectOption('two.csv: Unicode (UTF-8)');
    await page.getByText('Björn').first().waitFor();
    await lookAt(page, 'import-several-files');
    await file.selectOption('three.csv: Western European (Windows-1252, Latin-1)');
    await page.getByText('Zoë').first().waitFor();
    await page.getByLabel('Text encoding').selectOption('windows-1250');
    await file.selectOption('one.csv: Central European (Windows-1250)');
    await start();
    await heading('3 entities were created').waitFor();
    await page.getByRole('link', { name: 'Open the collection' }).focus();
    await page.keyboard.press('Enter');
    for (const name of ['Anna Müller', 'Björn', 'Zoë']) await page.getByRole('link', { name }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what is begun by keys before it is read begins once it is, and not where it was made another one by then', async () => {
    await visitor.go('/import');
    await choose('people.csv', Buffer.from('Name\r\nAnna M\xfcller\r\n', 'latin1'));
    await page.getByText('Anna Müller').first().waitFor();
    let held = Promise.withResolvers<void>();
    await page.route('**/node/imports/preview', async (route) => {
      await held.promise;
      await route.continue();
    });
    const soon = page.getByText('Begins as soon as the file is read');
    await page.getByLabel('Text encoding').selectOption('macintosh');
    await page.keyboard.press('Control+Enter');
    await soon.waitFor();
    await page.getByLabel('Its name').fill('People');
    await soon.waitFor({ state: 'detached' });
    held.resolve();
    await page.getByText('Anna M¸ller').first().waitFor();
    held = Promise.withResolvers<void>();
    await page.getByLabel('Text encoding').selectOption('windows-1250');
    await page.keyboard.press('Control+Enter');
    await soon.waitFor();
    await lookAt(page, 'import-begins-soon', { asItIs: true });
    held.resolve();
    await heading('One entity was created').waitFor();
    await page.unroute('**/node/imports/preview');
    await page.getByRole('link', { name: 'Open the collection' }).click();
    await heading('People').waitFor();
    await page.getByRole('link', { name: 'Anna Müller' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a table that was put right and is chosen again is looked at anew', async () => {
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const rows = Array.from({ length: 20 }, (_, i) => `W-${i},A work of its own,`);
    const table = (last: string) => ['no,title,bought', ...rows, `W-20,The last one,${last}`].join('\n');
    const use = page.getByLabel('What bought becomes');
    await choose('works.csv', table(''));
    await use.waitFor();
    expect(await use.inputValue()).toBe('none');
    await page.getByRole('link', { name: 'Import', exact: true }).last().click();
    await page.getByRole('heading', { name: 'works.csv' }).waitFor({ state: 'detached' });
    await choose('works.csv', table('at an auction'));
    await use.waitFor();
    expect(await use.inputValue()).toBe('property');
    await start();
    await heading('21 entities were created').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a mapping stays while its table is saved anew, and while the node does not answer', async () => {
    await using folder = await temporaryFolder();
    const table = join(folder.path, 'works.csv');
    await writeFile(table, 'id,label\n1,One\n');
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(table);
    await page.getByText('One record.').waitFor();
    const type = page.getByLabel('Type of each record');
    await type.fill('object');
    await page.getByText('object', { exact: true }).first().waitFor();
    const lookedAt = /imports\/preview$/;
    const another = () => create(node, operator(node), { type: 'note', properties: { label: 'Another one' } });

    await writeFile(table, 'id,label\n1,One\n2,Two\n');
    const again = page.waitForResponse(lookedAt);
    await another();
    await again;
    await page.waitForTimeout(500);
    expect(await type.inputValue()).toBe('object');

    await page.route(lookedAt, (route) => route.abort('connectionreset'));
    const failed = page.waitForEvent('requestfailed', (request) => lookedAt.test(request.url()));
    await another();
    await failed;
    await page.getByText('The node does not answer.').first().waitFor();
    expect(await type.inputValue()).toBe('object');

    await page.unroute(lookedAt);
    await another();
    await page.getByRole('button', { name: 'Import one record', disabled: false }).click();
    await page.getByText('This cannot be read: it is a folder, or the file is gone or has changed.').waitFor();
    await press('Back to the mapping');
    expect(await type.inputValue()).toBe('object');
    expect((await importer(node).ask('GET', '/node/imports')).body).toMatchObject({ imports: [] });
    expect(visitor.faults).toEqual([]);
  });

  test('what is in a file shows harmlessly, and a damaged one says where', async () => {
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const hostile = [
      { id: '1', label: '<script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'">' },
      { id: '2', label: `\u202Edesrever ${'x'.repeat(50_000)}`, link: 'javascript:alert(1)' },
      { id: '3', label: '', '__proto__ ': 'x', 'a\u202Eb': '=1+1' },
    ];
    await choose('hostile.ndjson', hostile.map((one) => JSON.stringify(one)).join('\n'));
    await page.getByText('3 records.').waitFor();
    await lookAt(page, 'import-hostile');
    expect(await page.title()).toBe('hostile.ndjson · Archeion');
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    await page.locator('main').getByRole('link', { name: 'Import' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Drop files here').waitFor();
    await choose('broken.csv', 'a,b\n1,2\n3,4,5\n');
    await page.getByText(/broken\.csv, line 3/).waitFor();
    await lookAt(page, 'import-broken');
    expect(visitor.faults).toEqual([]);
  });

  test('archives and other files come in too, and so does what is dropped on any screen', async () => {
    const id = await seedItems(node, 12);
    const me = operator(node);
    const archive = Buffer.from(
      await (await fetch(`${node.url}/node/export?collection=${id}`, { headers: me.headers })).arrayBuffer(),
    );
    await visitor.go('/import');
    await choose('items.car', archive);
    await heading(/^items\.car .*kB/).waitFor();
    await lookAt(page, 'import-archive');
    await page.keyboard.press('Control+Enter');
    await heading('items.car was taken in').waitFor();
    await lookAt(page, 'import-archive-done');
    // All of it was here before.
    expect(await page.getByRole('button', { name: 'Undo this import' }).isDisabled()).toBe(true);
    await using other = await startPageNode();
    await using elsewhere = await signedIn(other);
    const far = elsewhere.page;
    far.on('filechooser', () => undefined);
    await elsewhere.go('/import');
    await far.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([far.waitForEvent('filechooser'), far.keyboard.press('o')]);
    await chooser.setFiles({ name: 'items.car', mimeType: 'application/octet-stream', buffer: archive });
    await far.getByRole('heading', { name: /^items\.car .*kB/ }).waitFor();
    await far.keyboard.press('Control+Enter');
    await far.getByRole('heading', { name: 'items.car was taken in' }).waitFor();
    await far.getByRole('button', { name: 'Undo this import' }).waitFor();
    await far.keyboard.press('u');
    await far.getByRole('dialog').getByText('What the archive brought').waitFor();
    await pictureOf(far, 'import-archive-undo');
    await far.getByRole('button', { name: 'Delete 13 entities' }).focus();
    await far.keyboard.press('Enter');
    await far.getByRole('dialog').waitFor({ state: 'detached' });
    const { collections } = (await importer(other).ask('GET', '/node/collections')).body as { collections: unknown[] };
    expect(collections).toEqual([]);
    await far.getByRole('button', { name: 'Import something else' }).focus();
    await far.keyboard.press('Enter');
    await far.getByText('its own collections').waitFor();
    await pictureOf(far, 'import-archive-earlier');
    expect(elsewhere.faults).toEqual([]);

    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Items' }).waitFor();
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File(['Dear Ada,'], 'letter.txt', { type: 'text/plain' }));
      dispatchEvent(new DragEvent('dragover', { dataTransfer: files, bubbles: true, cancelable: true }));
      globalThis.dropped = files;
    }`);
    await page.getByText('Drop the files to import them').waitFor();
    await page.evaluate(
      "dispatchEvent(new DragEvent('drop', { dataTransfer: globalThis.dropped, bubbles: true, cancelable: true }))",
    );
    await heading('One file').waitFor();
    await page.getByLabel('Into the collection').selectOption({ label: 'Items' });
    await lookAt(page, 'import-file');
    await press('Keep the file');
    await page.getByRole('link', { name: 'letter.txt' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'letter.txt', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Save letter.txt' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a workbook says how its table comes in, and a ZIP that is no archive can be kept as a file', async () => {
    await seedItems(node, 1);
    await visitor.go('/import');
    await choose('works.xlsx', 'PK');
    await page.getByText('save that as CSV in the spreadsheet program').waitFor();
    await press('Cancel');
    await choose('scans.zip', await zipOf([['scan.tif', Buffer.from('bytes')]]));
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('neither a bag').waitFor();
    await press('Keep it as a file');
    await page.getByLabel('Into the collection').selectOption({ label: 'Items' });
    await press('Keep the file');
    await page.getByRole('link', { name: 'scans.zip' }).click();
    await page.getByRole('button', { name: 'Save scans.zip' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what a mapping file names and no record has is named', async () => {
    await visitor.go('/import');
    await choose('things.csv', 'id,label\n1,One\n');
    const nested = [{ path: 'plase', predicate: 'place', type: 'place' }];
    const buffer = Buffer.from(JSON.stringify({ records: [{ type: 'thing', label: 'titel', nested }] }));
    await page.getByLabel('Use a mapping file').setInputFiles({ name: 'm.json', mimeType: 'application/json', buffer });
    await page.getByText('The mapping is that of m.json.').waitFor();
    await page.getByLabel('Its name').fill('Things');
    await start();
    await heading('What the mapping names and no record has').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'records[0]' }).allInnerTexts()).toEqual([
      'titel (records[0].label)',
      'plase (records[0].nested[0].path)',
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test('a file that has changed while the one before it was imported is said to have changed', async () => {
    await using folder = await temporaryFolder();
    const paths = ['one.csv', 'two.csv'].map((name) => join(folder.path, name));
    for (const path of paths) await writeFile(path, 'id,label\n1,One\n');
    await visitor.go('/import');
    await heading(/^Import$/).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(paths);
    await page.getByLabel('Its name').fill('Things');
    await page.route('**/files/one.csv*', async (route) => {
      await writeFile(paths[1] ?? '', 'id,label\n2,Two, and more\n');
      await route.continue();
    });
    await start();
    await page.getByRole('alert').getByText('the file is gone or has changed').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
