import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person, ask as request } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { takenOver } from '../helpers/taken-over.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('the history of an entity', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  let letter: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
    letter = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Ada' } });
  });

  const dialog = () => page.getByRole('dialog', { name: 'Restore version 1' });
  const restore = () => dialog().getByRole('button', { name: 'Restore', exact: true });
  const ask = async () => {
    const first = page.getByRole('listitem').filter({ hasText: 'Version 1' });
    await first.getByRole('button', { name: 'Restore' }).click();
    await dialog().waitFor();
  };
  const open = async () => {
    await visitor.go(`/entities/${letter.id}/history`);
    await page.getByText('Version 2', { exact: true }).first().waitFor();
  };
  const moved = () => dialog().getByText('Another version was saved since you looked');
  /** Looks at what came, and restores all the same. */
  const lookAndRestore = async (ver: number) => {
    await dialog().getByRole('button', { name: 'Look at what came' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Comparison' }).getByText('Theirs').waitFor();
    await page.getByRole('radio', { name: 'Compare to version 3', checked: true }).waitFor();
    await ask();
    await restore().click();
    await page.getByText(`Restored as version ${ver}`, { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada' });
  };

  test('compares a version that is not listed yet, or is the last listed one, with the one before it', async () => {
    const versions = [letter];
    for (let ver = 2; ver <= 20; ver++) {
      const label = ver === 20 ? 'Draft 19 ' : `Draft ${ver}`;
      versions.push(await update(node, me, versions.at(-1) as Entity, { properties: { label } }));
    }
    const heads = page.getByRole('region', { name: 'Comparison' }).getByRole('columnheader');
    const compared = async (ver: number) => {
      await visitor.go(`/entities/${letter.id}/history?to=${versions[ver - 1]?.cid}`);
      await page.getByRole('region', { name: 'Versions' }).getByText('Version 20').waitFor();
      await heads.nth(2).getByText(`Version ${ver} ·`).waitFor();
      return (await heads.allInnerTexts()).slice(1).map((text) => text.replace(/ ·.*/s, ''));
    };
    expect(await compared(3)).toEqual(['Version 2', 'Version 3']);
    const row = page.getByRole('row').filter({ hasText: 'label' });
    expect([await row.locator('del').allInnerTexts(), await row.locator('ins').allInnerTexts()]).toEqual([
      ['2'],
      ['3'],
    ]);
    expect(await compared(11)).toEqual(['Version 10', 'Version 11']);
    expect(await compared(1)).toEqual(['Nothing', 'Version 1']);
    expect(await row.getByText('Looks alike').count()).toBe(0);
    expect(await compared(20)).toEqual(['Version 19', 'Version 20']);
    await row.getByText('Looks alike, and differs in blanks').waitFor();
    // Which one it is stays in sight in the list, however far one goes down.
    for (let ver = 19; ver > 11; ver--) {
      await page.keyboard.press('j');
      await heads.nth(2).getByText(`Version ${ver} ·`).waitFor();
    }
    const { y = 0, height = 0 } =
      (await page.getByRole('radio', { name: 'Compare to version 12' }).boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    expect(visitor.faults).toEqual([]);
  });

  test('compares the first of thousands of properties, and more where they are asked for', async () => {
    const many = (text: string) => Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`n${i}`, text]));
    const second = await update(node, me, letter, { properties: many('a') });
    await update(node, me, second, { properties: many('b') });
    await visitor.go(`/entities/${letter.id}/history`);
    const region = page.getByRole('region', { name: 'Comparison' });
    const more = region.getByRole('button', { name: 'Show more' });
    const rows = () => region.getByRole('row').count();
    await expect.poll(rows).toBe(301);
    await region.getByText('and 400 more').waitFor();
    // Whoever goes on behind the last difference that is shown is led to the next one.
    await region.getByRole('button', { name: 'Next difference' }).evaluate((next: { click(): void }) => {
      for (let n = 0; n < 301; n++) next.click();
    });
    await region.getByRole('row').nth(301).locator('del:focus').waitFor();
    expect(await rows()).toBe(601);
    await more.click();
    await expect.poll(rows).toBe(701);
    expect(await more.count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('keeps what is shown and asked where it cannot be fetched anew, and says so', async () => {
    let last = letter;
    for (let ver = 2; ver <= 30; ver++) last = await update(node, me, last, { properties: { label: `Draft ${ver}` } });
    await visitor.go(`/entities/${letter.id}/history`);
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByText('Version 30').waitFor();
    let isBroken = true;
    await page.route('**/versions/*?*', (route) =>
      isBroken ? route.fulfill({ status: 500, json: { error: 'Internal error' } }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Show older versions' }).click();
    await page.getByText('The node could not do this.').waitFor();
    expect(await versions.getByText('Version 30').count()).toBe(1);
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await versions.getByText('Version 11', { exact: true }).waitFor();
    isBroken = true;
    await versions
      .getByRole('listitem')
      .filter({ hasText: 'Version 20' })
      .getByRole('button', { name: 'Restore' })
      .click();
    const asked = page.getByRole('dialog', { name: 'Restore version 20' });
    await asked.waitFor();
    await update(node, me, last, { properties: { label: 'Draft 31' } });
    await page.getByText('The node could not do this.').waitFor();
    await lookAt(page, 'history-problem', { asItIs: true });
    expect(await asked.count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('offers what a remote has replaced by its own version to be compared and restored', async () => {
    await update(node, me, letter, { properties: { label: 'To Bea' } });
    await takenOver(node, letter.id);
    await visitor.go(`/entities/${letter.id}/history`);
    await page.getByRole('button', { name: 'Show versions that were replaced' }).click();
    const replaced = page.getByRole('region', { name: 'Replaced versions' });
    const first = replaced.getByRole('listitem').filter({ hasText: 'Version 1' });
    await first.getByRole('radio', { name: 'Compare from version 1' }).check();
    await page.getByRole('region', { name: 'Comparison' }).getByText('To Ada').waitFor();
    expect(await replaced.getByRole('listitem').count()).toBe(2);
    await lookAt(page, 'history-replaced');
    await first.getByRole('button', { name: 'Restore' }).click();
    await dialog().waitFor();
    // It begins at what was asked for, not at its cross.
    await page.keyboard.press('Enter');
    await page.getByText('Restored as version 2', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada' });
    expect(visitor.faults).toEqual([]);
  });

  test('restores no old version in the place of one that nobody has looked at', async () => {
    const second = await update(node, me, letter, { properties: { label: 'To Bea' } });
    await open();
    // What others do is not heard of in the meantime.
    await page.route('**/events?*', (route) => route.abort());
    await ask();
    const third = await update(node, me, second, { properties: { label: 'Theirs' } });
    await restore().click();
    await moved().waitFor();
    expect(await restore().isDisabled()).toBe(true);
    expect((await read(node, me, letter.id)).cid).toBe(third.cid);
    await lookAt(page, 'history-restore-moved', { asItIs: true });
    await lookAndRestore(4);
    expect(visitor.faults).toEqual([]);
  });

  test('says that another version came while it is asked whether to restore one', async () => {
    const second = await update(node, me, letter, { properties: { label: 'To Bea' } });
    await open();
    await ask();
    await update(node, me, second, { properties: { label: 'Theirs' } });
    await moved().waitFor();
    expect(await restore().isDisabled()).toBe(true);
    await lookAndRestore(4);
    expect(visitor.faults).toEqual([]);
  });

  test('restores the version that is asked for, or says that it did not, where another one is on its way', async () => {
    const second = await update(node, me, letter, { properties: { label: 'To Bea' } });
    await update(node, me, second, { properties: { label: 'To Cid' } });
    await open();
    const answer = Promise.withResolvers<void>();
    const begun = page.waitForRequest((request) => request.method() === 'PUT');
    await page.route('**/entities/*', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      const response = await route.fetch();
      await answer.promise;
      await route.fulfill({ response });
    });
    // What is saved is not heard of before its answer.
    await page.route('**/events?*', (route) => route.abort());
    await ask();
    await restore().click();
    await begun;
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    const other = page.getByRole('dialog', { name: 'Restore version 2' });
    const line = page.getByRole('listitem').filter({ hasText: 'Version 2' });
    await line.getByRole('button', { name: 'Restore' }).click();
    await other.getByRole('button', { name: 'Restore', exact: true }).click();
    answer.resolve();
    await page.getByText('Restored as version 4', { exact: true }).waitFor();
    await other.getByText('so version 2 has not been restored').waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada' });
    await other.getByRole('button', { name: 'Look at what came' }).click();
    await other.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('restores what a version led to, also where that has been deleted since', async () => {
    const ann = await create(node, me, { type: 'person', collection: home.id, properties: { label: 'Ann Lee' } });
    const author = { predicate: 'author', peer: ann.id, peer_type: 'person', peer_label: 'Ann Lee' };
    letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'To Ada' },
      relationships: [author],
    });
    await update(node, me, letter, { relationships_remove: [author] });
    await remove(node, me, ann);
    await open();
    await ask();
    await restore().click();
    await page.getByText('Restored as version 3', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).relationships).toContainEqual(author);
    expect(visitor.faults).toEqual([]);
  });

  test('restores the collection that was first, which decides who may do what', async () => {
    const other = await collection(node, me, { label: 'Loans' });
    const relationships = [home, other].map(({ id }) => ({ predicate: 'collection', peer: id }));
    letter = await create(node, me, { type: 'letter', relationships, properties: { label: 'To Ada' } });
    await update(node, me, letter, { relationships_remove: relationships.slice(0, 1) });
    await open();
    await ask();
    await restore().click();
    await page.getByText('Restored as version 4', { exact: true }).waitFor();
    const { relationships: now } = await read(node, me, letter.id);
    expect(now.map(({ peer }) => peer)).toEqual([home.id, other.id]);
    expect(visitor.faults).toEqual([]);
  });

  test('restores no version that is a deletion: nothing would be left of the entity', async () => {
    const { ver, cid } = await remove(node, me, letter);
    ok(await request(node, me, `POST /entities/${letter.id}/restore`, { expect_tip: cid }));
    await open();
    const second = page.getByRole('listitem').filter({ hasText: 'Version 2' });
    await second.getByText('Deleted', { exact: true }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Version 1' })
      .getByRole('button', { name: 'Restore' })
      .waitFor();
    expect(await second.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    await lookAt(page, 'history-deletion');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await page.getByRole('radio', { name: 'Compare to version 2', checked: true }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.press('j');
    await page.getByRole('radio', { name: 'Compare to version 1', checked: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await read(node, me, letter.id)).toMatchObject({ ver: ver + 1, properties: { label: 'To Ada' } });
    expect(visitor.faults).toEqual([]);
  });

  test('brings a deleted entity back as it was at first', async () => {
    await remove(node, me, await update(node, me, letter, { properties: { label: 'To Bea', pages: 2 } }));
    await open();
    await page.getByRole('heading', { name: 'Deleted' }).waitFor();
    await ask();
    await restore().click();
    await page.getByText('Restored as version 5', { exact: true }).waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'To Ada' });
    expect(visitor.faults).toEqual([]);
  });

  /** What becomes of the next writes that fit, one each: done but not answered, not even done, or as usual. */
  const fates = async (fits: (method: string, path: string) => boolean, ...each: ('lost' | 'refused' | 'done')[]) => {
    await page.route('**/entities/**', async (route) => {
      const request = route.request();
      if (!fits(request.method(), new URL(request.url()).pathname)) return route.continue();
      const fate = each.shift();
      if (fate === 'lost') await route.fetch();
      return fate === 'lost' || fate === 'refused' ? route.abort('connectionreset') : route.continue();
    });
  };
  const isPut = (method: string) => method === 'PUT';
  const isRestore = (_: string, path: string) => path.endsWith('/restore');
  const unanswered = () => dialog().getByText('The node does not answer.');

  test('is restored once where the answer to that was lost', async () => {
    await update(node, me, letter, { properties: { label: 'To Bea' } });
    await open();
    await fates(isPut, 'lost');
    await ask();
    await restore().click();
    await unanswered().waitFor();
    await restore().click();
    await page.getByText('Restored as version 3', { exact: true }).waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 3, properties: { label: 'To Ada' } });
    expect(visitor.faults).toEqual([]);
  });

  test.each([
    ['its first version was not answered', ['lost']],
    ['its second version failed', ['done', 'refused']],
    ['its second version was not answered', ['done', 'lost']],
  ] as const)('restores the collection that was first, also where %s', async (_, each) => {
    const other = await collection(node, me, { label: 'Loans' });
    const relationships = [home, other].map(({ id }) => ({ predicate: 'collection', peer: id }));
    letter = await create(node, me, { type: 'letter', relationships, properties: { label: 'To Ada' } });
    await update(node, me, letter, { relationships_remove: relationships.slice(0, 1) });
    await open();
    await fates(isPut, ...each);
    await ask();
    await restore().click();
    await unanswered().waitFor();
    await restore().click();
    await page.getByText('Restored as version 4', { exact: true }).waitFor();
    const { ver, relationships: now } = await read(node, me, letter.id);
    expect([ver, now.map(({ peer }) => peer)]).toEqual([4, [home.id, other.id]]);
    expect(visitor.faults).toEqual([]);
  });

  test('goes on from no version of somebody else, where the second of its own has failed', async () => {
    const other = await collection(node, me, { label: 'Loans' });
    const relationships = [home, other].map(({ id }) => ({ predicate: 'collection', peer: id }));
    letter = await create(node, me, { type: 'letter', relationships, properties: { label: 'To Ada' } });
    await update(node, me, letter, { relationships_remove: relationships.slice(0, 1) });
    await open();
    await fates(isPut, 'done', 'refused');
    await ask();
    await restore().click();
    await unanswered().waitFor();
    const theirs = await update(node, me, await read(node, me, letter.id), { properties: { label: 'To Bea' } });
    await restore().click();
    await moved().waitFor();
    expect((await read(node, me, letter.id)).cid).toBe(theirs.cid);
    expect(visitor.faults).toEqual([]);
  });

  test.each([
    ['its own first step was not answered', isRestore, ['lost']],
    ['its second step failed', isPut, ['refused']],
    ['its second step was not answered', isPut, ['lost']],
  ] as const)('brings a deleted entity back as it was at first, also where %s', async (_, fits, each) => {
    await remove(node, me, await update(node, me, letter, { properties: { label: 'To Bea' } }));
    await open();
    await page.getByRole('heading', { name: 'Deleted' }).waitFor();
    await ask();
    await fates(fits, ...each);
    await restore().click();
    await unanswered().waitFor();
    await restore().click();
    await page.getByText('Restored as version 5', { exact: true }).waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 5, properties: { label: 'To Ada' } });
    expect(visitor.faults).toEqual([]);
  });

  test('restores nothing over what somebody wrote on an entity that is only just back', async () => {
    await remove(node, me, await update(node, me, letter, { properties: { label: 'To Bea' } }));
    await open();
    await page.getByRole('heading', { name: 'Deleted' }).waitFor();
    await ask();
    await fates(isPut, 'refused');
    await restore().click();
    await unanswered().waitFor();
    await update(node, me, await read(node, me, letter.id), { properties: { label: 'Theirs' } });
    await restore().click();
    await moved().waitFor();
    await dialog().getByText('so version 1 has not been restored').waitFor();
    expect((await read(node, me, letter.id)).properties).toEqual({ label: 'Theirs' });
    expect(visitor.faults).toEqual([]);
  });
});
