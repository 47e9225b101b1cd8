import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, read } from '../helpers/entities.ts';
import { allow, command, fixture, many, one, program, replying, shipped, within, workflow } from '../helpers/local.ts';
import { agent, klados } from '../helpers/processors.ts';
import { comingIn, describePage, lookAt, pictureOf, signedIn, startPageNode } from './browser.ts';

const local = {
  fixity: shipped('fixity'),
  'extract-text': shipped('extract-text'),
  'combine-text': shipped('combine-text'),
  'image-metadata': shipped('image-metadata'),
};

/** Takes the first that a type-ahead offers for a text, by keys. */
async function pick(page: Page, name: string, text: string): Promise<void> {
  const box = page.getByRole('combobox', { name });
  await box.fill(text);
  await page.getByRole('option', { name: text }).first().waitFor();
  await box.press('Enter');
}

/** Runs in the page: what it has of the answers to what was written, as React passes on their cache. */
const answersKept = `(() => {
  const place = document.querySelector('#page');
  const [root] = Object.keys(place).filter((name) => name.startsWith('__reactContainer'));
  let fiber = place[root];
  while (!fiber.memoizedProps?.client) fiber = fiber.child;
  return JSON.stringify(fiber.memoizedProps.client.getMutationCache().getAll().map(({ state }) => state));
})()`;

