import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { klados, rhiza } from '../helpers/processors.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('what is typed into a flow', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let made: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const { id } = await klados(node, me, home.id);
    const runs = { klados: { id, type: 'klados' } };
    const flow = {
      read: { ...runs, then: { pass: 'work' }, input: { depth: 1 } },
      work: { ...runs, then: { done: true } },
    };
    made = await rhiza(node, me, home.id, { label: 'Texts', entry: 'read', flow });
    await visitor.go(`/processors/${made.id}`);
    await page.getByRole('button', { name: /^read/ }).waitFor();
  });

  const step = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) });
  const input = () => page.getByLabel('Input as JSON');
  const stored = async () => (await read(node, me, made.id)).properties.flow as Record<string, { input?: unknown }>;
  /** Somebody else's version, with another input of the first step. */
  const theirs = async (depth: number) => {
    const { cid, properties } = await read(node, me, made.id);
    const flow = properties.flow as Record<string, object>;
    const next = { ...flow, read: { ...flow.read, input: { depth } } };
    return ok<Entity>(await ask(node, me, `PUT /rhizai/${made.id}`, { expect_tip: cid, flow: next }));
  };

  test('as the input of a step follows what others save, and goes where it is discarded', async () => {
    await step('read').click();
    expect(JSON.parse(await input().inputValue())).toEqual({ depth: 1 });
    await theirs(2);
    await expect.poll(async () => JSON.parse(await input().inputValue())).toEqual({ depth: 2 });
    await input().fill('{"depth": 3}');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(async () => JSON.parse(await input().inputValue())).toEqual({ depth: 2 });
    await input().fill('{"depth": 4}');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 3').first().waitFor();
    expect((await stored()).read?.input).toEqual({ depth: 4 });
    expect(visitor.faults).toEqual([]);
  });
});
