import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FileChooser, Page, Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { isEntityId as isIdOnPage, newEntityId } from '../../src/renderer/src/api/entity-id.ts';
import { cidOf } from '../../src/renderer/src/views/entity/files/cid-of.ts';
import { freeKey } from '../../src/renderer/src/views/entity/files/free-key.ts';
import { maxFileBytes } from '../../src/renderer/src/views/entity/files/refuse-unsendable.ts';
import { maxContentBytes } from '../../src/server/model/content.ts';
import { isEntityId, networkOf } from '../../src/server/model/ids.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove, update } from '../helpers/entities.ts';
import { declare, cidOf as nodesCidOf, put, send, uploaded } from '../helpers/files.ts';
import { type TestNode, temporaryFolder } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { silence } from './silence.ts';

test('the key of a file is its name, numbered where that is taken, and never too long', () => {
  expect(freeKey('scan.jpg', [])).toBe('scan.jpg');
  expect(freeKey('scan.jpg', ['scan.jpg'])).toBe('scan (2).jpg');
  expect(freeKey('scan.jpg', ['scan.jpg', 'scan (2).jpg'])).toBe('scan (3).jpg');
  expect(freeKey('README', ['README'])).toBe('README (2)');
  expect(freeKey('.profile', ['.profile'])).toBe('.profile (2)');
  const long = freeKey(`${'x'.repeat(200)}.jpg`, []);
  expect(long).toBe(`${'x'.repeat(124)}.jpg`);
  expect(freeKey(`${'x'.repeat(200)}.jpg`, [long])).toBe(`${'x'.repeat(120)} (2).jpg`);
});

test('the key of a file is a new one, and no half of a sign, whatever its name', () => {
  const name = fc.string({
    unit: fc.constantFrom('x', 'é', '🌊', '.', ' ', '('),
    minLength: 1,
    maxLength: 200,
    size: 'max',
  });
  fc.assert(
    fc.property(name, (one) => {
      const taken: string[] = [];
      for (let i = 0; i < 3; i++) {
        const key = freeKey(one, taken);
        expect([key.isWellFormed(), key.length > 0, key.length <= 128, taken.includes(key)]).toEqual([
          true,
          true,
          true,
          false,
        ]);
        taken.push(key);
      }
    }),
  );
});

test.each(['main', 'test'] as const)('an id that the page chooses is one of the network %s', (network) => {
  const ids = Array.from({ length: 100 }, () => newEntityId(network));
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect([isEntityId(id), networkOf(id)]).toEqual([true, network]);
});

test('the page takes for an id what the node does', () => {
  const id = '01J5ABCDEFGHJKMNPQRSTVWXYZ';
  const said = [id, `II${id.slice(2)}`, `F${id.slice(1)}`, `C${id.slice(1)}`, `O${id.slice(1)}`, id.slice(1), `${id}0`];
  expect(said.map(isIdOnPage)).toEqual([true, true, true, true, false, false, false]);
  expect(said.map(isIdOnPage)).toEqual(said.map(isEntityId));
});

test('the page gives bytes the CID that the node gives them', async () => {
  for (const bytes of ['', 'recto', 'x'.repeat(70_000)])
    expect(await cidOf(new Blob([bytes]))).toEqual({ cid: nodesCidOf(bytes) });
});

