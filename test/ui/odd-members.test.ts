import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import type { Block } from '../../src/server/blocks/encode.ts';
import type { TestNode } from '../helpers/node.ts';
import { imported } from '../helpers/node-archives.ts';
import { oddArchive, oddCollection, oddEntities, oddMembers, oddPeer, versionOf } from '../helpers/odd-members.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

const live = oddEntities('live');
const deleted = oddEntities('deleted');

describePage('what other programs wrote', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    await imported(node, await oddArchive([...live, ...deleted]));
  });
  const heading = (label: string) => page.getByRole('heading', { level: 1, name: label });

  test('is shown, whatever shape its members have', async () => {
    for (const { id, label } of live) {
      await visitor.go(`/entities/${id}`);
      await heading(label).waitFor();
      await page.getByRole('link', { name: 'Odd ones' }).first().waitFor();
    }
    await lookAt(page, 'odd-members', { known: true });
    expect(visitor.faults).toEqual([]);
  });

  test('has a history that is shown', async () => {
    for (const { id } of [...live, ...deleted]) {
      await visitor.go(`/entities/${id}/history`);
      await page.getByText('Version 2', { exact: true }).first().waitFor();
      await page.getByRole('region', { name: 'Comparison' }).waitFor();
    }
    const named = (name: string) => live.find((one) => one.name === name)?.id;
    await visitor.go(`/entities/${named('an unknown method')}/history`);
    await page.getByText('dictated', { exact: false }).first().waitFor();
    await visitor.go(`/entities/${named('no author')}/history`);
    await page.getByText('unknown author', { exact: true }).first().waitFor();
    await lookAt(page, 'odd-members-history', { known: true });
    expect(visitor.faults).toEqual([]);
  });

  test('is listed and found where it was deleted', async () => {
    await visitor.go(`/collections/${oddCollection}/deleted`);
    for (const { label } of deleted) await page.getByRole('link', { name: label, exact: true }).first().waitFor();
    const columns = encodeURIComponent(JSON.stringify(['ver', 'relationships.about']));
    await visitor.go(`/collections/${oddCollection}?columns=${columns}`);
    await page.getByRole('grid').getByText('has all of them, live', { exact: true }).waitFor();
    for (const { id } of deleted) {
      await visitor.go(`/entities/${id}`);
      await page.getByText('Every version of it is still there.').waitFor();
    }
    expect(visitor.faults).toEqual([]);
  });

  test.each(['changed', 'deleted'])('is decided about where it was %s elsewhere', async (how) => {
    const about = { relationships: [{ predicate: 'about', peer: oddPeer, properties: { page: 4 } }] };
    const forks = live.map(({ id, name, chain: [first, ours] }) => {
      const head = { ver: 2, prev: first?.cid ?? null };
      const content = how === 'changed' ? { label: 'theirs', n: 3 } : null;
      const theirs = versionOf(id, { ...oddMembers[name], ...about }, content, head);
      return { id, ours, chain: [first, theirs] as Block[] };
    });
    await imported(node, await oddArchive(forks));
    for (const { id } of forks) {
      await visitor.go(`/sync/conflicts/car/${id}`);
      await page.getByText('Version 2', { exact: true }).first().waitFor();
      await page
        .getByText(how === 'changed' ? 'theirs' : 'What the version says', { exact: false })
        .first()
        .waitFor();
    }
    expect(visitor.faults).toEqual([]);
  });
});
