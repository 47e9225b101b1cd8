import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, update } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, keyOf, sync } from '../sync/nodes.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('a button that is pressed', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  /** What was asked of the node that changes something. */
  let orders: string[];
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    orders = [];
    // Who comes in orders a session.
    await visitor.go('/');
    page.on('request', (request) => {
      if (request.method() !== 'GET') orders.push(new URL(request.url()).pathname);
    });
  });

  /** Makes as many conflicts with a remote. */
  const conflicts = async (count: number) => {
    await using origin = await startNode();
    const curator = await user(origin, 'curator');
    const place = await collection(origin, curator, { label: 'Letters' });
    const letters: Entity[] = [];
    for (let i = 0; i < count; i++)
      letters.push(await create(origin, curator, { type: 'letter', collection: place.id, properties: { pages: i } }));
    await addRemote(node, me, { name: 'museum', url: origin.url, key: keyOf(curator) });
    await sync(node, me, 'museum');
    for (const letter of letters) {
      await update(origin, curator, letter, { properties: { pages: 10 } });
      await update(node, me, letter, { properties: { pages: 20 } });
    }
    await sync(node, me, 'museum');
    return (await conflictsOf(node, me)).map(({ id }) => id);
  };

  test('keeps the focus when there is nothing left to do for it', async () => {
    const mapping = { records: [{ type: 'item', id: 'id', label: 'label' }] };
    const { id } = await importer(node).run(
      { collection: 'Items', mapping },
      { 'items.ndjson': '{"id":1,"label":"A"}' },
    );
    await visitor.go(`/import?run=${id}`);
    await page.getByRole('button', { name: 'Undo this import', disabled: false }).press('Enter');
    await page.getByRole('button', { name: /^Delete one entity/ }).press('Enter');
    const undo = page.getByRole('button', { name: 'Undo this import', disabled: true });
    await undo.and(page.locator(':focus')).waitFor();
    await undo.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);

    await visitor.go('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', disabled: true }).and(page.locator(':focus')).waitFor();
    // Elsewhere there is nothing to keep.
    await page.keyboard.press('Tab');
    await page.locator('button:disabled', { hasText: 'Save' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('keeps it also while another window is in front', async () => {
    await visitor.go('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    const save = page.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    const kept = page.getByRole('button', { name: 'Save', disabled: true }).and(page.locator(':focus'));
    await kept.waitFor();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    await page.evaluate('addEventListener("blur", () => { window.left = true; })');
    const other = await page.context().newPage();
    await other.bringToFront();
    await page.waitForFunction('window.left');
    await page.bringToFront();
    await kept.waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('does what it says once, where the second click of a pair comes before the page has drawn anything', async () => {
    const home = await collection(node, me, { label: 'Letters' });
    const ada = await user(node, 'Ada Lovelace');
    await enrol(node, me, home.id, ada, 'editor');
    const press = (name: string) =>
      page.getByRole('button', { name, disabled: false }).evaluate(async (button: unknown) => {
        const { click } = button as { click(): void };
        click.call(button);
        // Nothing that waits for a timer comes between two clicks that wait themselves; what is done at once does.
        for (let turn = 0; turn < 50; turn++) await null;
        click.call(button);
      });
    await visitor.go('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await press('Create');
    await page.getByRole('dialog', { name: 'Your new key' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'What to do with Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Take the role away' }).click();
    await press('Take the role away');
    await page.getByRole('status').getByText('One membership').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(orders).toEqual(['/users/me/keys', `/collections/${home.id}`]);
    expect(visitor.faults).toEqual([]);
  });

  test.each(['Enter', 'Space'])('opens its menu by %s that is held, which chooses nothing of it', async (key) => {
    await visitor.go('/settings');
    await page.getByRole('button', { name: 'Colours' }).focus();
    await page.keyboard.down(key);
    const item = (name: string) => page.getByRole('menuitem', { name }).and(page.locator(':focus'));
    await item('As the system').waitFor();
    await page.keyboard.down(key);
    await page.keyboard.up(key);
    await page.keyboard.press('ArrowDown');
    await item('Light').waitFor();
    // Nor does it open again what it has chosen of.
    await page.keyboard.down(key);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.down(key);
    await page.keyboard.up(key);
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('stays where it is at the end of a screen when what was said below it goes', async () => {
    const home = await collection(node, me, { label: 'Letters' });
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`leaf_${i}`, `${i}`]));
    const { id } = await create(node, me, { type: 'letter', collection: home.id, properties: many });
    await visitor.go(`/entities/${id}`);
    const file = { name: 'leaf.txt', mimeType: 'text/plain', buffer: Buffer.from('A leaf') };
    await page.locator('input[type="file"]').setInputFiles(file);
    const said = page.getByRole('listitem').filter({ has: page.getByText('leaf.txt was attached', { exact: true }) });
    await said.waitFor();
    const scrolled = `document.querySelector('input[type="file"]').closest('.overflow-auto')`;
    // What is shown: between two frames it may stand elsewhere.
    const frame = () =>
      page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
    const end = async () => {
      await frame();
      return page.evaluate(`[${scrolled}.scrollTop, ${scrolled}.lastElementChild.getBoundingClientRect().bottom]`);
    };
    await page.evaluate(`${scrolled}.scrollTop = ${scrolled}.scrollHeight; new Promise(requestAnimationFrame)`);
    const before = await end();
    await said.getByRole('button', { name: 'Close' }).press('Enter');
    await said.waitFor({ state: 'detached' });
    expect(await end()).toEqual(before);
    // A window that is made larger shows more.
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    await page.evaluate(`${scrolled}.scrollTop -= 100; new Promise(requestAnimationFrame)`);
    await page.evaluate(`${scrolled}.scrollTop = ${scrolled}.scrollHeight; new Promise(requestAnimationFrame)`);
    await page.setViewportSize({ width, height: height + 300 });
    await frame();
    expect(await page.evaluate(`${scrolled}.style.paddingBottom`)).toBe('');
    await page.setViewportSize({ width, height });
    // And nothing stays empty for whoever goes on.
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -200);
    await expect.poll(() => page.evaluate(`${scrolled}.style.paddingBottom`)).toBe('');
    expect(visitor.faults).toEqual([]);
  });

  test('opens the palette by a key that is held, which runs nothing of that', async () => {
    await visitor.go('/settings');
    await page.getByRole('button', { name: 'Commands' }).focus();
    await page.keyboard.down('Enter');
    const box = page.getByRole('dialog').getByRole('combobox').and(page.locator(':focus'));
    await box.waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.type('graph');
    expect(await box.inputValue()).toBe('graph');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/graph*');
    expect(visitor.faults).toEqual([]);
  });

  test('is pressed once by a key that is held: the next conflict waits until somebody has looked at it', async () => {
    const [first, second] = await conflicts(2);
    const shown = async (id: string | undefined) => {
      await page.waitForURL(`**/${id}`);
      await page.getByRole('button', { name: /^Decide/, disabled: false }).waitFor();
    };
    await visitor.go(`/sync/conflicts/museum/${first}`);
    await shown(first);
    // It is known which one is the next.
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.down('Control');
    await page.keyboard.down('Enter');
    await shown(second);
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    expect((await conflictsOf(node, me)).map(({ id }) => id)).toEqual([second]);
    expect(orders).toEqual([`/node/conflicts/${first}/resolve`]);
    expect(visitor.faults).toEqual([]);
  });
});
