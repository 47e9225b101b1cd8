import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { fieldsOf, fieldsOfInput } from '../../src/renderer/src/views/process/model/schema-form.ts';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create } from '../helpers/entities.ts';
import { allow, command, many, one, replying } from '../helpers/local.ts';
import type { TestNode } from '../helpers/node.ts';
import { klados } from '../helpers/processors.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

test('an input has a field for all of it, as JSON where it fits into no other', () => {
  const properties = { a: { type: 'string' }, b: { type: 'number' }, c: { enum: [1, 'x'] }, d: { type: 'boolean' } };
  const kinds = (input: Parameters<typeof fieldsOfInput>[1]) =>
    fieldsOfInput(fieldsOf({ properties }) ?? [], input).map(({ name, kind }) => `${name} ${kind}`);
  expect(kinds({ a: 'x', b: 1, c: 'x', d: false })).toEqual(['a text', 'b number', 'c choice', 'd boolean']);
  expect(kinds({})).toEqual(kinds({ a: 'x\ny' }));
  expect(kinds({ a: 1, b: '1', c: 2, d: null })).toEqual(['a json', 'b json', 'c json', 'd json']);
  // No field gives back lines that end so.
  expect(kinds({ a: 'x\r\ny', more: 1 })).toEqual(['a json', 'b number', 'c choice', 'd boolean', 'more json']);
});

