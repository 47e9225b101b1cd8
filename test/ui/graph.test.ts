import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { comingIn, describePage, lookAt, pictureOf, signedIn, startPageNode } from './browser.ts';
import { seedArtworks } from './seed.ts';

/** Ada painted two of three works; two of the three show the sea. */
async function gallery(node: TestNode, me: Person) {
  const home = await collection(node, me, { label: 'Gallery' });
  const made = (type: string, label: string, relationships: object[] = []) =>
    create(node, me, { type, collection: home.id, properties: { label }, relationships });
  const to = (predicate: string, peer: Entity) => ({ predicate, peer: peer.id });
  const ada = await made('person', 'Ada Lee');
  const ben = await made('person', 'Ben Moss');
  const sea = await made('subject', 'sea');
  const waves = await made('artwork', 'Waves', [to('made_by', ada), to('depicts', sea)]);
  const cliffs = await made('artwork', 'Cliffs', [to('made_by', ada)]);
  const storm = await made('artwork', 'Storm', [to('made_by', ben), to('depicts', sea)]);
  return { home, ada, ben, sea, waves, cliffs, storm };
}

describePage('the graph', () => {
  const entities = (page: Page) => page.getByRole('list', { name: 'Entities in the graph' });
  const shows = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const settled = (page: Page) => page.getByText('finding places…').waitFor({ state: 'detached' });

  test('is opened from an entity, grows where one clicks, and leaves out what is not wanted', async () => {
    await using node = await startPageNode();
    const { ada, sea } = await gallery(node, operator(node));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go(`/entities/${ada.id}`);
    await page.getByRole('navigation', { name: 'Views of this entity' }).getByRole('link', { name: 'Graph' }).click();
    // Its collection is known, and not shown at first.
    await shows(page, 'Shows 3 entities, and 2 of 3 relationships');
    await settled(page);
    await clickColour(page, [0x2b, 0x8a, 0x3e], 'artwork');
    await shows(page, /Shows [34] entities, and [23] of/);
    expect(new URL(page.url()).searchParams.get('of')).toMatch(new RegExp(`^${ada.id}\\.[0-9A-Z]{26}$`));

    const opened = page.getByRole('button', { name: /^Hide what only (Waves|Cliffs)/ });
    await opened.waitFor();
    if (/Cliffs/.test((await opened.getAttribute('aria-label')) ?? ''))
      await page.getByRole('button', { name: 'Show what Waves leads to' }).click();
    await page.getByRole('button', { name: 'Show what sea leads to' }).click();
    await entities(page).getByText('Storm').waitFor();
    await settled(page);
    await lookAt(page, 'graph');
    await page.goBack();
    await entities(page).getByText('Storm').waitFor({ state: 'detached' });
    await page.goForward();
    await entities(page).getByText('Storm').waitFor();

    const group = (name: string) => page.getByRole('group', { name });
    const tick = (of: string, name: string) => group(of).getByRole('checkbox', { name });
    await tick('Types', 'subject').uncheck();
    // It is open, and so it stays.
    await entities(page).getByText('sea').waitFor();
    await tick('Types', 'artwork 3').waitFor();
    await tick('Relationships', 'depicts').uncheck();
    await entities(page).getByText('Storm').waitFor({ state: 'detached' });
    await tick('Relationships', 'collection').check();
    await entities(page).getByText('Gallery').waitFor();
    const address = page.url();
    await page.goto(address);
    await entities(page).getByText('Gallery').waitFor();
    expect(await tick('Relationships', 'depicts').isChecked()).toBe(false);

    // All by keys, from here on, as soon as what was open has come again.
    await entities(page).getByText('sea').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('sea');
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'sea', level: 3 }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).not.toContain(sea.id);
    expect(visitor.faults).toEqual([]);
  });

  test('leaves the focus where somebody types, also where the entity that is chosen moves in the list', async () => {
    await using node = await startPageNode();
    const { ada } = await gallery(node, operator(node));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    // What arranges the picture does not come at first.
    await page.route('**/layout-worker*', (route) => route.abort(), { times: 1 });
    await visitor.go(`/graph?of=${ada.id}`);
    await entities(page).getByText('Waves').waitFor();
    for (const place of [0, 1, 2]) {
      await page.keyboard.press('j');
      await entities(page).getByRole('listitem').nth(place).locator('[aria-current]:focus').waitFor();
    }
    // Also below the picture, where the list is out of sight at 200 %.
    await page.setViewportSize({ width: 640, height: 400 });
    await page.evaluate("document.querySelector('#content').scrollTop = 0");
    await page.keyboard.press('k');
    const below = "document.querySelector('[data-name]:focus')?.getBoundingClientRect().bottom - innerHeight";
    await expect.poll(() => page.evaluate(below)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('j');
    await page.keyboard.press('/');
    await page.keyboard.type('s');
    await entities(page).getByText('Ada Lee').waitFor({ state: 'detached' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.keyboard.type('e');
    expect(await page.getByRole('searchbox', { name: 'Find in the graph' }).inputValue()).toBe('se');
    expect(new URL(page.url()).pathname).toBe('/ui/graph');
    expect(await page.getByText('finding places').count()).toBe(0);
    const anew = page.getByRole('button', { name: 'Arrange anew' });
    await Promise.all([page.waitForResponse(/layout-worker/), anew.click()]);
    await expect.poll(() => page.getByText('finding places').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('finds the paths between two entities, by keys alone, and saves the picture', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const { ada, ben } = await gallery(node, me);
    await expect
      .poll(
        async () =>
          ok<Found>(await ask(node, me, 'POST /search/entities', { query: 'Moss', types: ['person'] })).results.length,
        {
          timeout: 60_000,
        },
      )
      .toBe(1);
    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.getByRole('heading', { name: 'What leads where' }).waitFor();
    await lookAt(page, 'graph-empty');
    await page.getByRole('combobox', { name: 'From' }).focus();
    await page.keyboard.type('ada le');
    await page.getByRole('option', { name: /Ada Lee/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'To', exact: true }).focus();
    await page.keyboard.type('moss');
    await page.getByRole('option', { name: /Ben Moss/ }).waitFor();
    await page.keyboard.press('Enter');
    await shows(page, 'One path, of length 4');
    expect(new URL(page.url()).searchParams.get('from')).toBe(ada.id);
    expect(new URL(page.url()).searchParams.get('to')).toBe(ben.id);
    const steps = page.getByRole('listitem').filter({ hasText: /Ada Lee.*Waves.*sea.*Storm.*Ben Moss/ });
    await steps.waitFor();
    await settled(page);
    await lookAt(page, 'graph-paths');

    const svg = await readFile(await (await saved(page, 'SVG')).path(), 'utf8');
    for (const name of ['Ada Lee', 'Waves', 'sea', 'Storm', 'Ben Moss']) expect(svg).toContain(`>${name}</text>`);
    const png = await sharp(await (await saved(page, 'PNG')).path()).stats();
    expect(png.channels.some(({ stdev }) => stdev > 3)).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test('draws an artist of the Tate with all works, and what a click on one of them adds', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const home = await seedArtworks(node, 400);
    const listed = ok<{ entities: { id: string }[] }>(
      await ask(node, me, `GET /collections/${home}/entities?type=artist&limit=100`),
    );
    const sizes = await Promise.all(
      listed.entities.map(async ({ id }) => ({
        ...ok<Entity & { totals: { incoming: number } }>(await ask(node, me, `GET /graph/entity/${id}?expand=none`)),
      })),
    );
    const artist = sizes.toSorted((a, b) => b.totals.incoming - a.totals.incoming)[0]!;
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go(`/graph?of=${artist.id}`);
    await entities(page).getByRole('listitem').first().waitFor();
    await page.keyboard.press('j');
    await page.getByText(/shows [\d,]+ of [\d,]+ relationships/).waitFor();
    // A second key may come before the next picture.
    const focused = await page.evaluate(`(async () => {
      dispatchEvent.call(document, new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      await null;
      await null;
      return document.activeElement.closest('li')?.getAttribute('aria-posinset');
    })()`);
    expect(focused).toBe('2');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/of=\w{26}\.\w{26}$/);
    await page.getByRole('group', { name: 'Types' }).getByRole('checkbox', { name: 'subject' }).waitFor();
    await settled(page);
    await pictureOf(page, 'graph-artist');
    expect(visitor.faults).toEqual([]);
  });

  test('says what it leaves out, what is gone, and what it cannot draw', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const home = await collection(node, me, { label: 'Many' });
    const hub = await create(node, me, { type: 'hub', collection: home.id, properties: { label: 'Hub' } });
    const items = Array.from({ length: 60 }, (_, i) => ({
      type: 'item',
      properties: { label: `Item ${i}` },
      relationships: [{ predicate: 'part_of', peer: hub.id }],
    }));
    ok(await ask(node, me, 'POST /entities/batch', { entities: items, default_collection: home.id }));
    // In a window of its own: what a page has begun with once, it begins with for good.
    await using visitor = await comingIn(node, {});
    const { page } = visitor;
    await visitor.go(`/graph?of=${hub.id}&most=50`);
    await shows(page, 'Shows 51 entities, and 50 of 61 relationships');
    await page.keyboard.press('j');
    await page.getByText('shows 50 of 61 relationships').waitFor();
    await settled(page);
    await lookAt(page, 'graph-limit');
    await page.getByLabel('How many relationships of an entity are shown').selectOption('200');
    await shows(page, 'Shows 61 entities, and 60 of 61 relationships');

    const ties = Array.from({ length: 201 }, (_, n) => ({ predicate: `as_${n}`, peer: hub.id }));
    const many = await create(node, me, { type: 'item', collection: home.id, relationships: ties });
    await visitor.go(`/graph?of=${many.id}&most=1000`);
    await page.getByText('and 2 more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    const predicates = page.getByRole('group', { name: 'Relationships' }).getByRole('checkbox');
    await expect.poll(() => predicates.count()).toBe(202);

    const gone = await create(node, me, { type: 'item', collection: home.id, properties: { label: 'Gone' } });
    await remove(node, me, gone);
    await visitor.go(`/graph?of=${hub.id}.${gone.id}`);
    const said = page.getByRole('alert').filter({ hasText: 'This was deleted' });
    await said.getByText(gone.id, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Leave it out' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await entities(page).getByText('Hub', { exact: true }).waitFor();

    await page.addInitScript(
      `HTMLCanvasElement.prototype.getContext = (get => function (kind, ...rest) { return kind.includes('webgl') ? null : get.call(this, kind, ...rest) })(HTMLCanvasElement.prototype.getContext)`,
    );
    await page.reload();
    await page.getByText('This browser cannot draw the graph').waitFor();
    await entities(page).getByText('Item 7', { exact: true }).waitFor();
    await lookAt(page, 'graph-no-webgl');
    expect(visitor.faults).toEqual([]);
  });

  test('shows hostile entities harmlessly, in the picture and in what is saved of it', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const home = await collection(node, me, { label: 'Hostile' });
    const label = '</text><script>window.hacked = 1</script>\u202egnp.exe\u0007 & "more"';
    const evil = await create(node, me, {
      type: '<img src=x onerror="window.hacked=1">',
      collection: home.id,
      properties: { label },
    });
    const huge = await create(node, me, {
      type: 'long',
      collection: home.id,
      properties: { label: 'W'.repeat(1_000_000) },
      relationships: [
        { predicate: 'about', peer: evil.id, peer_label: 'javascript:alert(1)' },
        { predicate: 'about', peer: home.id },
      ],
    });
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go(`/graph?of=${huge.id}.${evil.id}`);
    await shows(page, 'Shows 3 entities');
    await page.keyboard.press('j');
    await settled(page);
    await lookAt(page, 'graph-hostile');
    const svg = await readFile(await (await saved(page, 'SVG')).path(), 'utf8');
    const read = (await page.evaluate(
      `(() => { const doc = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
        return { names: [...new Set([...doc.querySelectorAll('*')].map((one) => one.localName))].sort(), texts: doc.querySelectorAll('text').length }; })()`,
    )) as { names: string[]; texts: number };
    expect(read).toEqual({ names: ['circle', 'g', 'line', 'rect', 'svg', 'text', 'title'], texts: 3 });
    expect(svg).not.toContain('\u202e');
    expect(svg.length).toBeLessThan(10_000);
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });
});

type Found = { results: object[] };

async function saved(page: Page, form: 'SVG' | 'PNG'): Promise<Download> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: `Save as ${form}` }).click(),
  ]);
  return download;
}

/** Clicks where the drawing has a spot of a colour. */
async function clickColour(page: Page, colour: number[], what: string): Promise<void> {
  const box = (await page.getByRole('img', { name: /A drawing of/ }).boundingBox())!;
  const { data, info } = await sharp(await page.screenshot({ clip: box }))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const has = (x: number, y: number) =>
    colour.every((value, i) => Math.abs((data[(y * info.width + x) * info.channels + i] ?? 0) - value) < 8);
  for (let y = 3; y < info.height - 3; y++)
    for (let x = 3; x < info.width - 3; x++)
      if (has(x, y) && has(x - 3, y) && has(x + 3, y) && has(x, y - 3) && has(x, y + 3))
        return page.mouse.click(box.x + x, box.y + y);
  throw new Error(`Nothing in the drawing has the colour of ${what}.`);
}
