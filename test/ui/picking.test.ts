import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { indexIdle } from '../helpers/searches.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('what is picked by its name', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
  });

  const box = (name: string) => page.getByRole('combobox', { name });
  const offered = () => page.getByRole('listbox').getByRole('option');
  const option = (name: string) => offered().filter({ hasText: name }).first();
  /** Holds back what is answered for a text. */
  async function held(text: string): Promise<{ asked: Promise<void>; letGo(): void }> {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/*', async (route) => {
      const request = route.request();
      if (`${request.url()} ${request.postData() ?? ''}`.includes(text)) {
        asked.resolve();
        await gate.promise;
      }
      await route.continue();
    });
    return { asked: asked.promise, letGo: gate.resolve };
  }
  /** Types a text over that of before, whose hits are offered, and wants the first at once, and while it is looked for. */
  async function takeAtOnce(name: string, text: string): Promise<void> {
    const answer = await held(text);
    await box(name).fill(text);
    await box(name).press('Enter');
    expect(await box(name).inputValue()).toBe(text);
    await answer.asked;
    await box(name).press('Enter');
    await page.getByText('One moment…').waitFor();
    expect(await offered().count()).toBe(0);
    expect(await box(name).inputValue()).toBe(text);
    answer.letGo();
    await option(text).waitFor();
    await box(name).press('Enter');
  }

  test('is an entity of the text that stands there, never one of the text before', async () => {
    for (const label of ['Turner', 'Constable'])
      await create(node, me, { type: 'person', collection: home.id, properties: { label } });
    const letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
    await visitor.go(`/entities/${letter.id}`);
    await box('The other entity').fill('Turner');
    await option('Turner').waitFor();
    await takeAtOnce('The other entity', 'Constable');
    await page.getByRole('button', { name: 'Remove Constable' }).waitFor();
    // What is found already for the text before is not taken for this one.
    await box('The other entity').fill('Turner');
    await option('Turner').waitFor();
    await box('The other entity').fill('Nobody');
    await box('The other entity').press('Enter');
    await page.getByText('Nothing fits').waitFor();
    // Names that begin alike are told apart.
    const label = 'Inscription by Turner: an account of the voyage, with the ships';
    const work = { type: 'work', collection: home.id, properties: { label } };
    const alike = [await create(node, me, work), await create(node, me, work)];
    await box('The other entity').fill(label);
    for (const { id } of alike) await option(id).waitFor();
    const cut = (place: { scrollWidth: number; clientWidth: number }) => place.scrollWidth - place.clientWidth;
    expect(await option(label).locator('bdi').first().evaluate(cut)).toBe(0);
    expect(await page.getByRole('button', { name: 'Remove Turner' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('is a collection where the relationship leads into one', async () => {
    await collection(node, me, { label: 'Letters about Turner' });
    const turner = { type: 'person', collection: home.id, properties: { label: 'Turner' } };
    const { id } = await create(node, me, turner);
    await indexIdle(node);
    await visitor.go(`/entities/${id}`);
    await page.getByLabel('Predicate').fill('collection');
    await box('The other entity').fill('Turner');
    await option('Letters about Turner').waitFor();
    expect(await offered().filter({ hasText: 'person' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('is first what has the text as its name, however much newer has its letters', async () => {
    for (const label of ['Sea', ...Array.from({ length: 11 }, (_, n) => `Research ${n}`)])
      await create(node, me, { type: 'subject', collection: home.id, properties: { label } });
    const letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
    await indexIdle(node);
    await visitor.go(`/entities/${letter.id}`);
    await box('The other entity').fill('sea');
    await option('Research 10').waitFor();
    expect(await offered().first().innerText()).toMatch(/^Sea\s/);
    expect(visitor.faults).toEqual([]);
  });

  test('is a person of the text that stands there, and not the first of everybody', async () => {
    for (const name of ['Ada Lovelace', 'Grace Hopper']) await user(node, name);
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await option('Ada Lovelace').waitFor();
    await takeAtOnce('Who', 'Grace Hopper');
    await page.getByRole('button', { name: 'Choose somebody else' }).waitFor();
    await page.getByRole('dialog').getByText('Grace Hopper', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is nobody by the key that is still held from what opened the list', async () => {
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'Add a member' }).focus();
    await page.keyboard.down('Enter');
    await offered().first().waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await box('Who').fill('Nobody');
    await page.getByText('Nobody of that name').waitFor();
    // Whom nobody could ask for may be known all the same.
    await page.route('**/node/people?*', (route) => route.abort());
    await box('Who').fill('Somebody');
    await page.getByRole('dialog').getByText('The node does not answer').waitFor();
    expect(await page.getByText('Nobody of that name').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Choose somebody else' }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('is a processor of the kinds that are wanted, however many of others have the text', async () => {
    for (let i = 10; i < 22; i++) await agent(node, me, home.id, { label: `Agent ${i} of letters` });
    await klados(node, me, home.id, { label: 'Reader of letters' });
    await rhiza(node, me, home.id, { label: 'All of letters' });
    // What is offered opens where the focus comes from elsewhere in the page.
    await visitor.go('/');
    await visitor.go('/processors/new?kind=rhiza');
    const name = 'Add a step: a klados or another rhiza';
    for (const text of ['', 'letters']) {
      await box(name).fill(text);
      await box(name).focus();
      await expect
        .poll(() => offered().allInnerTexts())
        .toEqual([/^All of letters/, /^Reader of letters/].map((one) => expect.stringMatching(one)));
    }
    await page.route('**/node/processors?*', (route) => route.abort());
    await box(name).fill('reader');
    await page.getByText('The node does not answer.').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is a processor of all that have the text, not of those alone that had the text before', async () => {
    for (const label of ['Another writer', 'Writ reader']) await klados(node, me, home.id, { label });
    await visitor.go('/processors/new?kind=rhiza');
    const name = 'Add a step: a klados or another rhiza';
    await box(name).fill('reader');
    await option('Writ reader').waitFor();
    const answer = await held('q=writ');
    await box(name).fill('writ');
    await box(name).press('Enter');
    expect(await box(name).inputValue()).toBe('writ');
    await answer.asked;
    expect(await offered().count()).toBe(0);
    answer.letGo();
    await option('Another writer').waitFor();
    await box(name).press('Enter');
    await page.getByRole('button', { name: /^another-writer|^Another writer/i, expanded: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
