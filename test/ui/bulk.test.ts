import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { changeOf, noDraft } from '../../src/renderer/src/views/collection/bulk-draft.ts';
import { ask, operator } from '../helpers/callers.ts';
import { nowhere, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { takenOver } from '../helpers/taken-over.ts';
import { askToClose, describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

test('a property that is chosen is named as it is, one that is typed without blanks at its ends', () => {
  const of = (kind: 'set' | 'remove', name: string) =>
    changeOf({ ...noDraft, kind, name, value: 'x' }, ['year ', 'year']);
  expect(of('remove', 'year ')).toEqual({ kind: 'remove', name: 'year ' });
  expect(of('set', 'year ')).toEqual({ kind: 'set', name: 'year ', value: 'x' });
  expect(of('set', ' place ')).toEqual({ kind: 'set', name: 'place', value: 'x' });
  expect(of('remove', '  ')).toBe(null);
});

describePage('a change of all that is selected', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const dialog = () => page.getByRole('dialog');
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const field = (name: string) => dialog().getByLabel(name, { exact: true });

  /** Selects all of a collection of `count` items and opens the dialog. */
  async function opened(count: number): Promise<string> {
    const id = await seedItems(node, count);
    await openAll(count);
    return id;
  }

  async function openAll(count: number): Promise<void> {
    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Items' }).click();
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText(`${count} selected`).waitFor();
    await page.keyboard.press('b');
    await dialog().waitFor();
  }

  /** The items as they are, by their labels. */
  async function items(id: string): Promise<{ id: string; cid: string }[]> {
    const answer = await ask(node, operator(node), `GET /node/collections/${id}/table?sort=label`);
    return (answer.body as { rows: { id: string; cid: string }[] }).rows;
  }

  /** How many items say this. */
  async function saying(id: string, column: string, value: string): Promise<number> {
    const query = new URLSearchParams({ filter: JSON.stringify([{ column, op: 'is', value }]) });
    const answer = await ask(node, operator(node), `GET /node/collections/${id}/table?${query}`);
    return (answer.body as { total: number }).total;
  }

  test('writes yes or no as it is shown, and nothing before one of them is chosen', async () => {
    const id = await opened(3);
    await field('Property').fill(' public ');
    await page.getByText('Taken without the blanks at its ends: “public”').waitFor();
    await field('Property').fill('public');
    expect(await page.getByText('Taken without').count()).toBe(0);
    await field('As').selectOption({ label: 'Yes or no' });
    expect(await field('Value').locator('option:checked').innerText()).toBe('–');
    expect(await button('Set a property').isDisabled()).toBe(true);
    await lookAt(page, 'collection-bulk-yes');
    await field('Value').selectOption({ label: 'yes' });
    expect(await field('Value').locator('option').allInnerTexts()).toEqual(['yes', 'no']);
    await button('Set a property').click();
    await page.getByText('3 entities were changed', { exact: true }).waitFor();
    expect(await saying(id, 'properties.public', 'true')).toBe(3);
    expect(visitor.faults).toEqual([]);
  });

  test('keeps the lines of a text that is pasted', async () => {
    const id = await opened(3);
    await field('Property').fill('address');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate("navigator.clipboard.writeText('1 Quay\\r\\nLeeds\\n')");
    await field('Value').focus();
    await page.keyboard.press('Control+v');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type(' West');
    await lookAt(page, 'collection-bulk-lines');
    await button('Set a property').click();
    await page.getByText('3 entities were changed', { exact: true }).waitFor();
    expect(await saying(id, 'properties.address', '1 Quay\nLeeds West')).toBe(3);
    expect(visitor.faults).toEqual([]);
  });

  test('leaves none selected, also where its report is left by the browser’s way back', async () => {
    await opened(3);
    await field('Property').fill('colour');
    await field('Value').fill('violet');
    await button('Set a property').click();
    await page.getByText('3 entities were changed', { exact: true }).waitFor();
    await page.evaluate('history.back()');
    const asked = page.getByRole('dialog', { name: 'Close the report?' });
    await asked.getByRole('contentinfo').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.goForward();
    await page.locator('[aria-rowindex="2"] a').waitFor();
    expect(await page.getByText('3 selected').count()).toBe(0);
    expect(await page.locator('[aria-rowindex="2"]').getByRole('checkbox').isChecked()).toBe(false);
    expect(visitor.faults).toEqual([]);
  });

  test('takes a property from those that have it, and makes no version of the others, which it counts', async () => {
    const id = await seedItems(node, 3);
    const [first, ...others] = await items(id);
    const change = { expect_tip: first?.cid, properties: { place: 'Rye' } };
    ok(await ask(node, operator(node), `PUT /entities/${first?.id}`, change));
    await openAll(3);
    await field('What to do').selectOption('remove');
    await field('Property').fill('place');
    await button('Remove a property').click();
    await dialog().getByText('One entity was changed', { exact: true }).waitFor();
    await dialog().getByText('2 did not have the property and were left as they are.').waitFor();
    await lookAt(page, 'collection-bulk-idle');
    expect(await saying(id, 'properties.place', 'Rye')).toBe(0);
    for (const one of others) expect(await read(node, operator(node), one.id)).toMatchObject({ cid: one.cid });
    await button('Undo').click();
    await dialog().getByText('One entity says again what it said before').waitFor();
    expect(await saying(id, 'properties.place', 'Rye')).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('is made and undone also where a remote has made versions of its own of it', async () => {
    const id = await opened(2);
    for (const one of await items(id)) await takenOver(node, one.id);
    await field('Property').fill('place');
    await field('Value').fill('Rye');
    await button('Set a property').click();
    await dialog().getByText('2 entities were changed', { exact: true }).waitFor();
    for (const one of await items(id)) await takenOver(node, one.id);
    await button('Undo').click();
    await dialog().getByText('2 entities say again what they said before').waitFor();
    expect(await saying(id, 'properties.place', 'Rye')).toBe(0);
  });

  test('says of what somebody else deleted meanwhile that it was deleted', async () => {
    const id = await opened(3);
    const [first] = await items(id);
    ok(await ask(node, operator(node), `DELETE /entities/${first?.id}`, { expect_tip: first?.cid }));
    await field('What to do').selectOption('delete');
    await button('Delete').click();
    await dialog().getByText('2 entities were changed', { exact: true }).waitFor();
    await dialog().getByText('One was not changed').waitFor();
    await dialog().getByText('This was deleted.').waitFor();
    await button('Undo').click();
    await dialog().getByText('2 entities say again what they said before').waitFor();
    expect((await items(id)).map((one) => one.id)).not.toContain(first?.id);
    expect(visitor.faults).toEqual([]);
  });

  const question = () => page.getByRole('dialog', { name: 'Stop here?' });
  const answer = async (name: string) => {
    await question().getByRole('button', { name, exact: true }).click();
    await question().waitFor({ state: 'detached' });
  };

  /** Lets so many writes pass, and holds back the next ones until they are let go. */
  async function held(after: number): Promise<{ begun: Promise<void>; letGo(): void }> {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    await page.route('**/entities/*', async (route) => {
      if (route.request().method() === 'PUT' && ++count > after) {
        begun.resolve();
        await gate.promise;
      }
      await route.continue();
    });
    return { begun: begun.promise, letGo: gate.resolve };
  }

  /** Refuses the changes of some items, as a node does whose remote decides who may. */
  async function refusing(matches: (at: number) => boolean, reason: string): Promise<void> {
    let at = 0;
    await page.route('**/entities/*', (route) => {
      if (route.request().method() !== 'PUT' || !matches(at++)) return route.continue();
      return route.fulfill({ status: 403, json: { error: 'Forbidden', details: { reason } } });
    });
  }

  test('says why some were not changed, and is not left for one of them, nor closed by the way', async () => {
    const id = await opened(8);
    const reason = 'this is a mirror: give it a key (archeion remote set museum --key)';
    await refusing((at) => at < 3, reason);
    await field('Property').fill('colour');
    await field('Value').fill('violet');
    await button('Set a property').click();
    await dialog().getByText('3 were not changed').waitFor();
    await expect.poll(() => dialog().getByText(reason).count()).toBe(3);
    await lookAt(page, 'collection-bulk-refused');
    const tab = page.context().waitForEvent('page');
    await dialog().getByRole('link').first().click();
    const opening = await tab;
    await opening.getByLabel('label', { exact: true }).waitFor();
    await opening.close();
    await dialog().getByText('3 were not changed').waitFor();

    const closing = page.getByRole('dialog', { name: 'Close the report?' });
    await page.keyboard.press('Escape');
    await lookAt(page, 'collection-bulk-close', { asItIs: true });
    await closing.getByRole('button', { name: 'Leave it open', exact: true }).click();
    await page.mouse.click(5, 5);
    expect(await closing.count()).toBe(0);
    await button('Undo').click();
    await dialog().getByText('5 entities say again what they said before').waitFor();
    expect(await saying(id, 'properties.colour', 'violet')).toBe(0);
    // Whoever presses it has read it.
    await button('Close').last().click();
    await dialog().waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('names a hundred that were not changed, and says how many more there are', async () => {
    await opened(130);
    await refusing(() => true, 'not here');
    await field('Property').fill('colour');
    await field('Value').fill('violet');
    await button('Set a property').click();
    await dialog().getByText('130 were not changed').waitFor();
    expect(await dialog().getByRole('link').count()).toBe(100);
    await dialog().getByText('and 30 more', { exact: true }).waitFor();
    // Two dialogs close at once: the keys go on where they were before both.
    await page.keyboard.press('Escape');
    const closing = page.getByRole('dialog', { name: 'Close the report?' });
    await closing.getByRole('button', { name: 'Close', exact: true }).last().press('Enter');
    await page.locator('[role="grid"]:focus').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is not begun while more is being selected, and is of what was selected by then', async () => {
    const id = await seedItems(node, 8);
    await visitor.go(`/collections/${id}?sort=label`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/table\?.*limit=500/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/table\?.*limit=500/);
    await page.keyboard.press('Control+a');
    await asked;
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await dialog().count()).toBe(0);
    gate.resolve();
    await page.getByText('8 selected').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('dialog', { name: 'Edit 8 entities' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('and its undoing stop only when that is wanted, and go on where they were', async () => {
    const id = await opened(40);
    await field('Property').fill('colour');
    await field('Value').fill('violet');
    const changes = await held(10);
    await button('Set a property').click();
    await changes.begun;
    // None of these ends it.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await answer('Go on');
    await page.evaluate('history.back()');
    await answer('Go on');
    expect(await askToClose(page)).toBe('beforeunload');
    await button('Stop').click();
    changes.letGo();
    // What was on its way has been done.
    await dialog().getByText('26 were left as they were.').waitFor();
    await lookAt(page, 'collection-bulk-left');
    await button('Go on').click();
    await dialog().getByText('40 entities were changed', { exact: true }).waitFor();

    await page.unroute('**/entities/*');
    const undoings = await held(20);
    await button('Undo').click();
    await undoings.begun;
    await page.keyboard.press('Escape');
    await answer('Stop');
    undoings.letGo();
    await dialog().getByText('16 are still as they were changed.').waitFor();
    expect(await saying(id, 'properties.colour', 'violet')).toBe(16);
    await page.keyboard.press('Escape');
    await question().waitFor();
    await lookAt(page, 'collection-bulk-stop', { asItIs: true });
    await answer('Go on');
    await button('Go on').click();
    await dialog().getByText('40 entities say again what they said before').waitFor();
    expect(await saying(id, 'properties.colour', 'violet')).toBe(0);
    // Nothing is left to ask for.
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('waits for a node that is away, and counts as done what it did before its answer was lost', async () => {
    const id = await opened(40);
    let away = false;
    let count = 0;
    await page.route('**/*', async (route) => {
      const isWrite = route.request().method() === 'PUT' || route.request().method() === 'DELETE';
      if (away) return route.abort('connectionrefused');
      if (isWrite && ++count === 20) {
        // Written, and the node itself does not know whether.
        await route.fetch();
        return route.fulfill({ status: 503, json: { error: 'Service unavailable' } });
      }
      if (!isWrite || count !== 10) return route.continue();
      // Written, and not answered any more.
      await route.fetch();
      away = true;
      await route.abort('connectionreset');
    });
    const waiting = dialog().getByText('The node does not answer. This goes on by itself as soon as it does.');
    await field('Property').fill('colour');
    await field('Value').fill('violet');
    await button('Set a property').click();
    await waiting.waitFor();
    await lookAt(page, 'collection-bulk-waiting', { asItIs: true });
    away = false;
    await dialog().getByText('40 entities were changed', { exact: true }).waitFor();
    expect(await saying(id, 'properties.colour', 'violet')).toBe(40);
    count = 0;
    await button('Undo').click();
    await waiting.waitFor();
    await button('Stop').click();
    await dialog()
      .getByText(/are still as they were changed\.$/)
      .waitFor();
    away = false;
    await button('Go on').click();
    await dialog().getByText('40 entities say again what they said before').waitFor();
    expect(await dialog().getByText('not changed').count()).toBe(0);
    await button('Close').last().click();

    await page.getByText('40 entities', { exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('40 selected').waitFor();
    await page.keyboard.press('b');
    await field('What to do').selectOption('delete');
    count = 0;
    await button('Delete').click();
    await waiting.waitFor();
    away = false;
    await dialog().getByText('40 entities were changed', { exact: true }).waitFor();
    await button('Undo').click();
    await dialog().getByText('40 entities say again what they said before').waitFor();
  });

  test('takes nobody else’s version for its own, where nothing came of a write and the entity said it already', async () => {
    const id = await opened(8);
    const { rows } = (await ask(node, operator(node), `GET /node/collections/${id}/table?limit=1&sort=label`)).body as {
      rows: { id: string; cid: string }[];
    };
    // It is red already.
    const { id: item, cid: expect_tip } = rows[0]!;
    let isLost = false;
    await page.route(`**/entities/${item}`, async (route) => {
      if (route.request().method() !== 'PUT' || isLost) return route.continue();
      isLost = true;
      await ask(node, operator(node), `PUT /entities/${item}`, { expect_tip, properties: { place: 'Rye' } });
      await route.abort('connectionreset');
    });
    await field('Property').fill('colour');
    await field('Value').fill('red');
    await button('Set a property').click();
    await dialog().getByText('One was not changed').waitFor();
    await dialog().getByText('7 entities were changed', { exact: true }).waitFor();
    await button('Undo').click();
    await dialog().getByText('7 entities say again what they said before').waitFor();
    expect(await saying(id, 'properties.place', 'Rye')).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('leaves out what somebody else changes while everything is being selected, and says so', async () => {
    const id = await seedItems(node, 520);
    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Items' }).click();
    await page.locator('[aria-rowindex="2"] a').waitFor();
    const table = `GET /node/collections/${id}/table?limit=1&offset=510`;
    const { rows } = (await ask(node, operator(node), table)).body as { rows: { id: string; cid: string }[] };
    const { id: item, cid: expect_tip } = rows[0]!;
    let isChanged = false;
    await page.route('**/table?*offset=500*', async (route) => {
      const change = { expect_tip, properties: { colour: 'violet' } };
      if (!isChanged) await ask(node, operator(node), `PUT /entities/${item}`, change);
      isChanged = true;
      await route.continue();
    });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('519 selected').waitFor();
    await page.getByText('One that matched was changed meanwhile and is not selected.').waitFor();
    await lookAt(page, 'collection-selected-changed');
    await page.getByRole('button', { name: 'Select all 520 that match' }).click();
    await page.getByText('520 selected').waitFor();
    expect(await page.getByText('changed meanwhile').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('as every list of choices, shows what is meant, also where that is none of them', async () => {
    await visitor.go(`/export?collection=${nowhere}`);
    const what = page.getByLabel('What', { exact: true });
    await what.locator('option', { hasText: 'Everything' }).waitFor({ state: 'attached' });
    expect(await what.inputValue()).toBe(nowhere);
    await what.selectOption({ label: 'Everything on this node' });
    await expect.poll(() => what.locator('option').count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });
});