describePage('files of one name', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let letter: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });
  beforeEach(async () => {
    me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
  });

  const scan = (text: string) => ({ name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
  const saved = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Save ${name}`, exact: true }).click(),
    ]);
    return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
  };
  const keys = async () => Object.keys((await read(node, me, letter.id)).properties.content as object).sort();

  test('are all kept, on an entity’s own screen and where files are imported', async () => {
    await visitor.go(`/entities/${letter.id}`);
    const input = page.locator('input[type="file"]');
    await input.setInputFiles(scan('recto'));
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Attach a file', disabled: false }).waitFor();
    await input.setInputFiles(scan('verso'));
    await page.getByText('scan (2).txt was attached', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('listitem').getByText('scan.txt', { exact: true }).count()).toBe(2);
    expect(await saved('scan.txt')).toEqual(['scan.txt', 'recto']);
    expect(await saved('scan (2).txt')).toEqual(['scan.txt', 'verso']);

    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles([scan('flap'), scan('the seal')]);
    await attachBoth();
    await page.getByRole('button', { name: 'Import something else' }).waitFor();
    expect(await keys()).toEqual(['scan (2).txt', 'scan (3).txt', 'scan (4).txt', 'scan.txt']);
    expect(visitor.faults).toEqual([]);
  });

  /** Has the two files that were chosen kept with the letter. */
  const attachBoth = async () => {
    await page.getByRole('radio', { name: 'Attached to an entity that is there' }).check();
    const box = page.getByRole('combobox', { name: 'The entity' });
    await box.fill('to ada');
    await page.getByRole('option', { name: /To Ada/ }).waitFor();
    await box.press('Enter');
    await page.getByRole('button', { name: 'Keep 2 files', disabled: false }).click();
  };
  const openFiles = async (files: Parameters<FileChooser['setFiles']>[0]) => {
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles(files);
    await page.getByRole('heading', { name: /files?$/ }).waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  /** What lies in the collection of this name, which there is once: labels, with whether their bytes are there. */
  const filesIn = async (name: string) => {
    const { collections } = ok<{ collections: { id: string; label: string }[] }>(
      await ask(node, me, 'GET /node/collections'),
    );
    const found = collections.filter(({ label }) => label === name);
    expect(found).toHaveLength(1);
    const { entities } = ok<{ entities: { id: string }[] }>(
      await ask(node, me, `GET /collections/${found[0]?.id}/entities`),
    );
    const all = await Promise.all(entities.map(({ id }) => read(node, me, id)));
    return all.map(({ properties: { label, uploaded } }) => `${label} ${uploaded}`).sort();
  };

  test('that cannot be kept say why, and are tried again without a trace of the first time', async () => {
    await using folder = await temporaryFolder();
    const paths = ['one.txt', 'two.txt', 'three.txt', 'four.txt'].map((name) => join(folder.path, name));
    for (const path of paths) await writeFile(path, path);
    const fourth = paths[3] ?? '';
    await openFiles(paths);
    await page.getByLabel('Its name').fill('Scans');
    // As a folder: there is something of this name, which cannot be read.
    await rm(fourth);
    let count = 0;
    await page.route('**/files/*/content', async (route) => {
      count++;
      if (count === 2) return route.abort('connectionreset');
      // Kept, but the answer is lost.
      if (count === 3) await route.fetch();
      return count === 3 ? route.abort('connectionreset') : route.continue();
    });
    await button('Keep 4 files').click();
    await page.getByText('3 are not kept yet.').waitFor();
    const line = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await line('four.txt').getByText('This cannot be read: it is a folder').waitFor();
    await line('two.txt').getByText('The node does not answer.').waitFor();
    await lookAt(page, 'import-files-left');
    await writeFile(fourth, 'again');
    await button('Try again').click();
    await page.getByText('One is not kept yet.').waitFor();
    expect(await filesIn('Scans')).toEqual(['one.txt true', 'three.txt true', 'two.txt true']);

    const question = page.getByRole('dialog', { name: 'Leave without the rest?' });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await question.getByRole('button', { name: 'Stay' }).click();
    await page.getByText('One is not kept yet.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('are made once, whichever answer was lost', async () => {
    const lost = new Map<string, number>();
    await page.route('**/*', async (route) => {
      const request = route.request();
      const path = new URL(request.url()).pathname;
      const count = (lost.get(path) ?? 0) + 1;
      const isMade = request.method() === 'POST' && ['/collections', '/entities', '/files'].includes(path);
      if (!isMade || count > 1) return route.continue();
      lost.set(path, count);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await openFiles([scan('recto')]);
    await page.getByLabel('Its name').fill('Scans');
    await button('Keep the file').click();
    await page.getByText('The node does not answer.').first().waitFor();
    await button('Keep the file').click();
    await page.getByText('One is not kept yet.').waitFor();
    expect(await filesIn('Scans')).toEqual(['scan.txt false']);
    await button('Try again').click();
    await button('Import something else').waitFor();
    await button('Try again').waitFor({ state: 'detached' });
    expect(await filesIn('Scans')).toEqual(['scan.txt true']);
    expect(visitor.faults).toEqual([]);
  });

  test('are not left empty behind, where the answer to their making was lost', async () => {
    await page.route(/\/(?:entities|files)$/, async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await openFiles([scan('recto')]);
    await page.getByLabel('Its name').fill('Scans');
    await button('Keep the file').click();
    await page.getByText('One is not kept yet.').waitFor();
    expect(await filesIn('Scans')).toEqual(['scan.txt false']);
    await button('Import something else').click();
    await expect.poll(() => filesIn('Scans')).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  test('are attached once, where the answer was lost, and beside another of that name', async () => {
    let count = 0;
    await page.route('**/entities/*/content?*', async (route) => {
      if (route.request().method() !== 'POST' || ++count > 2) return route.continue();
      // The first is kept and not answered; of the second nothing comes but another file of its name and size.
      if (count === 1) await route.fetch();
      else await route.fetch({ postData: 'gules' });
      await route.abort('connectionreset');
    });
    await openFiles([scan('recto'), { ...scan('verso'), name: 'seal.txt' }]);
    await attachBoth();
    await page.getByText('2 are not kept yet.').waitFor();
    await button('Try again').click();
    await button('Try again').waitFor({ state: 'detached' });
    await button('Import something else').waitFor();
    expect(await keys()).toEqual(['scan.txt', 'seal (2).txt', 'seal.txt']);
    expect(visitor.faults).toEqual([]);
  });

  test('are attached beside one that came under their name while they were sent', async () => {
    await visitor.go(`/entities/${letter.id}`);
    let count = 0;
    await page.route('**/entities/*/content?*', async (route) => {
      if (route.request().method() === 'POST' && ++count < 3)
        await put(node, me, letter.id, newestKey(count), 'theirs');
      await route.continue();
    });
    const newestKey = (number: number) => (number === 1 ? 'scan.txt' : `scan (${number}).txt`);
    await page.locator('input[type="file"]').setInputFiles(scan('mine'));
    await page.getByText('scan (3).txt was attached', { exact: true }).waitFor();
    const held = async (key: string) =>
      (await ask(node, me, `GET /entities/${letter.id}/content?key=${encodeURIComponent(key)}`)).text;
    expect(await keys()).toEqual(['scan (2).txt', 'scan (3).txt', 'scan.txt']);
    expect(await Promise.all(['scan.txt', 'scan (2).txt', 'scan (3).txt'].map(held))).toEqual([
      'theirs',
      'theirs',
      'mine',
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test('are attached once to an entity on its screen, where the answer was lost', async () => {
    await visitor.go(`/entities/${letter.id}`);
    let count = 0;
    await page.route('**/entities/*/content?*', async (route) => {
      if (route.request().method() !== 'POST' || ++count > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    const input = page.locator('input[type="file"]');
    await input.setInputFiles(scan('recto'));
    await page.getByText('The node does not answer.').waitFor();
    await page.getByRole('button', { name: 'Attach a file', disabled: false }).waitFor();
    await input.setInputFiles(scan('recto'));
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    expect(await keys()).toEqual(['scan.txt']);
    // Once it is there, the same one again is another one.
    await page.getByRole('button', { name: 'Attach a file', disabled: false }).waitFor();
    await input.setInputFiles(scan('recto'));
    await page.getByText('scan (2).txt was attached', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('whose sending was broken off are said not to be here, until they come', async () => {
    const { id } = await declare(node, me, 'recto');
    await visitor.go(`/entities/${id}`);
    const awaited = page.getByRole('note').getByText('The file itself is not here');
    await awaited.waitFor();
    expect(await page.getByText('It has no files.').count()).toBe(0);
    await lookAt(page, 'files-awaited');
    ok(await send(node, me, id, 'recto'));
    await awaited.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save page.txt', exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('that are empty are shown as such, whether their entry says so or not', async () => {
    const { cid } = await put(node, me, letter.id, 'said.txt', '');
    const { properties } = await read(node, me, letter.id);
    const said = (properties.content as Record<string, object>)['said.txt'];
    const unsaid = Object.fromEntries(Object.entries(said ?? {}).filter(([name]) => name !== 'size'));
    await update(node, me, { id: letter.id, cid } as Entity, { properties: { content: { 'unsaid.txt': unsaid } } });
    await visitor.go(`/entities/${letter.id}`);
    const show = page.getByRole('button', { name: 'Show', exact: true });
    await show.first().waitFor();
    for (let left = await show.count(); left > 0; left--) await show.first().click();
    await expect.poll(() => page.locator('pre').count()).toBe(2);
    expect(await page.locator('pre').allInnerTexts()).toEqual(['', '']);
    expect(visitor.faults).toEqual([]);
  });

  test('of which there are hundreds are shown when they are asked for, or have just been attached', async () => {
    const { cid, content } = await put(node, me, letter.id, 'one.txt', 'one');
    const entries = Array.from({ length: 200 }, (_, i) => [
      i < 150 ? `n${i}.txt` : `and then ${i}.txt`,
      { cid: content.cid, content_type: 'text/plain' },
    ]);
    const properties = { content: Object.fromEntries(entries) };
    await update(node, me, { id: letter.id, cid } as Entity, { properties });
    await visitor.go(`/entities/${letter.id}`);
    const lines = () => page.getByRole('button', { name: /^Save / }).count();
    await expect.poll(lines).toBe(100);
    await page.locator('input[type=file]').setInputFiles(scan('last'));
    await page.getByRole('button', { name: 'Save scan.txt', exact: true }).waitFor();
    await page.getByText('and 101 more').waitFor();
    // By keys: who has shown more of them goes on at the first of those.
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect.poll(lines).toBe(202);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await page.locator('li:focus', { hasText: 'one.txt' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('of which only the beginning is shown are said to be so, also where their entry does not say how large they are', async () => {
    const { cid, content } = await put(node, me, letter.id, 'long.txt', 'x'.repeat(65_537));
    await update(node, me, { id: letter.id, cid } as Entity, {
      properties: { content: { 'unsaid.txt': { cid: content.cid, content_type: 'text/plain' } } },
    });
    await visitor.go(`/entities/${letter.id}`);
    const show = page.getByRole('button', { name: 'Show', exact: true });
    for (const left of [2, 1]) {
      await expect.poll(() => show.count()).toBe(left);
      await show.first().click();
    }
    await expect.poll(() => page.locator('pre').count()).toBe(2);
    expect(await page.getByText('This is its beginning').count()).toBe(2);
    expect(visitor.faults).toEqual([]);
  });

  test('that are refused where they were to go are kept elsewhere, without being chosen once more', async () => {
    const gone = await collection(node, me, { label: 'Gone' });
    await openFiles([scan('recto'), { ...scan('verso'), name: 'verso.txt' }]);
    await page.getByLabel('Into the collection').selectOption({ label: 'Gone' });
    await remove(node, me, gone);
    await button('Keep 2 files').click();
    await page.getByText('2 are not kept yet.').waitFor();
    await lookAt(page, 'import-files-refused');
    await button('Choose another place').click();
    await page.getByText('Attached to an entity that is there').click();
    await page.getByRole('combobox', { name: 'The entity' }).fill('To Ada');
    await page.getByRole('option', { name: 'To Ada' }).click();
    const { cid } = await read(node, me, letter.id);
    await remove(node, me, { ...letter, cid });
    await button('Keep 2 files').click();
    await page.getByText('2 are not kept yet.').waitFor();
    await button('Choose another place').click();
    await page.getByText('Each an entity of its own in a collection').click();
    await page.getByLabel('Into the collection').selectOption({ label: 'Letters' });
    await button('Keep 2 files').click();
    await page.getByText('All 2 are kept.').waitFor();
    expect(await filesIn('Letters')).toEqual(['scan.txt true', 'verso.txt true']);
    expect(visitor.faults).toEqual([]);
  });

  test('that are too large or refused leave nothing empty behind', async () => {
    expect(maxFileBytes).toBe(maxContentBytes);
    await using folder = await temporaryFolder();
    const [large, small] = ['large.tif', 'small.txt'].map((name) => join(folder.path, name)) as [string, string];
    for (const path of [large, small]) await writeFile(path, 'bytes');
    await truncate(large, maxFileBytes + 1);
    await openFiles([large, small]);
    await page.getByLabel('Its name').fill('Scans');
    // It has become another one on the way: the node refuses what it was not told of.
    await page.route('**/files/*/content', (route) => route.continue({ postData: 'more bytes' }));
    await button('Keep 2 files').click();
    await page.getByText('2 are not kept yet.').waitFor();
    const line = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await line('large.tif').getByText('This is larger than 524 MB').waitFor();
    await line('small.txt').getByText('10 bytes come, not 5').waitFor();
    expect(await filesIn('Scans')).toEqual([]);

    await page.unroute('**/files/*/content');
    await button('Try again').click();
    await page.getByText('One is not kept yet.').waitFor();
    expect(await filesIn('Scans')).toEqual(['small.txt true']);
    // Nothing that is left could be kept.
    expect(await button('Try again').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('by hundreds are listed a part at a time, and what could not be kept whatever its place', async () => {
    await using folder = await temporaryFolder();
    const paths = Array.from({ length: 403 }, (_, n) => join(folder.path, `scan ${n}.tif`));
    await Promise.all(paths.map((path) => writeFile(path, 'bytes')));
    await truncate(paths[402] as string, maxFileBytes + 1);
    await openFiles(paths);
    const lines = page.getByRole('main').getByRole('listitem');
    await page.getByText('and 203 more').waitFor();
    expect(await lines.count()).toBe(200);
    await page.getByLabel('Its name').fill('Scans');
    await page.route('**/collections', (route) => route.abort('connectionreset'));
    await button('Keep 403 files').click();
    await lines.nth(200).getByText('This is larger than 524 MB').waitFor();
    await page.getByText('and 202 more').waitFor();
    await button('Show more').click();
    await page.getByText('and 2 more').waitFor();
    expect(await lines.count()).toBe(401);
    expect(visitor.faults).toEqual([]);
  });

  test('on their way are left only on purpose, and nothing empty stays behind', async () => {
    await openFiles([scan('recto'), { ...scan('verso'), name: 'verso.txt' }]);
    await page.getByLabel('Its name').fill('Scans');
    await page.route('**/files/*/content', () => undefined);
    const begun = page.waitForRequest('**/files/*/content');
    await button('Keep 2 files').click();
    await begun;
    expect(await filesIn('Scans')).toEqual(['scan.txt false']);
    await button('Stop').click();
    await page.getByText('2 are not kept yet.').waitFor();
    const again = page.waitForRequest('**/files/*/content');
    await button('Try again').click();
    await again;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    const question = page.getByRole('dialog', { name: 'Leave without the rest?' });
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await expect.poll(() => filesIn('Scans')).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  test('on their way leave nothing empty behind where their tab is loaded again', async () => {
    await using folder = await temporaryFolder();
    const paths = ['small.bin', 'large.bin', 'last.bin'].map((name) => join(folder.path, name));
    for (const path of paths) await writeFile(path, 'bytes');
    await truncate(paths[1] ?? '', 50_000_000);
    await openFiles(paths);
    await page.getByLabel('Its name').fill('Scans');
    // A route would hold what the page sends as it goes.
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
    await session.send('Network.emulateNetworkConditions', slow);
    await button('Keep 3 files').click();
    const there = () => filesIn('Scans').catch(String);
    await expect.poll(there).toEqual(['large.bin false', 'small.bin true']);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(there).toEqual(['small.bin true']);
    await session.detach();
    expect(visitor.faults).toEqual([]);
  });

  /** Has a file begun to be sent to the letter, from its screen; it waits until it is let go. */
  const sendHeld = async () => {
    const gate = Promise.withResolvers<void>();
    await page.route('**/entities/*/content?*', async (route) => {
      await gate.promise;
      // What the page has given up is not sent any more.
      await route.continue().catch(() => undefined);
    });
    const begun = page.waitForRequest('**/entities/*/content?*');
    await visitor.go(`/entities/${letter.id}`);
    await button('Attach a file').focus();
    await page.locator('input[type="file"]').setInputFiles(scan('recto'));
    await begun;
    const given = page.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/content?'),
      timeout: 60_000,
    });
    return { given, letGo: gate.resolve };
  };

  test('on their way to an entity stop where its screen is left', async () => {
    const { given, letGo } = await sendHeld();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    const question = page.getByRole('dialog', { name: 'Leave without the rest?' });
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await given;
    letGo();
    await visitor.go(`/entities/${letter.id}`);
    await button('Attach a file').waitFor();
    expect((await read(node, me, letter.id)).ver).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('on their way to an entity stop where that is asked for', async () => {
    const { given, letGo } = await sendHeld();
    await page.getByRole('status').getByText('Attaching…').waitFor();
    await lookAt(page, 'file-on-its-way', { asItIs: true });
    await button('Stop').press('Enter');
    await given;
    letGo();
    // The keys go on where they are.
    await page.locator('button:focus', { hasText: 'Attach a file' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect((await read(node, me, letter.id)).ver).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('that have come when they are stopped are told, and what is typed goes on over their version', async () => {
    const come = Promise.withResolvers<void>();
    await page.route('**/entities/*/content?*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      // The node has it all; its answer stays away.
      await route.fetch();
      come.resolve();
    });
    await visitor.go(`/entities/${letter.id}`);
    await page.getByLabel('label', { exact: true }).fill('To Ada Byron');
    await page.locator('input[type="file"]').setInputFiles(scan('recto'));
    await come.promise;
    await button('Stop').click();
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await page.getByText('Not saved').waitFor();
    expect(await page.getByText(/Somebody else has saved/).count()).toBe(0);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({ label: 'To Ada Byron' });
    expect(visitor.faults).toEqual([]);
  });

  test('that come after they were stopped are told, and what is typed goes on over their version', async () => {
    const { given } = await sendHeld();
    await page.getByLabel('label', { exact: true }).fill('To Ada Byron');
    const looked = page.waitForResponse((answer) => answer.url().endsWith(`/entities/${letter.id}`));
    await button('Stop').click();
    await Promise.all([given, looked]);
    await button('Attach a file').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // The node had all of it, and was writing it still.
    await put(node, me, letter.id, 'scan.txt', 'recto');
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await page.getByText('Not saved').waitFor();
    expect(await page.getByText(/Somebody else has saved/).count()).toBe(0);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toMatchObject({ label: 'To Ada Byron' });
    // The same one again is another one.
    await page.locator('input[type="file"]').setInputFiles(scan('recto'));
    await page.getByText('scan (2).txt was attached', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('are fetched once, and a recording plays on while others write', async () => {
    await visitor.go(`/entities/${letter.id}`);
    const input = page.locator('input[type="file"]');
    await input.setInputFiles({ name: 'voice.wav', mimeType: 'audio/wav', buffer: silence(80_000) });
    await page.getByText('voice.wav was attached', { exact: true }).waitFor();
    const fetched: string[] = [];
    page.on('request', (request) => /\/content\?/.test(request.url()) && fetched.push(request.url()));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const audio = page.locator('audio');
    const duration = () => audio.evaluate((one: unknown) => (one as { duration: number }).duration);
    await expect.poll(duration).toBe(10);
    await audio.evaluate((one: unknown) => {
      (one as { currentTime: number }).currentTime = 7;
    });
    const address = await audio.getAttribute('src');
    await update(node, me, await read(node, me, letter.id), { properties: { label: 'To Bea' } });
    await page.getByRole('heading', { name: 'To Bea', level: 1 }).waitFor();
    expect(await audio.getAttribute('src')).toBe(address);
    expect(await audio.evaluate((one: unknown) => (one as { currentTime: number }).currentTime)).toBe(7);
    expect(fetched).toHaveLength(1);
    expect(visitor.faults).toEqual([]);
  });

  test('that could be neither attached nor removed say why, each for itself', async () => {
    await using folder = await temporaryFolder();
    const large = join(folder.path, 'large.tif');
    await writeFile(large, 'bytes');
    await truncate(large, maxFileBytes + 1);
    await put(node, me, letter.id, 'scan.txt', 'recto');
    await visitor.go(`/entities/${letter.id}`);
    await page.locator('input[type="file"]').setInputFiles(large);
    const tooLarge = page.getByText('This is larger than 524 MB');
    await tooLarge.waitFor();
    // Somebody else is quicker by a moment.
    await page.route(
      '**/entities/*/content?*',
      async (route) => {
        await update(node, me, await read(node, me, letter.id), { properties: { text: 'another' } });
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Remove scan.txt' }).click();
    await page.getByText('Somebody else changed this in the meantime').waitFor();
    expect(await tooLarge.count()).toBe(0);
    await page.locator('input[type="file"]').setInputFiles(scan('verso'));
    await page.getByText('scan (2).txt was attached', { exact: true }).waitFor();
    expect(await page.getByText('Somebody else changed this in the meantime').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('that are taken away by keys leave the keys where another one is attached, also the last of them', async () => {
    for (const key of ['recto.txt', 'verso.txt']) await put(node, me, letter.id, key, key);
    await visitor.go(`/entities/${letter.id}`);
    await button('Remove recto.txt').press('Enter');
    await page.locator('button:focus[aria-label="Remove verso.txt"]').press('Enter');
    await page.locator('button:focus', { hasText: 'Attach a file' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('whose text comes at the second try leave the keys where it is then', async () => {
    await put(node, me, letter.id, 'scan.txt', 'recto');
    await visitor.go(`/entities/${letter.id}`);
    await page.route('**/entities/*/content?*', (route) => route.fulfill({ status: 400, json: { error: 'refused' } }), {
      times: 1,
    });
    await button('Show').press('Enter');
    await button('Try again').press('Enter');
    await page.locator('pre', { hasText: 'recto' }).waitFor();
    await page.locator('li:focus').waitFor();
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('Tab');
    await page.locator('pre:focus').waitFor();
    expect(await page.locator('li[tabindex]').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('that could be saved at the second try have no error of the first below them', async () => {
    await visitor.go(`/entities/${letter.id}`);
    await page.locator('input[type="file"]').setInputFiles(scan('recto'));
    await page.getByText('scan.txt was attached', { exact: true }).waitFor();
    await page.route('**/entities/*/content?*', (route) => route.abort('connectionreset'), { times: 1 });
    await page.getByRole('button', { name: 'Save scan.txt', exact: true }).click();
    await page.getByText('The node does not answer.').waitFor();
    expect(await saved('scan.txt')).toEqual(['scan.txt', 'recto']);
    expect(await page.getByText('The node does not answer.').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  /** Presses the button that replaces a file, by its key, and chooses another one. */
  const replaceBy = async (name: string, file: Parameters<FileChooser['setFiles']>[0]) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(`Replace ${name}`).press('Enter')]);
    await chooser.setFiles(file);
  };
  const better = (text: string) => ({ ...scan(text), name: 'better.txt' });
  const held = async (query: string) => (await ask(node, me, `GET /entities/${letter.id}/content?${query}`)).text;

  test('are replaced under their key, by keys and beside what is typed, and the history keeps what was there', async () => {
    const { content } = await put(node, me, letter.id, 'scan.txt', 'recto');
    await visitor.go(`/entities/${letter.id}`);
    await page.getByLabel('label', { exact: true }).fill('To Ada Byron');
    await button('Show').click();
    await replaceBy('scan.txt', better('recto, sharper'));
    await page.getByText('scan.txt was replaced; the history keeps what was there', { exact: true }).waitFor();
    await page.locator('button:focus[aria-label="Replace scan.txt"]').waitFor();
    await page.locator('pre', { hasText: 'recto, sharper' }).waitFor();
    expect(await page.getByText(/Somebody else has saved/).count()).toBe(0);
    await replaceBy('scan.txt', better('recto, sharper'));
    await page.getByText('scan.txt is this very file already; nothing was changed', { exact: true }).waitFor();
    await replaceBy('scan.txt', better(''));
    await page.getByText('This file is empty').waitFor();
    await lookAt(page, 'file-replaced');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 4', { exact: true }).waitFor();
    const { properties } = await read(node, me, letter.id);
    expect(properties).toMatchObject({ label: 'To Ada Byron', content: { 'scan.txt': { filename: 'better.txt' } } });
    expect([await keys(), await held('key=scan.txt'), await held(`cid=${content.cid}`)]).toEqual([
      ['scan.txt'],
      'recto, sharper',
      'recto',
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test('are replaced where nobody else has replaced them, and wholly or not at all', async () => {
    await put(node, me, letter.id, 'scan.txt', 'recto');
    const own = await uploaded(node, me, 'page', { label: 'Page' });
    await visitor.go(`/entities/${letter.id}`);
    // It is cut on its way, and before that the script that looks at it.
    for (const part of ['**/cid-worker*', '**/node/uploads/*'])
      await page.route(part, (route) => route.abort('connectionreset'), { times: 1 });
    await replaceBy('scan.txt', better('mine'));
    await page.getByText('The node does not answer.').waitFor();
    expect((await read(node, me, letter.id)).ver).toBe(2);
    // Somebody says something else of the letter, which is no other file.
    const whileSent = (other: () => Promise<unknown>) =>
      page.route('**/node/uploads/*', (route) => other().then(() => route.continue()), { times: 1 });
    await whileSent(async () => update(node, me, await read(node, me, letter.id), { properties: { pages: 3 } }));
    await replaceBy('scan.txt', better('mine'));
    await page.getByText('scan.txt was replaced; the history keeps what was there', { exact: true }).waitFor();
    expect(await page.getByText('The node does not answer.').count()).toBe(0);
    await whileSent(() => put(node, me, letter.id, 'scan.txt', 'theirs'));
    await replaceBy('scan.txt', better('mine again'));
    await page.getByText('Somebody else changed this in the meantime. Nothing was overwritten.').waitFor();
    expect(await held('key=scan.txt')).toBe('theirs');

    await visitor.go(`/entities/${own.id}`);
    // The answer to it is lost, and the page shows what came before it is tried again.
    const lose = (route: Route) =>
      route.request().method() === 'PUT' ? route.fetch().then(() => route.abort('connectionreset')) : route.fallback();
    await page.route(`**/entities/${own.id}`, lose);
    await replaceBy('page.txt', better('better page'));
    await page.getByText('The node does not answer.').waitFor();
    await page.getByText('11 bytes').waitFor();
    await page.unroute(`**/entities/${own.id}`);
    await replaceBy('better.txt', better('better page'));
    await page.getByText('better.txt was replaced; the history keeps what was there', { exact: true }).waitFor();
    const { properties } = await read(node, me, own.id);
    const cid = nodesCidOf('better page');
    expect(properties).toMatchObject({
      label: 'Page',
      filename: 'better.txt',
      cid,
      key: cid,
      size: 11,
      uploaded: true,
    });
    expect((await ask(node, me, `GET /files/${own.id}/content`)).text).toBe('better page');
    expect(visitor.faults).toEqual([]);
  });
});
