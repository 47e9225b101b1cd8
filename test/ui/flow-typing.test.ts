import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { klados, rhiza } from '../helpers/processors.ts';
import { askToClose, describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('what is typed into a flow', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let made: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const { id } = await klados(node, me, home.id);
    const runs = { klados: { id, type: 'klados' } };
    const flow = {
      read: { ...runs, then: { pass: 'work' }, input: { depth: 1 } },
      work: { ...runs, then: { done: true } },
    };
    made = await rhiza(node, me, home.id, { label: 'Texts', entry: 'read', flow });
    await visitor.go(`/processors/${made.id}`);
    await page.getByRole('button', { name: /^read/ }).waitFor();
  });

  const step = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) });
  const input = () => page.getByLabel('Input as JSON');
  const stored = async () => (await read(node, me, made.id)).properties.flow as Record<string, { input?: unknown }>;
  /** Somebody else's version, with another input of the first step. */
  const theirs = async (depth: number) => {
    const { cid, properties } = await read(node, me, made.id);
    const flow = properties.flow as Record<string, object>;
    const next = { ...flow, read: { ...flow.read, input: { depth } } };
    return ok<Entity>(await ask(node, me, `PUT /rhizai/${made.id}`, { expect_tip: cid, flow: next }));
  };

  test('as the input of a step follows what others save, and goes where it is discarded', async () => {
    await step('read').click();
    expect(JSON.parse(await input().inputValue())).toEqual({ depth: 1 });
    await theirs(2);
    await expect.poll(async () => JSON.parse(await input().inputValue())).toEqual({ depth: 2 });
    await input().fill('{"depth": 3}');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(async () => JSON.parse(await input().inputValue())).toEqual({ depth: 2 });
    await input().fill('{"depth": 4}');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3').first().waitFor();
    expect((await stored()).read?.input).toEqual({ depth: 4 });
    expect(visitor.faults).toEqual([]);
  });

  const first = () => page.getByText('First put right what cannot be saved.');
  const json = () => page.getByRole('textbox', { name: 'JSON' });
  const view = (name: string) => page.getByRole('button', { name, exact: true });
  /** Asks for another screen, which is not gone to. */
  const stays = async () => {
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await askToClose(page)).toBe('beforeunload');
  };

  test('as JSON and is no flow yet stays, and nothing is saved before it is put right', async () => {
    await view('JSON').click();
    const valid = (depth: number) => JSON.stringify({ ...made.properties, flow: flow(depth) });
    const flow = (depth: number) => {
      const { read: one, work } = made.properties.flow as Record<string, object>;
      return { read: { ...one, input: { depth } }, work };
    };
    const half = '{"entry": "read", "flow": {"read": ';
    await json().fill(half);
    await first().waitFor();
    await page.getByText('This is no JSON yet: look at line 1, column 36.').waitFor();
    expect(await view('Steps').isDisabled()).toBe(true);
    await stays();
    expect(await json().inputValue()).toBe(half);

    // A whole flow, and half of another: that one is not saved for this.
    await json().fill(valid(2));
    await first().waitFor({ state: 'detached' });
    await page.getByText(/^Here only “entry” and “flow” count. Not saved: .*“label”/).waitFor();
    await json().fill(half);
    await page.getByRole('status').filter({ hasText: 'Something cannot be saved as it is' }).waitFor();
    await page.keyboard.press('Control+s');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await lookAt(page, 'flow-half', { asItIs: true });
    expect(await json().inputValue()).toBe(half);
    expect((await read(node, me, made.id)).cid).toBe(made.cid);

    // Nor what would lose a step.
    await json().fill('{"entry": "read", "flow": {"read": {"then": {"done": true}}, "read": {}}}');
    await page.getByText('“read” stands twice in one object').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await first().waitFor({ state: 'detached' });
    expect(JSON.parse(await json().inputValue()).flow).toEqual(flow(1));

    // What is half while somebody else saves takes the place of nothing of theirs.
    await json().fill(half);
    await first().waitFor();
    const { cid } = await theirs(5);
    await page.getByText('Version 2').first().waitFor();
    expect(await json().inputValue()).toBe(half);
    await json().fill(valid(3));
    await page.keyboard.press('Control+s');
    await page.getByText('Somebody else changed this in the meantime.').waitFor();
    expect((await read(node, me, made.id)).cid).toBe(cid);
    expect(visitor.faults).toEqual([]);
  });

  test('as the input of a step and is no JSON yet stays with its step', async () => {
    await step('read').click();
    await input().fill('{"depth": ');
    await first().waitFor();
    for (const name of ['read', 'work']) expect(await step(name).isDisabled()).toBe(true);
    expect(await view('JSON').isDisabled()).toBe(true);
    await page.locator('.react-flow__node').filter({ hasText: 'work' }).click();
    await page.keyboard.press('Delete');
    await stays();
    expect(await input().inputValue()).toBe('{"depth": ');
    await page.keyboard.press('Control+s');
    await input().fill('{"depth": 7}');
    await step('work').click();
    await step('read').click();
    expect(JSON.parse(await input().inputValue())).toEqual({ depth: 7 });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2').first().waitFor();
    expect(await stored()).toMatchObject({ read: { input: { depth: 7 } }, work: {} });
    expect(visitor.faults).toEqual([]);
  });

  test('as the value of a route stays as it is typed, and is the text or the number that is chosen', async () => {
    await step('read').click();
    await page.getByRole('button', { name: 'Add a route' }).click();
    const value = page.getByLabel('Value of route 1', { exact: true });
    const kind = page.getByLabel('Kind of the value of route 1');
    const save = async (ver: number) => {
      await page.keyboard.press('Control+s');
      await page.getByText(`Saved as version ${ver}`).first().waitFor();
      const { then } = (await stored()).read as unknown as { then: { route: { where: { equals: unknown } }[] } };
      return then.route[0]?.where.equals;
    };
    const shown = async () => [await value.inputValue(), await kind.inputValue()];
    await value.pressSequentially('12345678901234567890');
    expect(await shown()).toEqual(['12345678901234567890', 'text']);
    await value.fill('');
    await value.pressSequentially('007');
    expect(await shown()).toEqual(['007', 'text']);
    await value.fill('');
    await value.pressSequentially('1.50');
    expect(await shown()).toEqual(['1.50', 'number']);
    expect(await save(2)).toBe(1.5);
    expect(await value.inputValue()).toBe('1.50');
    await value.fill('1850');
    await kind.selectOption('text');
    expect(await shown()).toEqual(['1850', 'text']);
    await lookAt(page, 'flow-route');
    expect(await save(3)).toBe('1850');
    await step('read').click();
    await step('read').click();
    expect(await shown()).toEqual(['1850', 'text']);
    await kind.selectOption('number');
    expect(await save(4)).toBe(1850);
    expect(visitor.faults).toEqual([]);
  });

  test('as routes of a step comes back with its way on, also after another step was looked at', async () => {
    const { cid, properties } = await read(node, me, made.id);
    const flow = properties.flow as Record<string, object>;
    const route = [{ where: { property: 'type', equals: 'map' }, target: 'last' }];
    const then = { recurse: 'work', max_depth: 3, route };
    const next = { ...flow, read: { ...flow.read, then }, last: { ...flow.work, then: { done: true } } };
    ok(await ask(node, me, `PUT /rhizai/${made.id}`, { expect_tip: cid, flow: next }));
    await step('last').waitFor();
    await step('read').click();
    const form = page.getByLabel('What follows');
    await form.selectOption('done');
    await page.getByLabel('Target of route 1').waitFor({ state: 'detached' });
    await step('last').click();
    await step('read').click();
    await form.selectOption('pass');
    expect(await page.getByLabel('Target of route 1').inputValue()).toBe('last');
    await form.selectOption('recurse');
    expect(await page.getByLabel('How often at most').inputValue()).toBe('3');
    // It is as it was: there is nothing to save.
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('of a new workflow and is no flow yet is not registered, and asked for', async () => {
    await visitor.go('/processors/new?kind=rhiza');
    await view('JSON').click();
    await json().fill('{"entry": ');
    await first().waitFor();
    expect(await page.getByRole('button', { name: 'Register' }).isDisabled()).toBe(true);
    await stays();
    expect(await json().inputValue()).toBe('{"entry": ');
    expect(visitor.faults).toEqual([]);
  });

  test('is taken by Enter, and does not register a new workflow with it', async () => {
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await visitor.go('/processors/new?kind=rhiza');
    await expect.poll(() => page.getByLabel('Collection', { exact: true }).inputValue()).not.toBe('');
    await page.getByLabel('Label', { exact: true }).fill('Half done');
    await page.getByRole('combobox', { name: 'Add a step: a klados or another rhiza' }).fill('a klados');
    await page
      .getByRole('option', { name: /a klados/ })
      .first()
      .click();
    await page.getByLabel('Name of the step').fill('split');
    await page.keyboard.press('Enter');
    await step('split').waitFor();
    await page.getByLabel('What follows').selectOption('recurse');
    await page.getByLabel('How often at most').fill('4');
    await page.keyboard.press('Enter');
    await page.waitForLoadState('networkidle');
    expect(sent).not.toContain('/rhizai');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Label', { exact: true }).press('Enter');
    await expect.poll(() => sent).toContain('/rhizai');
    expect(visitor.faults).toEqual([]);
  });

  test('takes no blanks from a step’s name that is only looked at', async () => {
    const { read: first, work } = (await read(node, me, made.id)).properties.flow as Record<string, object>;
    const flow = { ' read ': first, read: work, work };
    ok(await ask(node, me, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, entry: ' read ', flow }));
    const name = page.getByLabel('Name of the step');
    const names: string[] = [];
    await step('read').nth(1).waitFor();
    for (const place of [0, 1]) {
      await step('read').nth(place).click();
      names.push(await name.inputValue());
      await name.focus();
      await page.keyboard.press('Tab');
      expect(await name.inputValue()).toBe(names.at(-1));
    }
    expect(names.toSorted()).toEqual([' read ', 'read']);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('as a description keeps its lines', async () => {
    const description = 'Reads the pages.\r\nWorks on them.\rAll of them.';
    ok(await ask(node, me, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, description }));
    await expect.poll(() => page.getByLabel('Description').inputValue()).not.toBe('');
    await page.getByLabel('Description').press('Control+End');
    await page.keyboard.type(' Twice.');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3').first().waitFor();
    expect((await read(node, me, made.id)).properties.description).toBe(`${description} Twice.`);
    expect(visitor.faults).toEqual([]);
  });

  test('as how deep a step goes and is no number yet stays, and nothing is saved before it is put right', async () => {
    const { cid, properties } = await read(node, me, made.id);
    const flow = properties.flow as Record<string, object>;
    const recurse = { ...flow.work, then: { recurse: 'read', max_depth: 3 } };
    const deep = { expect_tip: cid, flow: { ...flow, work: recurse } };
    ok(await ask(node, me, `PUT /rhizai/${made.id}`, deep));
    await step('work').click();
    const depth = page.getByLabel('How often at most');
    await expect.poll(() => depth.inputValue()).toBe('3');
    await depth.press('Control+a');
    await page.keyboard.type('4e');
    await page.getByText('This is no number yet, or none that can be kept exactly.').waitFor();
    expect(await depth.inputValue()).toBe('4e');
    await page.keyboard.press('Control+s');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await depth.press('Backspace');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3').first().waitFor();
    expect((await stored()).work).toMatchObject({ then: { recurse: 'read', max_depth: 4 } });
    // None at all is what the node takes then, and it follows what others save.
    await depth.fill('');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => depth.inputValue()).toBe('4');
    expect(visitor.faults).toEqual([]);
  });
});
