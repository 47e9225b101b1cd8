import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { freeKey } from '../../src/renderer/src/views/entity/files/free-key.ts';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

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
    expect(await page.getByRole('listitem').getByText('scan.txt', { exact: true }).count()).toBe(2);
    expect(await saved('scan.txt')).toEqual(['scan.txt', 'recto']);
    expect(await saved('scan (2).txt')).toEqual(['scan.txt', 'verso']);

    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles([scan('flap'), scan('the seal')]);
    await page.getByRole('radio', { name: 'Attached to an entity that is there' }).check();
    const box = page.getByRole('combobox', { name: 'The entity' });
    await box.fill('to ada');
    await page.getByRole('option', { name: /To Ada/ }).waitFor();
    await box.press('Enter');
    await page.getByRole('button', { name: 'Keep 2 files', disabled: false }).click();
    await page.getByRole('button', { name: 'Import something else' }).waitFor();
    expect(await keys()).toEqual(['scan (2).txt', 'scan (3).txt', 'scan (4).txt', 'scan.txt']);
    expect(visitor.faults).toEqual([]);
  });
});
