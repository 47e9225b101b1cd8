import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { Row } from '../../src/server/store/commit.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { allow, command, ended, one, program, replying } from '../helpers/local.ts';
import type { TestNode } from '../helpers/node.ts';
import { commit } from '../helpers/store.ts';
import { describePage, onNewPage, pictureOf, type Visit } from './browser.ts';

describePage('a run', () => {
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

  /** Starts a command on each of so many notes. */
  async function started(name: string, count: number): Promise<{ klados: string; run: string }> {
    const shelf = await collection(node, me, { label: 'Notes' });
    const { id } = await command(node, me, shelf.id, name, { accepts: one('note') });
    const invocations: { target_entity: string }[] = [];
    for (let i = 0; i < count; i++) {
      const note = await create(node, me, { type: 'note', collection: shelf.id, properties: { label: `Note ${i}` } });
      invocations.push({ target_entity: note.id });
    }
    const body = { target_collection: shelf.id, invocations, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(await ask(node, me, `POST /kladoi/${id}/invoke/batch`, body));
    return { klados: id, run: dispatch_id };
  }
  const lines = () => page.getByRole('list', { name: 'Jobs of this run' }).getByRole('button');
  const current = async () => {
    const all = await lines().all();
    return (await Promise.all(all.map((line) => line.getAttribute('aria-current')))).indexOf('true');
  };

  test('shows the same job when that is repeated, and not another one that failed, with its button', async () => {
    await allow(node, { ink: program(`console.log('{"error": "no ink left"}')`) });
    const { klados, run } = await started('ink', 3);
    await ended(node, me, `/kladoi/${klados}/jobs/${run}/status`);
    await visitor.go(`/jobs/${run}`);
    await page.getByText('The processor failed while it worked.', { exact: true }).waitFor();
    const again = page.getByRole('button', { name: 'Run it again' });
    await again.click();
    await expect.poll(() => lines().count()).toBe(4);
    await page.getByText(/was repeated/).waitFor();
    expect(await again.count()).toBe(0);
    expect(await current()).toBe(0);
    await pictureOf(page, 'job-repeated');
    await page.getByText('The job has failed', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await expect.poll(current).toBe(1);
    await again.waitFor();
    // Where somebody else repeats it first, the node refuses that, and it was repeated all the same.
    await page.route('**/repeat', async (route) => {
      ok(await ask(node, me, `POST ${new URL(route.request().url()).pathname}`, {}));
      await route.continue();
    });
    const refused = page.waitForResponse(/\/repeat$/);
    await again.click();
    expect((await refused).status()).toBe(400);
    await page.getByText(/was repeated/).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await visitor.go('/jobs');
    await page.getByRole('cell').getByText('The processor failed while it worked. no ink left').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows of very many jobs those that failed', async () => {
    const { id: place } = await collection(node, me, { label: 'Notes' });
    const made = { type: 'klados', processor: place, rhiza: null, collection: place, target: place } as const;
    const rest = { parent: null, retries: null, handoff: null, asker: '{}', attempts: 1, created: Date.now() };
    const rows = Array.from({ length: 1002 }, (_, i): Row => {
      const at = { id: `job_${i}`, run: 'job_0', request: { job_id: `job_${i}` } as JobRequest };
      const job = { ...made, ...rest, ...at, expires: rest.created + 3_600_000 };
      return { kind: 'job', job: { ...job, state: i === 1001 ? 'refused' : 'accepted' } };
    });
    const store = await node.ctx.networks.get('main');
    await store.submit([commit([], { rows })]);
    await visitor.go('/jobs/job_0');
    await page.getByText('Only the first 1,000 jobs are shown; there are 1,002.').waitFor();
    await page.getByRole('button', { name: 'Only what failed' }).click();
    await page.getByRole('button', { name: 'Run it again' }).waitFor();
    expect(await lines().count()).toBe(1);
    await pictureOf(page, 'job-failed');
    await page.getByRole('button', { name: 'All jobs' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows its log to the end, where that is long', async () => {
    const messages = "Array.from({ length: 600 }, (_, i) => ({ message: 'Page ' + i + ' is read.' }))";
    await allow(node, { reader: replying(`return { messages: ${messages} }`) });
    const { klados, run } = await started('reader', 1);
    await ended(node, me, `/kladoi/${klados}/jobs/${run}/status`);
    await visitor.go(`/jobs/${run}`);
    await page.getByText('Page 400 is read.').waitFor();
    await page.getByText(/^and \d+ more$/).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('Page 599 is read.').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is shown as it goes, also where that takes longer to answer than its jobs to end', async () => {
    const shown = join(node.data, 'shown');
    const waiting = `const { existsSync } = await import('node:fs');
      while (!existsSync(${JSON.stringify(shown)})) await new Promise((done) => setTimeout(done, 50));`;
    await allow(node, {
      slow: replying(`${waiting} await new Promise((done) => setTimeout(done, 300)); return {}`, { at_once: 1 }),
    });
    let gaveUp = 0;
    const open = new Set<Request>();
    page.on('request', (request) => void open.add(request));
    page.on('requestfinished', (request) => void open.delete(request));
    page.on('requestfailed', (request) => {
      open.delete(request);
      if (/\/node\/jobs\/\w+$/.test(new URL(request.url()).pathname)) gaveUp++;
    });
    await page.route('**/node/jobs/*?*', async (route) => {
      const response = await route.fetch();
      await new Promise((done) => setTimeout(done, 1500));
      await route.fulfill({ response }).catch(() => undefined);
    });
    const { run } = await started('slow', 10);
    await visitor.go(`/jobs/${run}`);
    await page.getByText('0 of 10').first().waitFor();
    // A browser has six connections for all its tabs together: none is kept for as long as a run is under way.
    await expect.poll(() => open.size, { interval: 20 }).toBe(0);
    await writeFile(shown, '');
    await page
      .getByText(/^[1-9] of 10$/)
      .first()
      .waitFor();
    await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    expect(gaveUp).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