describePage('what is processed', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(() => {
    me = operator(node);
  });

  test('is given the input that is shown, or nothing is started', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    await create(node, me, { type: 'note', collection: shelf.id, properties: { label: 'one' } });
    const reply = 'return { messages: [{ level: "info", message: "in " + JSON.stringify(job.input) }] }';
    await allow(node, { echo: replying(reply) });
    const echo = await command(node, me, shelf.id, 'echo', {
      accepts: one('note'),
      input_schema: { type: 'object', properties: { languages: {}, depth: { type: 'number' } } },
    });
    await visitor.go(`/process?processor=${echo.id}&collection=${shelf.id}`);
    await page.getByRole('button', { name: 'All of the collection of type note', disabled: false }).click();
    const look = page.getByRole('button', { name: 'Show the permissions' });
    await page.getByRole('button', { name: 'Show the permissions', disabled: false }).waitFor();
    const [languages, depth] = [page.getByLabel('languages'), page.getByLabel('depth')];

    for (const wrong of ['["a", "b"', 'eng, deu', '{"a": 1, "a": 2}', '[1e999]']) {
      await languages.fill('["a"]');
      await page.getByRole('button', { name: 'Show the permissions', disabled: false }).waitFor();
      await languages.fill(wrong);
      await page.getByText('First put right the input.').waitFor();
      expect(await languages.getAttribute('aria-invalid')).toBe('true');
      expect(await look.isDisabled()).toBe(true);
    }
    await lookAt(page, 'process-fault', { asItIs: true });
    await languages.fill('["a"]');
    await depth.fill('1e');
    await page.getByText('This is no number yet').waitFor();
    expect(await look.isDisabled()).toBe(true);
    await depth.fill('2');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'What it may do' }).waitFor();
    // What was looked at is no longer what is shown.
    await languages.fill('["a", "b"');
    await page.getByRole('heading', { name: 'What it may do' }).waitFor({ state: 'detached' });
    expect(await look.isDisabled()).toBe(true);
    await languages.fill('["a", "b"]');

    // What stands in no field of the form is shown there, too.
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByLabel('Input as JSON');
    await text.fill('{"languages": ["a", "b"], "depth": "deep", "depth": 2}');
    await page.getByText('“depth” stands twice').waitFor();
    expect(await look.isDisabled()).toBe(true);
    await text.fill('{"languages": ["a", "b"], "depth": "deep", "more": true}');
    await page.getByRole('button', { name: 'Edit as a form' }).click();
    expect([await depth.inputValue(), await page.getByLabel('more', { exact: true }).inputValue()]).toEqual([
      '"deep"',
      'true',
    ]);
    await depth.fill('3');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Give them and start', disabled: false }).press('Enter');
    await page.getByText('in {"languages":["a","b"],"depth":3,"more":true}').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is asked for what is needed and has nothing that is usual', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    const language = { enum: ['de', 'en'] };
    const input_schema = {
      type: 'object',
      required: ['language', 'other'],
      properties: { language, other: { ...language, default: 'en' }, more: language },
    };
    const reader = await klados(node, me, shelf.id, { input_schema });
    await visitor.go(`/process?processor=${reader.id}&collection=${shelf.id}`);
    const first = (name: string | RegExp) => page.getByLabel(name).locator('option').first().textContent();
    await page.getByLabel(/^language/).waitFor();
    expect(await first(/^language/)).toBe('(choose one)');
    expect(await first(/^other/)).toBe('(as usual)');
    expect(await first('more')).toBe('(as usual)');
    expect(visitor.faults).toEqual([]);
  });

  test('may have been started where the answer to that was lost, which is said before it is started again', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    await create(node, me, { type: 'note', collection: shelf.id, properties: { label: 'one' } });
    await allow(node, { echo: replying('return {}') });
    const echo = await command(node, me, shelf.id, 'echo', { accepts: one('note') });
    await page.route(/\/invoke$/, async (route) => {
      if (!(route.request().postDataJSON() as { confirm?: boolean }).confirm) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await visitor.go(`/process?processor=${echo.id}&collection=${shelf.id}`);
    await page.getByRole('button', { name: 'All of the collection of type note', disabled: false }).click();
    await page.getByRole('button', { name: 'Show the permissions', disabled: false }).click();
    await page.getByRole('button', { name: 'Give them and start', disabled: false }).click();
    const said = page.getByRole('alert').filter({ hasText: 'It may have been started all the same' });
    await said.getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await page.getByText('echo').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is given a text with the lines of it that are pasted', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    await allow(node, { echo: replying('return {}') });
    const echo = await command(node, me, shelf.id, 'echo', {
      input_schema: { type: 'object', properties: { prompt: { type: 'string' } } },
    });
    await visitor.go(`/process?processor=${echo.id}&collection=${shelf.id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText('Read this:\\r\\nfirst the title,\\n\\nthen the rest')`);
    const prompt = page.getByLabel('prompt');
    await prompt.focus();
    await page.keyboard.press('Control+v');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('.');
    const asJson = page.getByRole('button', { name: 'Edit as JSON' });
    await asJson.click();
    const text = page.getByLabel('Input as JSON');
    const given = { prompt: 'Read this:\nfirst the title,\n\nthen the rest.' };
    expect(JSON.parse(await text.inputValue())).toEqual(given);
    // It is a text in the form, too.
    await page.getByRole('button', { name: 'Edit as a form' }).click();
    expect(await prompt.inputValue()).toBe(given.prompt);
    // The field stays while it is typed in.
    await prompt.press('Control+a');
    await page.keyboard.type('Read');
    expect(await prompt.inputValue()).toBe('Read');
    expect(visitor.faults).toEqual([]);
  });

  test('keeps the input that was typed where another processor is chosen for it', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    await allow(node, { echo: replying('return {}'), count: replying('return {}') });
    const schemaOf = (...names: string[]) => ({
      input_schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) },
    });
    const echo = await command(node, me, shelf.id, 'echo', schemaOf('prompt', 'depth'));
    await command(node, me, shelf.id, 'count', schemaOf('prompt'));
    const another = page.getByRole('button', { name: 'Choose another' });
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Agent, klados or rhiza' }).fill(name);
      await page.getByRole('option', { name }).click();
      await another.waitFor();
    };
    await visitor.go(`/process?processor=${echo.id}&collection=${shelf.id}`);
    await page.getByLabel('prompt').fill('"Read this"');
    await page.getByLabel('depth').fill('3');
    await another.click();
    await choose('count');
    const kept = () =>
      Promise.all(['prompt', 'depth'].map((name) => page.getByLabel(name, { exact: true }).inputValue()));
    expect(await kept()).toEqual(['"Read this"', '3']);

    // What is no value yet stands in its field alone.
    await page.getByLabel('prompt').fill('"Read');
    await another.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    expect(await page.getByLabel('prompt').inputValue()).toBe('"Read');
    await another.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await choose('echo');
    expect((await kept())[1]).toBe('3');
    expect(visitor.faults).toEqual([]);
  });

  test('is asked for before it is left, where it was chosen by hand', async () => {
    const shelf = await collection(node, me, { label: 'Notes' });
    const [first, second] = await Promise.all(
      ['one', 'two'].map((label) => create(node, me, { type: 'note', collection: shelf.id, properties: { label } })),
    );
    const reader = await command(node, me, shelf.id, 'reader', { accepts: many('note') });
    const targets = encodeURIComponent(JSON.stringify([first?.id]));
    await visitor.go(`/process?processor=${reader.id}&collection=${shelf.id}&targets=${targets}`);
    const list = page.getByRole('list', { name: 'What is worked on' });
    await list.getByRole('link', { name: 'one' }).click();
    await page.getByRole('heading', { name: 'one', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('combobox', { name: 'Find an entity to work on' }).fill(second?.id ?? '');
    await page.getByRole('option', { name: /two/ }).click();
    await list.getByRole('link', { name: 'one' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    expect(await list.getByRole('link').allInnerTexts()).toEqual(['one', 'two']);
    expect(visitor.faults).toEqual([]);
  });

  test('is all of a collection that fits, as much as can be at once, which is said', async () => {
    const items = await collection(node, me, { label: 'Items' });
    const tools = await collection(node, me, { label: 'Tools' });
    for (const label of ['one', 'two'])
      await create(node, me, { type: 'note', collection: items.id, properties: { label } });
    expect(await seedItems(node, 10_010)).toBe(items.id);
    const reader = await command(node, me, tools.id, 'reader', { accepts: one('note') });
    const joiner = await command(node, me, tools.id, 'joiner', { accepts: many('*') });

    // Older than all that can be worked on at once.
    await visitor.go(`/process?processor=${reader.id}&collection=${items.id}`);
    await page.getByRole('button', { name: 'All of the collection of type note', disabled: false }).click();
    await page.getByText('2 entities', { exact: true }).waitFor();
    expect(await page.getByText('no more can be worked on at once').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear the selection' }).click();

    await visitor.go(`/process?processor=${joiner.id}&collection=${items.id}`);
    await page.getByRole('button', { name: 'All of the collection', exact: true, disabled: false }).click();
    await page.getByText('10,000 of 10,012: what was chosen already').waitFor();
    await page.getByText('10,000 entities', { exact: true }).waitFor();
    await lookAt(page, 'process-most', { asItIs: true });
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByText('10,000 of 10,012').waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });
});
