import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import type { TestNode } from '../helpers/node.ts';
import { inChunks, SampleState } from '../helpers/sample-archive.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('an archive that has begun to be taken in', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const goesOn = 'It goes on without this page';

  async function choose(): Promise<void> {
    await page.getByText('Drop files here').waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles({ name: 'items.car', mimeType: 'application/octet-stream', buffer: Buffer.from('archive') });
    await page.getByRole('heading', { name: /^items\.car .*bytes/ }).waitFor();
    await page.keyboard.press('Control+Enter');
  }

  /** Begins with an archive, of which the node tells this much before the answer breaks off when `breakOff` is called. */
  async function begun(): Promise<void> {
    await visitor.go('/import');
    const line = `${JSON.stringify({ progress: { entities: 1, total: 3 } })}\n`;
    await page.evaluate(`{
      const usual = self.fetch;
      self.fetch = (request, ...more) => {
        if (!String(request.url).includes('/node/import-car')) return usual(request, ...more);
        const body = new ReadableStream({
          start(answer) {
            answer.enqueue(new TextEncoder().encode(${JSON.stringify(line)}));
            self.breakOff = () => answer.error(new TypeError('network error'));
            self.say = (line) => answer.enqueue(new TextEncoder().encode(JSON.stringify(line) + '\\n'));
          },
        });
        return Promise.resolve(new Response(body));
      };
    }`);
    await choose();
    await page.getByText('1 of 3 entities taken in').waitFor();
  }
  const breakOff = () => page.evaluate('self.breakOff()');

  test('goes on where its answer breaks off, which is said, and not that nothing was written', async () => {
    await begun();
    await breakOff();
    const said = page.getByRole('alert');
    await said.getByText(goesOn).waitFor();
    expect(await said.innerText()).not.toContain('nothing was overwritten');
    await lookAt(page, 'import-archive-goes-on');
    await said.getByRole('button', { name: 'Earlier imports' }).click();
    await page.getByText('Drop files here').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is told to have failed for what the node says, where it says why it could not go on', async () => {
    await begun();
    await page.evaluate(`self.say({ error: 'There is no room on the disk.', status: 507 })`);
    const said = page.getByRole('alert');
    await said.getByText('There is no room on the disk.').waitFor();
    expect(await said.innerText()).not.toContain(goesOn);
    expect(visitor.faults).toEqual([]);
  });

  test('is why another one has to wait, which is said of that', async () => {
    const state = new SampleState();
    state.write('person');
    const { id } = operator(node);
    const receiving = node.ctx.archives.carImports.receive(
      { actor: { kind: 'user', id, ids: [id], operator: true }, network: 'main' },
      inChunks(await state.export(), 65_536),
      new AbortController().signal,
    );
    await receiving.next();
    await visitor.go('/import');
    await choose();
    const said = page.getByRole('alert');
    await said.getByText('An archive is being taken in on this node. Try again when that has ended.').waitFor();
    expect(await said.innerText()).not.toContain('under way');
    await lookAt(page, 'import-archive-waits');
    while (!(await receiving.next()).done);
    expect(visitor.faults).toEqual([]);
  });

  test('is not offered once more to who comes back to it, and says elsewhere that its answer broke off', async () => {
    await begun();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('Drop files here').waitFor();
    await breakOff();
    await page.getByText('items.car: The answer broke off').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