describePage('processors', () => {
  test('a command is registered, activated, run on a file and followed to what it made', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    await allow(node, local);
    const shelf = await collection(node, me, { label: 'Letters' });
    await fixture(node, me, shelf.id, 'letter.html', 'text/html');

    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'There is no processor yet' }).waitFor();
    await lookAt(page, 'processors-empty');
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New klados' }).waitFor();
    await page.getByLabel('Where it runs').selectOption('exec:extract-text');
    expect(await page.getByLabel('Label', { exact: true }).inputValue()).toBe('extract-text');
    expect(await page.getByLabel('Collection', { exact: true }).inputValue()).toBe(shelf.id);
    await lookAt(page, 'processors-new');
    await page.getByRole('button', { name: 'Register', disabled: false }).press('Enter');
    await page.getByRole('heading', { name: 'extract-text', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Activate', disabled: false }).press('Enter');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await page.getByLabel('Description').fill('Reads letters');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3').first().waitFor();
    await lookAt(page, 'processors-klados');

    await page.getByRole('link', { name: 'Run it' }).press('Enter');
    await page.getByRole('heading', { name: 'Process', level: 1 }).waitFor();
    await page.getByLabel('Collection to work in').selectOption('Letters');
    await page.getByRole('button', { name: 'All of the collection of type file', disabled: false }).press('Enter');
    await page.getByRole('list', { name: 'What is worked on' }).getByRole('link').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'What it may do' }).waitFor();
    await page.getByText('change entities entity:update').waitFor();
    await lookAt(page, 'process');
    await page.getByRole('button', { name: 'Give them and start', disabled: false }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    expect(page.url()).toContain('/jobs/job_');
    const [made] = await within(node, me, shelf.id, 'document');
    await page.locator(`a[href*="${made?.id}"]`).waitFor();
    await pictureOf(page, 'job');

    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'Letters' }).waitFor();
    await lookAt(page, 'jobs');
    // However narrow the window is, it says when.
    for (const width of [800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('row').locator('time:visible').waitFor();
    }
    expect(visitor.faults).toEqual([]);
  });

  test('nothing is registered before it is known where, and a command is allowed on this node', async () => {
    await using node = await startPageNode();
    await collection(node, operator(node), { label: 'Letters' });
    // What a job has made since is not where it goes.
    await collection(node, operator(node), { label: 'Pipeline Job: job_01M8P3AV5J4F7BMC69R65RPYPE' });
    await using visitor = await signedIn(node);
    const { page } = visitor;
    const answer = Promise.withResolvers<void>();
    await page.route('**/node/collections?*', (route) => answer.promise.then(() => route.continue()));
    for (const kind of ['klados', 'rhiza']) {
      await visitor.load(`/processors/new?kind=${kind}`);
      await page.getByRole('button', { name: 'Register', disabled: true }).waitFor();
      if (kind === 'klados')
        await page.getByText(`archeion processor allow extract-text --data ${node.data}`).waitFor();
    }
    answer.resolve();
    await page.getByRole('button', { name: 'Register', disabled: false }).waitFor();
    await page.route('**/node/commands', (route) => route.abort());
    await visitor.load('/processors/new');
    await page.getByText('The node does not answer').waitFor();
    // The one that Enter takes is in sight, however many stand above it.
    const actions = page.getByRole('combobox', { name: 'What it must be allowed to do' });
    for (let i = 0; i < 13; i++) await actions.press('ArrowDown');
    const listbox = page.getByRole('listbox');
    const ends = [listbox.getByRole('option', { selected: true }), listbox].map(async (one) => {
      const box = await one.boundingBox();
      return box ? box.y + box.height : Number.NaN;
    });
    const [option = 0, list = 0] = await Promise.all(ends);
    expect(option).toBeLessThanOrEqual(list);
    const select = page.getByLabel('Collection', { exact: true });
    expect(await select.locator('option:checked').allInnerTexts()).toEqual(['Letters']);
    expect(await select.locator('option').count()).toBe(2);
    expect(visitor.faults).toEqual([]);
  });

  test('a flow is put together by keys, refused at its step, corrected, run, and followed', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    await allow(node, local);
    const shelf = await collection(node, me, { label: 'Letters' });
    const accepts = many('*');
    await command(node, me, shelf.id, 'fixity', { accepts, produces: accepts });
    await command(node, me, shelf.id, 'extract-text', { accepts: one('file') });
    await command(node, me, shelf.id, 'combine-text', { accepts });
    await fixture(node, me, shelf.id, 'letter.html', 'text/html');
    await fixture(node, me, shelf.id, 'letter.html', 'text/html', ' ');

    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/processors/new?kind=rhiza');
    await page.getByLabel('Label', { exact: true }).fill('Texts of letters');
    for (const name of ['fixity', 'extract-text', 'combine-text']) {
      await pick(page, 'Add a step: a klados or another rhiza', name);
      await page.getByRole('button', { name: new RegExp(`^${name}`), expanded: true }).waitFor();
    }
    // The last step leads back to the first, which is refused.
    await page.getByLabel('What follows').selectOption('pass');
    await page.getByLabel('With step').selectOption('fixity');
    await page.getByRole('button', { name: 'Register', disabled: false }).press('Enter');
    const circle = 'The steps lead in a circle; only “repeat” may lead back. (fixity → extract-text';
    await page.getByRole('alert').filter({ hasText: circle }).first().waitFor();
    await page.getByRole('img', { name: circle }).waitFor();
    expect(await page.getByText('CYCLE_DETECTED').count()).toBe(0);
    await lookAt(page, 'flow-refused');
    await page.getByLabel('What follows').selectOption('done');
    await page.getByRole('button', { name: /^fixity/, disabled: false }).press('Enter');
    await page.getByLabel('What follows').selectOption('scatter');
    await page.getByRole('button', { name: /^extract-text/, disabled: false }).press('Enter');
    await page.getByLabel('What follows').selectOption('gather');
    await page.getByLabel('Name of the step').fill('read');
    await page.getByLabel('Name of the step').press('Enter');
    await page.getByRole('button', { name: 'Register', disabled: false }).press('Enter');
    await page.getByRole('button', { name: 'Activate' }).waitFor();
    await page.getByRole('button', { name: 'JSON', disabled: false }).press('Enter');
    const json = JSON.parse(await page.getByRole('textbox', { name: 'JSON' }).inputValue());
    expect(json).toMatchObject({
      entry: 'fixity',
      flow: { fixity: { then: { scatter: 'read' } }, read: { then: { gather: 'combine-text' } } },
    });
    expect(await page.locator('.react-flow__node').count()).toBe(3);
    expect(await page.locator('.react-flow__edge').count()).toBe(2);
    await lookAt(page, 'flow');

    // It fits itself into a window of another size, until somebody has moved it.
    const view = () => page.locator('.react-flow__viewport').getAttribute('style');
    const resized = async (width: number, before: string | null) => {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => page.evaluate('innerWidth')).toBe(width);
      if (before !== null) await expect.poll(view).not.toBe(before);
    };
    await resized(1100, await view());
    await page.getByRole('button', { name: 'Larger', disabled: false }).press('Enter');
    await expect.poll(view).toContain('scale');
    // The drawing comes to rest first.
    let mine = await view();
    const moves = async () => {
      const before = mine;
      mine = await view();
      return mine !== before;
    };
    for (let isMoving = true; isMoving; isMoving = await moves()) await page.waitForTimeout(500);
    await resized(1400, null);
    await page.waitForTimeout(500);
    expect(await view()).toBe(mine);
    await page.getByRole('button', { name: 'Show all of it', disabled: false }).press('Enter');
    await expect.poll(view).not.toBe(mine);
    await page.setViewportSize({ width: 1280, height: 800 });

    // What is typed as JSON is drawn, and what is drawn is saved.
    json.flow.fixity.then.route = [{ where: { property: 'fixity', equals: 'missing' }, target: 'combine-text' }];
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(json));
    await page.getByText('fixity = missing').waitFor();
    await page.getByRole('button', { name: 'Save', disabled: false }).press('Enter');
    await page.getByText('Saved as version 2').first().waitFor();

    await page.getByRole('button', { name: 'Activate', disabled: false }).press('Enter');
    await page.getByRole('link', { name: 'Run it' }).press('Enter');
    await page.getByLabel('Collection to work in').selectOption('Letters');
    await pick(page, 'Find an entity to work on', 'letter.html');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Give them and start', disabled: false }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    const lines = page.getByRole('list', { name: 'Jobs of this run' }).getByRole('button');
    expect(await lines.count()).toBe(3);
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'read', level: 2 }).waitFor();
    await lookAt(page, 'job-flow');
    expect(visitor.faults).toEqual([]);
  });

  test('what failed says why, is resumed, and many entities are a batch', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const shelf = await collection(node, me, { label: 'Notes' });
    for (const label of ['one', 'two', 'three']) {
      await create(node, me, { type: 'note', collection: shelf.id, properties: { label } });
    }
    await allow(node, { ink: program('console.error("no ink left"); process.exit(3)') });
    const of = await command(node, me, shelf.id, 'ink', {
      accepts: one('note'),
      input_schema: {
        type: 'object',
        required: ['colour'],
        properties: {
          colour: { type: 'string', title: 'Colour', enum: ['black', 'blue'] },
          copies: { type: 'integer' },
        },
      },
    });
    const flow = await workflow(node, me, shelf.id, { print: { klados: of, then: { done: true } } });

    await using visitor = await signedIn(node);
    const { page } = visitor;
    const [note] = await within(node, me, shelf.id, 'note');
    await visitor.go(`/entities/${note?.id}`);
    await page.getByRole('link', { name: 'Process with' }).press('Enter');
    await pick(page, 'Agent, klados or rhiza', 'a workflow');
    await page.getByLabel('Input as JSON').fill('{"colour": "black"}');
    await page.getByRole('button', { name: 'Show the permissions', disabled: false }).press('Enter');
    await page.getByRole('button', { name: 'Give them and start', disabled: false }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Failed' }).waitFor();
    await page.getByText('no ink left').first().waitFor();
    await lookAt(page, 'job-failed');
    await allow(node, { ink: replying('return { messages: [{ level: "info", message: "in " + job.input.colour }] }') });
    await page.getByRole('button', { name: 'Run it again', disabled: false }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    await page.getByRole('list', { name: 'Jobs of this run' }).getByRole('button').nth(1).press('Enter');
    await page.getByText('in black').waitFor();

    // All notes at once, with the input by fields.
    await visitor.go(`/process?processor=${of.id}&collection=${shelf.id}`);
    await page.getByRole('button', { name: 'All of the collection of type note', disabled: false }).press('Enter');
    await page.getByText('3 entities').waitFor();
    await page.getByRole('button', { name: 'Show the permissions', disabled: false }).press('Enter');
    await page.getByRole('alert').filter({ hasText: 'colour' }).first().waitFor();
    await page.getByLabel('Colour (needed)').selectOption('"blue"');
    await page.getByLabel('copies').fill('2');
    await page.keyboard.press('Control+Enter');
    await page.getByText('3 jobs, one for each entity.').waitFor();
    await lookAt(page, 'process-batch');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    await page.getByText('in blue').waitFor();

    // One that was refused has no log, and is repeated all the same.
    await allow(node, {});
    const body = { target_entity: note?.id, target_collection: shelf.id, confirm: true, input: { colour: 'black' } };
    expect(ok(await ask(node, me, `POST /kladoi/${of.id}/invoke`, body))).toMatchObject({ status: 'rejected' });
    const [{ job_id }] = ok<{ runs: [{ job_id: string }] }>(await ask(node, me, 'GET /node/jobs')).runs;
    await allow(node, { ink: replying('return { messages: [{ level: "info", message: "in time" }] }') });
    await visitor.go(`/jobs/${job_id}`);
    await page.getByRole('button', { name: 'Run it again', disabled: false }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    await visitor.go(`/processors/${flow.id}`);
    await page.getByRole('heading', { name: 'a workflow', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('an agent says which agents it calls, and what its results look like', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const shelf = await collection(node, me, { label: 'Services' });
    const helper = await agent(node, me, shelf.id, { label: 'Helper', endpoint: 'https://helper.test' });
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/processors/new?kind=agent');
    await page.getByLabel('Label', { exact: true }).fill('Describer');
    await page.getByLabel('Endpoint', { exact: true }).fill('https://describer.test');
    await pick(page, 'Add an agent', 'Helper');
    await page.getByLabel('What Helper is called for').fill('Looks things up');
    await page.locator('summary', { hasText: 'Output schema' }).press('Enter');
    const output = page.getByLabel(/^Output schema/);
    await output.fill('[]');
    await page.getByText('The schema is no JSON object yet.').waitFor();
    await output.fill('{"type": "object"}');
    await lookAt(page, 'processors-agent-new');
    await page.getByRole('button', { name: 'Register', disabled: false }).press('Enter');
    await page.getByRole('heading', { name: 'Describer', level: 1 }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const uses = [{ pi: helper.id, label: 'Helper', description: 'Looks things up' }];
    expect((await read(node, me, id)).properties).toMatchObject({
      uses_agents: uses,
      output_schema: { type: 'object' },
    });
    await page.getByRole('button', { name: 'Remove Helper', disabled: false }).press('Enter');
    await page.getByLabel(/^Output schema/).fill('');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2').first().waitFor();
    const { cid, properties } = await read(node, me, id);
    expect([properties.uses_agents, properties.output_schema]).toEqual([undefined, undefined]);
    const description = 'Looks.\r\nTells.  ';
    ok(await ask(node, me, `PUT /agents/${id}`, { expect_tip: cid, description }));
    const field = page.getByLabel('Description');
    await expect.poll(() => field.inputValue()).toBe('Looks.\nTells.  ');
    await field.press('Control+Home');
    await page.keyboard.type('It ');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 4').first().waitFor();
    expect((await read(node, me, id)).properties.description).toBe(`It ${description}`);
    expect(visitor.faults).toEqual([]);
  });

  test('an endpoint is verified step by step, and its keys made and revoked', async () => {
    await using node = await startPageNode({ env: { ARCHEION_SERVICE: 'museum' } });
    let served: unknown = null;
    // Where the page says that it is asked for, and nowhere else.
    const service = createServer(({ url }, response) => {
      if (url !== new URL(asked).pathname) response.statusCode = 404;
      response.end(JSON.stringify(served));
    });
    let asked = 'http://nowhere.test/';
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    service.unref();
    const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const me = operator(node);
    const shelf = await collection(node, me, { label: 'Services' });
    const made = await klados(node, me, shelf.id, { label: 'Splitter', endpoint });
    const other = ok<{ prefix: string }>(await ask(node, me, `POST /kladoi/${made.id}/keys`, { label: 'other' }));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go(`/processors/${made.id}`);
    await page.getByRole('button', { name: 'Activate', disabled: false }).press('Enter');
    await page.getByRole('alert').filter({ hasText: 'status' }).waitFor();
    await page.getByRole('button', { name: 'Ask the endpoint now', disabled: false }).press('Enter');
    await page.getByText('There is no token yet').waitFor();
    await page.getByRole('button', { name: 'Ask for a token', disabled: false }).press('Enter');
    await page.getByText('"verification_token":"vt_').waitFor();
    asked = (await page.getByText(`${endpoint}/.well-known/`).textContent()) ?? '';
    await page.getByRole('button', { name: 'Ask the endpoint now', disabled: false }).press('Enter');
    await page.getByText('something else than the JSON').waitFor();
    await lookAt(page, 'processors-verify');
    served = JSON.parse((await page.getByText('"verification_token":"vt_').textContent()) ?? '');
    await page.getByRole('button', { name: 'Ask the endpoint now', disabled: false }).press('Enter');
    await page.getByText('verified', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate', disabled: false }).press('Enter');
    await page.getByRole('link', { name: 'Run it' }).waitFor();

    await page.getByRole('button', { name: 'Make a key', disabled: false }).press('Enter');
    await page.getByLabel('What it is for').fill('worker');
    await page.getByRole('button', { name: 'Create', disabled: false }).press('Enter');
    await page.getByText(/ak_[0-9a-f]{20}/).waitFor();
    await page.getByRole('button', { name: 'I have kept it', disabled: false }).press('Enter');
    await page.getByText('worker').waitFor();
    expect(await page.evaluate(answersKept)).not.toContain('ak_');
    const dialog = page.getByRole('dialog');
    const said = dialog.getByText('The node does not answer.');
    await page.route(`**/keys/${other.prefix}`, (route) => route.abort('connectionreset'), { times: 1 });
    await page.getByRole('button', { name: `Revoke the key ${other.prefix}…` }).press('Enter');
    await dialog.getByRole('button', { name: 'Revoke', exact: true, disabled: false }).press('Enter');
    await said.waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    // What went wrong with one key is not said of another.
    const worker = page.getByRole('listitem').filter({ hasText: 'worker' });
    await worker.getByRole('button', { name: /^Revoke the key ak_/ }).press('Enter');
    const revoke = dialog.getByRole('button', { name: 'Revoke', exact: true, disabled: false });
    await revoke.waitFor();
    expect(await said.count()).toBe(0);
    await revoke.press('Enter');
    await expect.poll(() => page.getByText('worker').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
    service.close();
  });

  test('hostile entries show harmlessly, in German too', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const shelf = await collection(node, me, { label: '<img src=x onerror=alert(1)>' });
    const label = `\u202e<script>alert(1)</script>${'x'.repeat(150)}`;
    await klados(node, me, shelf.id, {
      label,
      description: '[a](javascript:alert(1))',
      endpoint: 'https://a.test/<b>',
    });
    await agent(node, me, shelf.id, { label: 'Krähe', endpoint: 'https://agent.test' });
    await using visitor = await comingIn(node, { locale: 'de-DE' });
    const { page } = visitor;
    await visitor.go('/processors');
    await page.getByRole('heading', { name: 'Prozessoren' }).waitFor();
    await page.getByRole('searchbox').fill('kräh');
    await page.getByText('Ein Prozessor').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('2 Prozessoren').waitFor();
    await lookAt(page, 'processors-hostile');
    await page.getByRole('link', { name: /script/ }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /script/ }).waitFor();
    await lookAt(page, 'processors-hostile-one');
    await visitor.go('/jobs/job_nothing');
    await page.getByRole('alert').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a schema of which something would be lost is not saved, and says why', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const shelf = await collection(node, me, { label: 'Letters' });
    const reader = await klados(node, me, shelf.id, { label: 'Reader', input_schema: { type: 'object' } });
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go(`/processors/${reader.id}`);
    const schema = page.getByLabel('Input schema: JSON Schema');
    const save = page.getByRole('button', { name: 'Save' });
    for (const [text, said] of [
      ['{"type": "object",\n "type": "array"}', '“type” stands twice in one object'],
      ['{"maximum": 9007199254740993}', '9007199254740993 cannot be kept exactly'],
      ['{"type": ', 'This is no JSON yet: look at line 1, column 10.'],
    ] as const) {
      await schema.fill(text);
      await page.getByText(said).waitFor();
      expect(await save.isDisabled()).toBe(true);
      await page.keyboard.press('Control+s');
    }
    await schema.fill('{"type": "object", "maximum": 2}');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).waitFor();
    expect((await read(node, me, reader.id)).properties.input_schema).toEqual({ type: 'object', maximum: 2 });
    expect(visitor.faults).toEqual([]);
  });

  test('is registered once, as it was typed last, where the answer to that was lost', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const shelf = await collection(node, me, { label: 'Letters' });
    const { id } = await klados(node, me, shelf.id);
    await using visitor = await signedIn(node);
    const { page } = visitor;
    const lost = new Map<string, number>();
    await page.route(/\/(?:agents|kladoi|rhizai)$/, async (route) => {
      const kind = new URL(route.request().url()).pathname;
      const count = (lost.get(kind) ?? 0) + 1;
      if (route.request().method() !== 'POST' || count > 2) return route.continue();
      lost.set(kind, count);
      await route.fetch();
      await route.abort('connectionreset');
    });
    const flow = { entry: 'read', flow: { read: { klados: { id, type: 'klados' }, then: { done: true } } } };
    for (const kind of ['klados', 'agent', 'rhiza'] as const) {
      await visitor.go(`/processors/new?kind=${kind}`);
      await page.getByRole('heading', { name: /^New/, level: 1 }).waitFor();
      if (kind === 'rhiza') {
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(flow));
      } else await page.getByLabel('Endpoint').fill('https://klados.test');
      for (const label of [`first ${kind}`, `second ${kind}`]) {
        await page
          .getByLabel(/^(Label|Name)$/)
          .first()
          .fill(label);
        const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
        await page.getByRole('button', { name: 'Register', disabled: false }).click();
        await failed;
        await page.getByText('The node does not answer.').first().waitFor();
      }
      await page.getByRole('button', { name: 'Register', disabled: false }).click();
      await page.getByRole('heading', { name: `second ${kind}`, level: 1 }).waitFor();
    }
    const { entities } = ok<{ entities: { label: string }[] }>(
      await ask(node, me, `GET /collections/${shelf.id}/entities`),
    );
    expect(entities.map(({ label }) => label).sort()).toEqual([
      'a klados',
      'second agent',
      'second klados',
      'second rhiza',
    ]);
    expect(visitor.faults).toEqual([]);
  });
});
