import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { klados, rhiza } from '../helpers/processors.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('the keys at a flow', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    const me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const { id } = await klados(node, me, home.id);
    const runs = { klados: { id, type: 'klados' } };
    const flow = {
      read: { ...runs, then: { pass: 'work' }, input: { depth: 1 } },
      work: { ...runs, then: { done: true } },
    };
    const made = await rhiza(node, me, home.id, { label: 'Texts', entry: 'read', flow });
    await visitor.go(`/processors/${made.id}`);
  });

  const step = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) });
  const box = (name: string) => page.locator('.react-flow__node').filter({ hasText: name });
  const ways = () => page.locator('.react-flow__edge');
  const name = () => page.getByLabel('Name of the step');
  /** Between the two steps. */
  const clickWay = async () => {
    await ways().waitFor({ state: 'attached' });
    const [from, to] = [await box('read').boundingBox(), await box('work').boundingBox()];
    if (!from || !to) throw new Error('The steps are not drawn.');
    await page.mouse.click((from.x + from.width + to.x) / 2, from.y + from.height / 2);
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** What has the focus, once the page has drawn what it shows. */
  const focused = async () => {
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    return page.evaluate<string | null>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.id',
    );
  };

  test('take no step away where they are meant for its input', async () => {
    await step('read').click();
    const input = page.getByLabel('Input as JSON');
    await input.focus();
    await press('Control+a', 'Backspace');
    expect(await focused()).toBe(await input.getAttribute('id'));
    await press('Backspace');
    await page.keyboard.type('{{}');
    expect(await input.inputValue()).toBe('{{}');
    await press('Control+a', 'Backspace');
    await step('work').waitFor();
    await step('read').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('stay in the form of a step that is given another name', async () => {
    await step('read').click();
    await name().fill('first');
    await press('Enter');
    await step('first').waitFor();
    expect(await focused()).toBe(await name().getAttribute('id'));
    await press('End', 'Backspace', 'Tab');
    await step('firs').waitFor();
    expect(await focused()).toBe('Choose another klados or rhiza');
    await step('work').click();
    await name().fill('last');
    await page.getByRole('button', { name: 'Begin here' }).click();
    await step('last').getByRole('img', { name: 'It begins here' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('take no step away where nothing on the canvas has the focus', async () => {
    await step('read').click();
    await press('Escape', 'Backspace', 'Delete');
    await page.evaluate('document.activeElement.blur()');
    await press('Backspace', 'Delete');
    await page.getByRole('button', { name: 'Larger' }).focus();
    await press('Backspace', 'Delete');
    expect(await box('').count()).toBe(2);
    await box('work').click();
    await expect.poll(() => name().inputValue()).toBe('work');
    await press('Delete');
    await box('work').waitFor({ state: 'detached' });
    await press('Delete', 'Backspace');
    await box('read').focus();
    await press('Enter', 'Backspace');
    await box('read').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('take the way away that is chosen on the canvas, and not the step of which the form is open', async () => {
    await step('read').click();
    await ways().focus();
    await press('Enter', 'Delete');
    await ways().waitFor({ state: 'detached' });
    expect(await box('').count()).toBe(2);
    await expect.poll(() => page.getByLabel('What follows').inputValue()).toBe('done');
    await page.getByRole('button', { name: 'Discard' }).click();
    await clickWay();
    await press('Backspace');
    await ways().waitFor({ state: 'detached' });
    expect(await box('').count()).toBe(2);
    await page.getByRole('button', { name: 'Discard' }).click();
    // A step that is chosen after a way is what goes.
    await clickWay();
    await box('read').click();
    await press('Delete');
    await box('read').waitFor({ state: 'detached' });
    expect(await box('').count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });
});
