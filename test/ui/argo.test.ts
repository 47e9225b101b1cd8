import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';
import { comingIn, describePage, lookAt, pictureOf, startPageNode, tidiedAfterEach, type Visit } from './browser.ts';
import { seedArtworks } from './seed.ts';

describePage('Argo queries', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let turner: Entity;
  let ship: Entity;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    node = tidied(await startPageNode());
    me = operator(node);
    const home = await collection(node, me, { label: 'Paintings' });
    const made = (type: string, label: string, links: [string, Entity][] = [], properties: object = {}) =>
      create(node, me, {
        type,
        collection: home.id,
        properties: { label, ...properties },
        relationships: links.map(([predicate, { id }]) => ({ predicate, peer: id })),
      });
    const movement = await made('movement', 'Romanticism');
    turner = await made('artist', 'Joseph Turner', [['member_of', movement]]);
    const girtin = await made('artist', 'Thomas Girtin', [['member_of', movement]]);
    ship = await made('artwork', 'A Ship in a Storm', [['made_by', turner]], { description: 'Oil on canvas' });
    await made('artwork', '=HYPERLINK("http://x"),"y"', [['made_by', girtin]], {
      description: 'Watercolour of a ship',
    });
    visitor = tidied(await comingIn(node));
    page = visitor.page;
  });

  const editor = () => page.getByRole('textbox', { name: 'Query', exact: true });
  const results = () => page.getByRole('list', { name: 'What was found' }).locator(':scope > li');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const option = (name: RegExp) => page.getByRole('option', { name });

  test('are written with what fits, run by keys, and answered with ways through the graph', async () => {
    await indexIdle(node);
    await visitor.go('/');
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await heading('Argo query').waitFor();
    await page.getByRole('heading', { name: 'To begin with' }).waitFor();
    await page.getByRole('button', { name: /type:artist ~/ }).waitFor();
    await lookAt(page, 'argo-empty');

    await page.keyboard.press('/');
    await page.locator('.cm-focused').waitFor();
    await page.keyboard.type('@joseph');
    await option(/Joseph Turner/).waitFor();
    await lookAt(page, 'argo-entity', { asItIs: true });
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
    expect(await editor().innerText()).toBe(`@${turner.id}`);
    await page.getByRole('list', { name: 'Entities in the query' }).getByText('Joseph Turner').waitFor();
    await page.keyboard.type(' <-[ma');
    await option(/made_by/).waitFor();
    await page.waitForTimeout(100);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('- type:art');
    await option(/artwork/).waitFor();
    await option(/movement/).waitFor({ state: 'detached' });
    await lookAt(page, 'argo-completion', { asItIs: true });
    await page.waitForTimeout(100);
    await page.keyboard.press('Escape');
    await page.keyboard.type('work');
    await page.keyboard.press('Control+Enter');
    await page.getByText('One found').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe(`@${turner.id} <-[made_by]- type:artwork`);
    const way = results().first().getByRole('list', { name: 'The way there' });
    expect(await way.getByRole('link').allInnerTexts()).toEqual(['Joseph Turner', 'A Ship in a Storm']);
    await way.getByText('is led to by made_by from').waitFor();
    await page.getByText('How the query was understood').click();
    await page.getByText('in [made_by] 1 types(artwork)').waitFor();
    await page.getByText('the entity Joseph Turner', { exact: true }).waitFor();
    await page.getByText('against made_by: entities of the type artwork').waitFor();
    await lookAt(page, 'argo');

    await editor().click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading('A Ship in a Storm').waitFor();
    await page.goBack();
    await page.getByText('One found').waitFor();
    expect(await editor().innerText()).toBe(`@${turner.id} <-[made_by]- type:artwork`);
    expect(visitor.faults).toEqual([]);
  });

  test('over published data show longer ways, and what was left out', async () => {
    await seedArtworks(node, 60);
    await indexIdle(node);
    await visitor.go(`/argo?q=${encodeURIComponent('"landscape" type:artwork -[*]{,2}-> type:subject')}`);
    await page.getByText('25 found').waitFor();
    await page.getByText(/These are the 25 best/).waitFor();
    await lookAt(page, 'argo-paths');
    await page.getByLabel('How many results').selectOption('100 results');
    await expect.poll(() => results().count()).toBeGreaterThan(25);
    expect(page.url()).toContain('k=100');
    await page.getByLabel('In which collection').selectOption('Paintings');
    await page
      .getByText('Nothing fits')
      .or(page.getByRole('status').filter({ hasText: 'found' }))
      .first()
      .waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('that cannot be read are underlined where it is, and those without an answer say how far they came', async () => {
    await indexIdle(node);
    await visitor.go('/argo');
    await editor().click();
    await page.keyboard.type('"a" -[made_by]- type:x');
    await page.keyboard.press('Escape');
    await editor().click();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').getByText('This cannot be read from character 15 on.').waitFor();
    await page.getByText('(arrow end expected at position 14)').waitFor();
    expect(await page.locator('.cm-lintRange-error').innerText()).toBe('-');
    await lookAt(page, 'argo-fault');
    await page.keyboard.type('x');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.locator('.cm-lintRange-error').count()).toBe(0);

    await visitor.go(`/argo?q=${encodeURIComponent(`@${turner.id} -[member_of]-> type:movement -[*]-> type:artwork`)}`);
    await page.getByText('nothing leads on at hop 2').waitFor();
    const partial = page.getByRole('list', { name: 'The way there' });
    expect(await partial.getByRole('link').allInnerTexts()).toEqual(['Joseph Turner', 'Romanticism']);
    await lookAt(page, 'argo-stopped');
    await visitor.go(`/argo?q=${encodeURIComponent('type:artist -[*]-> type:artwork')}`);
    await page.getByText(/A type alone is too much to begin with/).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('are saved as JSON and CSV, and kept for the tab alone', async () => {
    await indexIdle(node);
    await visitor.go(`/argo?q=${encodeURIComponent('"ship" type:artwork -[made_by]-> type:artist')}`);
    await page.getByText('2 found').waitFor();
    const saved = async (name: string) => {
      await page.getByRole('button', { name: 'Save the results' }).click();
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
      return readFileSync(await file.path(), 'utf8');
    };
    const json = JSON.parse(await saved('As JSON')) as { results: { entity: Entity }[]; metadata: object };
    expect(json.results.map(({ entity }) => entity.id)).toContain(turner.id);
    const csv = await saved('As CSV');
    expect(csv.split('\r\n')[0]).toBe('\ufeffrank,score,id,type,label,collection_id,path');
    expect(csv).toContain(`A Ship in a Storm (${ship.id}) -[made_by]->`);

    await visitor.go(`/argo?q=${encodeURIComponent('type:artwork')}`);
    await page.getByText('2 found').waitFor();
    // A label that a spreadsheet would run.
    expect(await saved('As CSV')).toContain(`"'=HYPERLINK(""http://x""),""y"""`);
    await editor().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('type:artist');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('2 found').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Asked before' }).click();
    await page.getByRole('menuitem', { name: 'type:artist' }).waitFor();
    await page.getByRole('menuitem', { name: 'Forget them' }).click();
    await page.getByRole('button', { name: 'Asked before' }).waitFor({ state: 'detached' });
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('type:');
    expect(visitor.faults).toEqual([]);
  });

  test('are saved with the answer to what is asked, and not while that is on its way', async () => {
    await visitor.go(`/argo?q=${encodeURIComponent('type:artwork')}`);
    await page.getByText('A Ship in a Storm').first().waitFor();
    const save = page.getByRole('button', { name: 'Save the results' });
    expect(await save.isEnabled()).toBe(true);
    const gate = Promise.withResolvers<void>();
    await page.route('**/query', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await visitor.go(`/argo?q=${encodeURIComponent('type:artist')}`);
    await expect.poll(() => save.isDisabled()).toBe(true);
    gate.resolve();
    await page.getByText('Joseph Turner').first().waitFor();
    await expect.poll(() => save.isEnabled()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test('that are not run yet stay while one looks elsewhere', async () => {
    await visitor.go('/argo');
    await editor().fill('"ship" type:artwork -[made_by]->');
    await page.getByRole('link', { name: 'Collections', exact: true }).first().click();
    await heading('Collections').waitFor();
    await page.evaluate('history.back()');
    await heading('Argo query').waitFor();
    await expect.poll(() => editor().innerText()).toBe('"ship" type:artwork -[made_by]->');
    // What is run is in the address, and what was emptied is empty.
    await editor().fill('');
    await visitor.go('/collections');
    await visitor.go('/argo');
    await heading('Argo query').waitFor();
    await page.getByRole('button', { name: 'Run', disabled: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('that are not run yet stay also where another one was run before', async () => {
    const asked = '"ship" type:artwork';
    await indexIdle(node);
    await visitor.go('/argo');
    await editor().fill(asked);
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 found').waitFor();
    await editor().fill(`${asked} -[made_by]->`);
    await results().first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Argo query' }).waitFor();
    await page.evaluate('history.back()');
    await heading('Argo query').waitFor();
    await expect.poll(() => editor().innerText()).toBe(`${asked} -[made_by]->`);
    // It was not run: what was found is of the other one.
    await page.getByText('2 found').waitFor();
    await page.getByRole('link', { name: 'Argo query', exact: true }).first().click();
    await page.getByRole('heading', { name: 'To begin with' }).waitFor();
    expect(await editor().innerText()).toBe(`${asked} -[made_by]->`);
    // What is run is no longer kept.
    await editor().fill(asked);
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 found').waitFor();
    await visitor.go('/collections');
    await visitor.go('/argo');
    await page.getByRole('button', { name: 'Run', disabled: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('are offered types also where these come only after somebody has begun to write', async () => {
    await create(node, me, { type: 'harbour', properties: { label: 'A harbour' } });
    const held = Promise.withResolvers<void>();
    await page.route('**/node/names', async (request) => {
      await held.promise;
      await request.continue();
    });
    await visitor.go('/argo');
    await page.getByRole('textbox', { name: 'Query' }).click();
    await page.keyboard.type('type:har');
    held.resolve();
    await option(/harbour/).waitFor();
  });

  test('of hostile names are offered and shown harmlessly, at twice the size and in German', async () => {
    const label = '\u202Eevil <script>window.hacked = 1</script>';
    const type = '<img src=x onerror=window.hacked=1>';
    const hostile = await create(node, me, { type, properties: { label, text: 'x'.repeat(100_000) } });
    await create(node, me, {
      type: 'note',
      properties: { label: 'y' },
      relationships: [{ predicate: 'about', peer: hostile.id }],
    });
    await indexIdle(node);
    await page.setViewportSize({ width: 640, height: 700 });
    await page.context().addCookies([{ name: 'archeion_page', value: 'language%3Dde', url: `${node.url}/ui` }]);
    await visitor.load(`/argo?q=${encodeURIComponent(`@${hostile.id} <-[about]- type:note`)}`);
    await page.getByRole('list', { name: 'Der Weg dorthin' }).getByText('evil').waitFor();
    const box = page.getByRole('textbox', { name: 'Abfrage' });
    await box.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('type:');
    await option(/<img src=x/).waitFor();
    await pictureOf(page, 'argo-hostile');
    await option(/<img src=x/).click();
    expect(await box.innerText()).toBe(`type:"${type}"`);
    await page.keyboard.press('Control+Enter');
    await page.locator('ol > li').filter({ hasText: 'evil' }).first().waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(visitor.faults).toEqual([]);
  });
});
