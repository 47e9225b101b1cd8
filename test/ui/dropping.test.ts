import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { type TestNode, temporaryFolder } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('files from a folder of this machine', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  /** Drags files over the middle of the window and lets them go, as a file manager does. */
  const drop = async (...files: string[]) => {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data });
    await session.detach();
  };

  test('are not taken beneath a dialog, which stays with what is typed', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'scan.bin');
    await writeFile(file, 'bytes');
    const { id } = await collection(node, operator(node), { label: 'Letters' });
    await visitor.go(`/collections/${id}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await drop(file);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New entity' }).first().click();
    const label = page.getByRole('dialog').getByLabel('Label');
    await label.fill('To Ada');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await question.waitFor();
    await drop(file);
    await question.getByRole('button', { name: 'Keep it' }).click();
    expect(await label.inputValue()).toBe('To Ada');
    expect(await page.getByText('Drop the files to import them').count()).toBe(0);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();
    await drop(file);
    await page.getByRole('heading', { name: 'scan.bin', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('are taken while the form of a condition is open, which asks for nothing', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'scan.bin');
    await writeFile(file, 'bytes');
    const { id } = await collection(node, operator(node), { label: 'Letters' });
    await visitor.go(`/collections/${id}`);
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('dialog', { name: 'Add a condition' }).waitFor();
    await drop(file);
    await page.getByRole('heading', { name: 'scan.bin', level: 1 }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('say that they are folders, also those that are named as a table or an archive', async () => {
    await using folder = await temporaryFolder();
    const table = join(folder.path, 'rows.csv');
    await mkdir(table);
    await visitor.go('/collections');
    await drop(table);
    await page.getByRole('alert').getByText('This cannot be read: it is a folder').waitFor();
    const archive = join(folder.path, 'all.car');
    await mkdir(archive);
    await drop(archive);
    await page.getByRole('heading', { name: 'all.car', level: 1 }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('This cannot be read: it is a folder').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
