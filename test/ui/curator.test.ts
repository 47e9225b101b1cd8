import { expect, test } from 'vitest';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, read, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { keyOf } from '../sync/nodes.ts';
import { describePage, pictureOf, signedIn, startPageNode } from './browser.ts';
import * as step from './curator-steps.ts';
import { withoutMouse } from './without-mouse.ts';

const title = (n: number) => `Work ${String(n).padStart(4, '0')}`;

/** A list as a museum might export it, with a comma and quotes where they hurt. */
function inventory(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `W${i + 1},${title(i + 1)},"Painter ""${i % 7}"", the elder",${1700 + (i % 300)},Oil on canvas`,
  );
  return ['acno,title,artist,year,medium', ...lines].join('\n');
}

describePage('a curator without a mouse', () => {
  test('imports, corrects, relates, finds, compares, deletes, restores, hands over a bag, mirrors and decides', async () => {
    await using museum = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const archivist = await user(museum, 'archivist');
    const place = await collection(museum, archivist, { label: 'Letters' });
    const letter = await create(museum, archivist, {
      type: 'letter',
      collection: place.id,
      properties: { label: 'To Ada', text: 'Dear Ada, thank you.' },
    });
    await using visitor = await signedIn(node);
    const { page } = visitor;
    const hands = withoutMouse(page);
    const { press, type, act, arrive } = hands;

    // Start.
    await arrive('Welcome');
    await pictureOf(page, 'curator-1-start');

    // A thousand works of a table.
    await step.importTable(hands, 'artworks.csv', inventory(1000), 'Inventory');
    await expect.poll(() => page.getByLabel('Told apart by').inputValue()).toBe('acno');
    await pictureOf(page, 'curator-2-import');
    await press('Control+Enter');
    await page.getByRole('heading', { name: '1,000 entities were created' }).waitFor();
    await pictureOf(page, 'curator-3-imported');

    // Ten are corrected, nine of them related to the first.
    for (let n = 1; n <= 10; n++) {
      await step.openCollection(hands, 'Inventory');
      if (n === 1) await pictureOf(page, 'curator-4-collection');
      await step.openEntity(hands, title(n));
      await step.addToLabel(hands, ', revised');
      if (n > 1) await step.relate(hands, `${title(1)}, revised`);
      if (n === 2) await pictureOf(page, 'curator-5-correction');
      await step.save(hands);
    }
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const tenth = await read(node, me, id);
    expect(tenth.properties).toMatchObject({ label: `${title(10)}, revised`, artist: 'Painter "2", the elder' });
    expect(tenth.relationships.map(({ peer_label }) => peer_label)).toContain(`${title(1)}, revised`);

    // Found by search; the index follows the writes.
    const behind = async () => {
      const { body } = await ask(node, me, 'GET /node/status');
      return (body as { networks: { index: { behind: boolean } }[] }).networks.some(({ index }) => index.behind);
    };
    await expect.poll(behind, { timeout: 60_000, interval: 500 }).toBe(false);
    await press('g', 'f');
    await page.locator('input[type="search"]:focus').waitFor();
    await type(`"${title(10)}" revised`);
    const found = page.getByRole('list', { name: 'What was found' }).getByRole('listitem');
    await found
      .first()
      .getByText(`${title(10)}, revised`)
      .first()
      .waitFor();
    await pictureOf(page, 'curator-6-search');
    await press('Enter', 'Enter');
    await arrive(`${title(10)}, revised`);

    // Its versions are compared.
    await press('h');
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.locator('ins').first().waitFor();
    expect((await comparison.locator('ins').allInnerTexts()).join(' ')).toContain('revised');
    await pictureOf(page, 'curator-7-comparison');

    // Deleted, and restored from where it was.
    await press('e');
    await page.locator('#content input').first().waitFor();
    await press('Delete');
    await act(page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }));
    await arrive('Inventory');
    expect((await ask(node, me, `GET /entities/${id}`)).status).toBe(404);
    // As the browser's own key goes back.
    await page.goBack();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await pictureOf(page, 'curator-8-deleted');
    await press('r');
    await page.getByText('Restored as version 4', { exact: true }).waitFor();
    await arrive(`${title(10)}, revised`);
    const restored = await read(node, me, id);
    expect([restored.ver, restored.properties]).toEqual([4, tenth.properties]);

    // A bag of all of it.
    await step.openCollection(hands, 'Inventory');
    const bag = await step.exportBag(hands);
    expect(bag.name).toMatch(/^Inventory-.*-bag\.zip$/);
    const files = bag.bytes.toString('latin1');
    for (const name of ['bagit.txt', 'manifest-sha256.txt', 'history.car']) expect(files).toContain(name);
    await pictureOf(page, 'curator-9-bag');

    // Another node is mirrored; a letter is changed here and there, and what stands is decided.
    await step.mirror(hands, { url: museum.url, key: keyOf(archivist), name: 'museum' });
    await pictureOf(page, 'curator-10-mirrored');
    await step.openCollection(hands, 'Letters');
    await step.openEntity(hands, 'To Ada');
    await step.addToLabel(hands, ' Lovelace');
    await step.save(hands);
    await update(museum, archivist, letter, { properties: { label: 'To Lady Ada' } });
    await press('g', 'y');
    await arrive('Sync');
    await press('Enter');
    await arrive('museum');
    await step.syncNow(hands, /waits for you/);
    await press('g', 'x');
    await arrive('Conflicts');
    await page.getByText('One conflict waits').waitFor();
    await press('Enter');
    await arrive('To Ada Lovelace');
    await press('t');
    await page.getByRole('radio', { name: 'label: theirs', checked: true }).waitFor();
    await pictureOf(page, 'curator-11-conflict');
    await press('Control+Enter');
    await page.getByText('Decided', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    await pictureOf(page, 'curator-12-decided');
    expect((await read(node, me, letter.id)).properties).toMatchObject({ label: 'To Lady Ada' });
    expect(visitor.faults).toEqual([]);
  });
});
