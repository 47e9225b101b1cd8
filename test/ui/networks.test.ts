import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, on, operator } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';
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
    await visitor.go('/');
    let isAway = true;
    await page.route('**/.well-known/archeion', (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: 'Service Unavailable' } }) : route.continue(),
    );
    await visitor.load('/collections?network=test');
    const gone = page.getByText('The node does not answer.');
    await gone
      .or(page.getByRole('link', { name: 'Letters' }))
      .first()
      .waitFor();
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

  test('and on the main one shows what is there, whichever was looked at before', async () => {
    const me = operator(node);
    for (const network of ['main', 'test'] as const) {
      const home = await collection(node, on(network, me), { label: `Of ${network}` });
      const properties = { label: `Ann of ${network}` };
      await create(node, on(network, me), { type: 'artist', collection: home.id, properties });
    }
    for (const network of ['main', 'test'] as const) await indexIdle(node, network);
    const query = 'type:artist';
    const shows = async (network: string, other: string) => {
      await page.getByRole('list', { name: 'What was found' }).getByText(`Ann of ${network}`).first().waitFor();
      expect(await page.getByText(`Ann of ${other}`).count()).toBe(0);
      expect(await page.getByText('Test network', { exact: true }).count()).toBe(network === 'test' ? 1 : 0);
    };
    await visitor.go(`/argo?q=${query}`);
    await shows('main', 'test');
    await visitor.go(`/argo?network=test&q=${query}`);
    await shows('test', 'main');
    await page.goBack();
    await shows('main', 'test');

    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Of main' }).waitFor();
    await visitor.go('/settings');
    await page.getByLabel('Network').selectOption('test');
    await page.getByText('Test network', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Collections', exact: true }).first().click();
    await page.getByRole('link', { name: 'Of test' }).waitFor();
    expect(await page.getByText('Of main').count()).toBe(0);
    // With the back button, past the settings.
    await page.evaluate('history.go(-3)');
    await page.getByRole('link', { name: 'Of main' }).waitFor();
    expect(await page.getByText('Of test').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
