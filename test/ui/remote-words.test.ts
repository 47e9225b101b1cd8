import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, keyOf, sync } from '../sync/nodes.ts';
import { describePage, onNewPage, tidiedAfterEach, type Visit } from './browser.ts';

describePage('of a remote', () => {
  let origin: TestNode;
  let node: TestNode;
  let there: Person;
  let here: Person;
  let home: Entity;
  let visitor: Visit;
  let page: Page;

  const tidied = tidiedAfterEach();
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    origin = tidied(await startNode());
    there = operator(origin);
    here = operator(node);
    home = await collection(origin, there, { label: 'Letters' });
  });
  const mirrored = async () => {
    await addRemote(node, here, { name: 'museum', url: origin.url, key: keyOf(there), collections: [home.id] });
    await sync(node, here, 'museum');
  };

  test('whose deletions were too many the log says how many of how many, and nothing else', async () => {
    const entities = Array.from({ length: 60 }, (_, n) => ({
      ...{ type: 'letter', collection: home.id },
      properties: { label: `Letter ${n}` },
    }));
    const { results } = ok<{ results: { id: string }[] }>(
      await ask(origin, there, 'POST /entities/batch', { entities }),
    );
    await mirrored();
    for (const { id } of results) await remove(origin, there, await read(origin, there, id));
    await sync(node, here, 'museum');
    await visitor.go('/sync/log');
    const line = page.getByRole('listitem').filter({ hasText: 'museum' }).filter({ hasText: 'deleted there' });
    await line.getByText(/^60 of \d+ entities were deleted there\. They are still here/).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/[{}]/);
    expect(visitor.faults).toEqual([]);
  });

  test('that is removed the conflicts stay, which is said of them and nothing else', async () => {
    const letter = await create(origin, there, { collection: home.id, properties: { label: 'To Ada' } });
    await mirrored();
    await update(node, here, await read(node, here, letter.id), { properties: { label: 'mine' } });
    await update(origin, there, letter, { properties: { label: 'theirs' } });
    await sync(node, here, 'museum');
    expect(await conflictsOf(node, here)).toHaveLength(1);
    // The user of the key, by whom all of it was written, is not held here.
    await visitor.go(`/entities/${letter.id}/history`);
    await expect.poll(() => page.getByText('You, at museum', { exact: true }).count()).toBe(2);
    await visitor.go('/sync/remotes/museum');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove museum?' });
    const said = (await dialog.locator('dl').innerText()).split('\n').filter(Boolean);
    const about = said.filter((line) => /conflict/i.test(line));
    expect(about).toEqual(['One conflict with it, until it is decided.']);
    expect(said.indexOf(about[0] ?? '')).toBeLessThan(said.indexOf('What goes'));
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No remotes yet').waitFor();
    expect(await conflictsOf(node, here)).toHaveLength(1);
    expect(visitor.faults).toEqual([]);
  });
});
