import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, on, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('the page on the test network', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const labels = async (network: 'main' | 'test') => {
    const { collections } = ok<{ collections: { label: string }[] }>(
      await ask(node, on(network, operator(node)), 'GET /node/collections'),
    );
    return collections.map(({ label }) => label);
  };

  test('neither shows nor writes anything of the main one, also where it cannot learn how that is said', async () => {
    await collection(node, operator(node), { label: 'Letters' });
    let isAway = true;
    await page.route('**/.well-known/archeion', (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: 'Service Unavailable' } }) : route.continue(),
    );
    await visitor.load('/collections?network=test');
    const gone = page.getByText('The node does not answer.');
    await gone.or(page.getByRole('link', { name: 'Letters' })).first().waitFor();
    expect(await page.getByText('Letters').count()).toBe(0);
    isAway = false;
    await gone.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New collection' }).first().click();
    await page.getByRole('dialog').getByLabel('Label', { exact: true }).fill('Trial');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Trial', level: 1 }).waitFor();
    expect([await labels('main'), await labels('test')]).toEqual([['Letters'], ['Trial']]);
    expect(visitor.faults).toEqual([]);
  });
});
