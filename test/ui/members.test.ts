import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, jwtOf, jwtSecret, on, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { comingIn, describePage, lookAt, startPageNode, tidiedAfterEach, type Visit } from './browser.ts';

const env = {
  ARCHEION_JWT_SECRET: jwtSecret,
  ARCHEION_JWT_ISSUER: 'https://idp.test',
  ARCHEION_ALPHA_REQUIRED: 'true',
};
const hostile = '<img src=x onerror="window.hacked=1">\u202Egnp.exe';

describePage('members and roles', () => {
  let node: TestNode;
  let me: Person;
  let ada: Person;
  let bob: Person;
  let home: Entity;
  let visitor: Visit;
  let page: Page;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    node = tidied(await startPageNode({ env }));
    me = operator(node);
    [ada, bob] = [await user(node, 'Ada Lovelace'), await user(node, 'Bob Coecke')];
    home = await collection(node, me, { label: 'Letters' });
    visitor = tidied(await comingIn(node));
    page = visitor.page;
  });

  const now = () => read(node, me, home.id);
  /** Who holds which role, as `role peer`. */
  const held = async () => (await now()).relationships.map(({ predicate, peer }) => `${predicate} ${peer}`).sort();
  const rolesNow = async () => (await now()).properties.roles as Record<string, string[]>;
  const dialog = () => page.getByRole('dialog');
  const line = (name: string) => page.getByRole('row').filter({ hasText: name });
  const open = async () => {
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('heading', { name: 'Members', level: 2 }).waitFor();
    // Keys that change something work from here on.
    await page.getByRole('button', { name: 'Add a member' }).waitFor();
  };

  test('are added, changed and removed by keys alone, and say what that means', async () => {
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('status').getByText('One membership').waitFor();
    // Keys work once it is known what the caller may do.
    await page.getByRole('button', { name: 'Add a member' }).waitFor();

    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('lovel');
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
    await lookAt(page, 'members-add');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Choose somebody else' }).waitFor();
    await dialog().getByLabel('Role', { exact: true }).selectOption('editor');
    await page.getByRole('button', { name: 'Give the role', disabled: false }).press('Enter');
    await page.getByText('Ada Lovelace has the role “editor”').first().waitFor();
    await line('Ada Lovelace').waitFor();
    expect(await held()).toEqual([`editor ${ada.id}`, `owner ${me.id}`].sort());

    await page.keyboard.press('j');
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Role of Ada Lovelace' }).waitFor();
    await dialog().getByLabel('Role', { exact: true }).selectOption('viewer');
    await dialog().getByLabel('Until').fill('2999-12-31');
    await lookAt(page, 'members-change');
    await page.keyboard.press('Enter');
    await line('Ada Lovelace').getByText('2999').waitFor();
    expect(await held()).toEqual([`owner ${me.id}`, `viewer ${ada.id}`].sort());
    const [kept] = (await now()).relationships.filter(({ peer }) => peer === ada.id);
    expect(kept?.properties).toMatchObject({ granted_by: me.id, expires_at: '2999-12-31T23:59:59.000Z' });

    await page.keyboard.press('Delete');
    await page.getByText('Ada Lovelace loses the role “viewer” at once').waitFor();
    await lookAt(page, 'members-remove');
    await page.getByRole('button', { name: 'Take the role away', disabled: false }).press('Enter');
    await page.getByRole('status').getByText('One membership').waitFor();
    expect(await held()).toEqual([`owner ${me.id}`]);

    await page.keyboard.press('?');
    for (const name of ['Add a member', 'New role', 'Change role or end', 'Entities'])
      await page.getByRole('dialog').getByText(name, { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('keep the time at which they end when their role alone is changed', async () => {
    ok(
      await ask(node, me, `POST /collections/${home.id}/members`, {
        user_id: ada.id,
        role: 'editor',
        expires_in: 100_000,
      }),
    );
    const end = async () =>
      (await now()).relationships.find(({ peer }) => peer === ada.id)?.properties?.expires_at as string | undefined;
    const before = await end();
    await open();
    const give = async (role: string) => {
      await page.getByRole('button', { name: 'What to do with Ada Lovelace' }).click();
      await page.getByRole('menuitem', { name: 'Change role or end' }).click();
      await dialog().getByLabel('Role', { exact: true }).selectOption(role);
    };
    await give('viewer');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(held).toContain(`viewer ${ada.id}`);
    expect(await end()).toBe(before);
    await give('editor');
    await dialog().getByLabel('Until').fill('');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(held).toContain(`editor ${ada.id}`);
    expect(await end()).toBeUndefined();
    expect(visitor.faults).toEqual([]);
  });

  test('are named in a narrow window, too, whatever their roles are called', async () => {
    await enrol(node, me, home.id, ada, 'editor', 100_000);
    const roles = { 'reader of all letters but no drawings': ['*:view'] };
    const { cid } = await now();
    ok(await ask(node, me, `PUT /collections/${home.id}`, { expect_tip: cid, properties: { roles } }));
    await enrol(node, me, home.id, bob, Object.keys(roles)[0] as string, 100_000);
    const label = 'Restaurierung und Konservierung';
    const { id } = await create(node, me, { type: 'group', collection: home.id, properties: { label } });
    ok(await ask(node, me, `POST /collections/${home.id}/members`, { user_id: id, role: 'editor' }));
    await page.setViewportSize({ width: 800, height: 800 });
    await open();
    await line('Bob Coecke').waitFor();
    await line(label).waitFor();
    const isCut = 'it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight';
    const cut = `[...document.querySelectorAll('td a')].filter((it) => ${isCut})`;
    expect(await page.evaluate(`${cut}.map((it) => it.textContent)`)).toEqual([]);
    // The table below scrolls by itself, and the page does not with it.
    await page.getByRole('region', { name: 'Who has it may' }).getByRole('row').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(800);
    expect(visitor.faults).toEqual([]);
  });

  test('hold a role without an end where that is chosen, also who held it until some time', async () => {
    const until = (peer: string, role: string, expires_at: string) => ({
      peer,
      predicate: role,
      properties: { expires_at },
    });
    await enrol(node, me, home.id, ada, 'editor');
    const relationships_add = [
      until('*', 'viewer', '2020-01-01T00:00:00.000Z'),
      until(ada.id, 'viewer', '2999-01-01T00:00:00.000Z'),
    ];
    ok(await ask(node, me, `PUT /collections/${home.id}`, { expect_tip: (await now()).cid, relationships_add }));
    const ends = async (peer: string) => {
      const of = (await now()).relationships.filter((one) => one.peer === peer);
      return of.map(({ predicate, properties }) => [predicate, properties?.expires_at]);
    };
    await open();
    await page.getByRole('button', { name: 'Add a member' }).click();
    await dialog().getByRole('combobox').first().fill('every');
    await page.getByRole('option', { name: /^Every/ }).click();
    await dialog().getByLabel('Role', { exact: true }).selectOption('viewer');
    await dialog().getByRole('button', { name: 'Give the role' }).click();
    await expect.poll(() => ends('*')).toEqual([['viewer', undefined]]);
    await line('Ada Lovelace').filter({ hasText: 'editor' }).getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Change role or end' }).click();
    await dialog().getByLabel('Role', { exact: true }).selectOption('viewer');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => ends(ada.id)).toEqual([['viewer', undefined]]);
    expect(visitor.faults).toEqual([]);
  });

  test('are found by a part that is typed in the middle of what stands there', async () => {
    await open();
    const filter = page.getByRole('searchbox', { name: 'Filter by name or role' });
    await filter.fill('Opor');
    await filter.press('ArrowLeft');
    await filter.press('ArrowLeft');
    await page.keyboard.type('erat');
    expect(await filter.inputValue()).toBe('Operator');
    await line('Operator').waitFor();
    await expect.poll(() => page.url()).toContain('q=Operator');
    // The keys are the list's then: this one opens its line.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/entities\//);
    expect(visitor.faults).toEqual([]);
  });

  test('everybody, groups and a hostile name have their lines; the last owner stays', async () => {
    const crew = await create(node, me, {
      type: 'group',
      collection: home.id,
      properties: { label: hostile },
      relationships: [{ predicate: 'member', peer: bob.id, peer_type: 'user', peer_label: 'Bob Coecke' }],
    });
    await enrol(node, me, home.id, { id: crew.id, headers: {} }, 'editor');
    await enrol(node, me, home.id, bob, 'viewer', 0);
    await open();
    await page.getByRole('button', { name: /Show who is in/ }).click();
    await page.getByRole('link', { name: 'Bob Coecke' }).waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await page.keyboard.press('/');
    await page.keyboard.type('zzz');
    await page.getByText('Nobody fits.').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await line('Bob Coecke').nth(1).waitFor();
    expect(await page.getByLabel('Show ended ones (1)').isChecked()).toBe(true);
    await line('Bob Coecke').getByText('ended').waitFor();
    expect(page.url()).toContain('ended=true');

    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.keyboard.type('everyb');
    await page.getByRole('option', { name: 'Everybody who is registered' }).click();
    await page.getByRole('button', { name: 'Give the role' }).click();
    await line('Everybody who is registered').getByText('viewer').waitFor();
    expect(await held()).toContain('viewer *');
    await lookAt(page, 'members');

    await page.getByRole('button', { name: 'What to do with Everybody who is registered' }).click();
    await page.getByRole('menuitem', { name: 'Take the role away' }).click();
    await page.getByText('just for being registered').waitFor();
    await page.getByRole('button', { name: 'Take the role away' }).click();
    await line('Everybody who is registered').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'What to do with Operator' }).click();
    await page.getByRole('menuitem', { name: 'Take the role away' }).click();
    await page.getByRole('button', { name: 'Take the role away' }).click();
    await page.getByText('the last owner of a collection cannot be removed').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'New group' }).click();
    await dialog().getByLabel('Label').fill('Readers');
    await page.getByRole('combobox', { name: 'Who is in it' }).fill('Ada');
    await page.getByRole('option', { name: 'Ada Lovelace' }).click();
    await lookAt(page, 'members-group');
    await page.getByRole('button', { name: 'Create' }).click();
    await line('Readers').getByText('viewer').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('in a group are shown with when that ends, and as ended once it has; who holds a role is counted without those', async () => {
    const until = (peer: string, expires_at: string) => ({ predicate: 'member', peer, properties: { expires_at } });
    const crew = await create(node, me, {
      type: 'group',
      collection: home.id,
      properties: { label: 'Interns' },
      relationships: [until(ada.id, '2020-01-01T00:00:00.000Z'), until(bob.id, '2999-01-01T00:00:00.000Z')],
    });
    await enrol(node, me, home.id, { id: crew.id, headers: {} }, 'editor');
    await enrol(node, me, home.id, bob, 'viewer', 0);
    await open();
    await page.getByRole('button', { name: 'Show who is in Interns' }).click();
    const one = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text });
    await one(/ended.*2020/).waitFor();
    await one(/Until.*2999/).waitFor();
    await lookAt(page, 'members-group-ended');
    const head = (role: string) => page.getByRole('columnheader').filter({ hasText: role });
    await head('editor').getByText('one membership').waitFor();
    await head('viewer').getByText('0 memberships').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a group has who is shown in it, also where it could not be given its role at first', async () => {
    await open();
    const person = async (name: string) => {
      await page.getByRole('combobox', { name: 'Who is in it' }).fill(name.slice(0, 3));
      await page.getByRole('option', { name }).click();
    };
    const create = () => dialog().getByRole('button', { name: 'Create', disabled: false }).click();
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog().getByLabel('Label').fill('Readers');
    await person('Ada Lovelace');
    const gate = Promise.withResolvers<void>();
    await page.route(/\/members$/, async (route) => {
      await gate.promise;
      await route.fulfill({ status: 503, json: { error: 'Restarting' } });
    });
    await create();
    const remove = dialog().getByRole('button', { name: 'Remove Ada Lovelace' });
    await expect.poll(() => remove.isDisabled()).toBe(true);
    gate.resolve();
    await dialog().getByText('The group is made.').waitFor();
    await lookAt(page, 'members-group-made', { asItIs: true });
    expect(await remove.isDisabled()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Who is in it' }).isDisabled()).toBe(true);
    await page.unroute(/\/members$/);
    await create();
    await line('Readers').getByText('viewer').waitFor();
    const { relationships } = await read(
      node,
      me,
      (await now()).relationships.find(({ predicate }) => predicate === 'viewer')?.peer ?? '',
    );
    expect(relationships.filter(({ predicate }) => predicate === 'member').map(({ peer }) => peer)).toEqual([ada.id]);
    expect(visitor.faults).toEqual([]);
  });

  test('roles are read as a table, made, changed and deleted', async () => {
    await open();
    await page.keyboard.press('r');
    await dialog().getByLabel('Name', { exact: true }).fill('Cataloguer');
    await page.getByLabel('Begin like').selectOption('viewer');
    await page.getByLabel('entity:create', { exact: true }).check();
    await page.getByText('Whoever holds it may read entities and files and add entities.').waitFor();
    await lookAt(page, 'role-new');
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('columnheader', { name: /Cataloguer/ })
      .first()
      .waitFor();
    expect((await rolesNow()).Cataloguer).toEqual(['*:view', 'entity:create']);
    await page.getByText('Every permission, one by one').click();
    await page.getByRole('rowheader', { name: 'file:download' }).scrollIntoViewIfNeeded();
    await lookAt(page, 'roles');

    await page.getByRole('button', { name: 'What to do with the role “Cataloguer”' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('entity:update', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await rolesNow()).Cataloguer).toEqual(['*:view', 'entity:create', 'entity:update']);

    await enrol(node, me, home.id, ada, 'Cataloguer');
    await page.getByRole('columnheader', { name: /Cataloguer.*one membership/ }).waitFor();
    await page.getByRole('button', { name: 'What to do with the role “Cataloguer”' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('One membership ends at once.').waitFor();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await expect.poll(rolesNow).not.toHaveProperty('Cataloguer');
    expect(await held()).toEqual([`owner ${me.id}`]);
    expect(visitor.faults).toEqual([]);
  });

  test('the first of many roles are a table, and more where they are asked for', async () => {
    const roles = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`room ${i}`, ['*:view']]));
    const { id } = await collection(node, me, { label: 'Rooms', roles });
    await visitor.go(`/collections/${id}/members`);
    await page.getByText('and 34 more').waitFor();
    const columns = () => page.getByRole('button', { name: /^What to do with the role / }).count();
    expect(await columns()).toBe(50);
    ok(await ask(node, me, `POST /collections/${id}/roles`, { role: 'zoo', actions: ['*:view'] }));
    await page.getByRole('columnheader', { name: /^zoo/ }).waitFor();
    expect(await columns()).toBe(51);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(columns).toBe(85);
    await page.getByText('Every permission, one by one').click();
    await page.getByRole('rowheader', { name: 'file:download' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a role with blanks at the ends of its name is changed, and no other one made', async () => {
    ok(await ask(node, me, `POST /collections/${home.id}/roles`, { role: ' odd ', actions: ['*:view'] }));
    await open();
    await page.getByRole('button', { name: 'What to do with the role “ odd ”' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('entity:create', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await rolesNow()).toMatchObject({ ' odd ': ['*:view', 'entity:create'] });
    expect(await rolesNow()).not.toHaveProperty('odd');
    expect(visitor.faults).toEqual([]);
  });

  test('a change that comes second overwrites nothing, says what happened, and can be done all the same', async () => {
    await enrol(node, me, home.id, ada, 'viewer');
    await open();
    await page.getByRole('button', { name: 'What to do with the role “editor”' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('chat:send', { exact: true }).check();
    await enrol(node, me, home.id, bob, 'editor');
    ok(await ask(node, me, `PUT /collections/${home.id}/roles/viewer`, { actions: ['*:view', 'graph:query'] }));
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Bob Coecke was given the role “editor”').waitFor();
    await dialog().getByText('what the role “viewer” allows was changed').waitFor();
    await lookAt(page, 'members-overtaken');
    expect((await rolesNow()).editor).not.toContain('chat:send');
    await page.getByRole('button', { name: 'Do it all the same' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await rolesNow()).toMatchObject({
      viewer: ['*:view', 'graph:query'],
      editor: ['*:view', '*:update', '*:create', 'chat:send'],
    });
    expect(await held()).toEqual([`editor ${bob.id}`, `owner ${me.id}`, `viewer ${ada.id}`].sort());
    expect(visitor.faults).toEqual([]);
  });

  test('who is sought and not found is said, to who hears the page as well', async () => {
    await open();
    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('zzz');
    await dialog().getByRole('status').getByText('Nobody of that name').waitFor();
    await lookAt(page, 'members-nobody', { asItIs: true });
    expect(visitor.faults).toEqual([]);
  });

  test('addresses are invited to the node, with their states', async () => {
    await ask(node, await jwtOf('eve', Date.now()), 'POST /auth/register');
    await open();
    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('grace@idp.test');
    await dialog().getByText('Nobody here has the address grace@idp.test').waitFor();
    // It would stand over that.
    expect(await dialog().getByText('Nobody of that name').count()).toBe(0);
    await dialog().getByRole('button', { name: 'Invite' }).click();
    await dialog().getByText('grace@idp.test is invited').waitFor();
    await lookAt(page, 'members-invite');
    ok(await ask(node, await jwtOf('grace', Date.now()), 'POST /auth/register'));
    await dialog().getByRole('combobox', { name: 'Who' }).fill('grace@');
    await page.getByRole('option', { name: /grace/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.reload();
    await line('grace@idp.test').getByText('registered').waitFor();
    await line('eve@idp.test').getByText('waiting').waitFor();
    await line('eve@idp.test').getByRole('button', { name: 'Invite' }).click();
    await line('eve@idp.test').getByText('invited').waitFor();
    await page.getByLabel('E-mail address').fill('linus@example.org');
    await page.keyboard.press('Enter');
    await line('linus@example.org').getByText('invited').waitFor();
    await page.getByLabel('E-mail address').fill('Linus@example.org');
    await page.keyboard.press('Enter');
    await page.getByText('This address is invited already').waitFor();
    await page.getByRole('button', { name: 'Revoke the invitation of linus@example.org' }).click();
    await page.getByText('This address is invited already').waitFor({ state: 'detached' });
    await line('linus@example.org').getByText('revoked').waitFor();
    await page.getByRole('heading', { name: 'Invitations to this node' }).scrollIntoViewIfNeeded();
    await lookAt(page, 'members-invites');
    expect(visitor.faults).toEqual([]);
  });

  test('the first of many invitations are a table, and more where they are asked for', async () => {
    for (let i = 0; i < 201; i++) await ask(node, me, 'POST /node/invites', { email: `a${i}@idp.test` });
    await open();
    const lines = page.getByRole('row').filter({ hasText: '@idp.test' });
    await page.getByText('and 1 more').waitFor();
    expect(await lines.count()).toBe(200);
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect.poll(() => lines.count()).toBe(201);
    await page.locator('tr:focus', { hasText: '@idp.test' }).waitFor();
    // One that has been invited meanwhile moves the others to the next page.
    await ask(node, me, 'POST /node/invites', { email: 'linus@idp.test' });
    await page.getByRole('button', { name: 'Revoke the invitation of a7@idp.test' }).click();
    await line('a7@idp.test').getByText('revoked').waitFor();
    expect(await lines.count()).toBe(202);
    expect(visitor.faults).toEqual([]);
  });

  test('an invitation that is revoked once it was accepted says that whoever has registered stays so', async () => {
    for (const name of ['grace', 'linus']) await ask(node, me, 'POST /node/invites', { email: `${name}@idp.test` });
    await open();
    await line('grace@idp.test').getByText('invited').waitFor();
    // The page does not hear of it.
    await page.route(/\/(?:events|invites)\?/, (route) => route.abort());
    ok(await ask(node, await jwtOf('grace', Date.now()), 'POST /auth/register'));
    await page.unroute(/\/(?:events|invites)\?/);
    for (const name of ['grace', 'linus']) {
      await page.getByRole('button', { name: `Revoke the invitation of ${name}@idp.test` }).click();
      await line(`${name}@idp.test`).getByText('revoked', { exact: true }).waitFor();
    }
    await line('grace@idp.test').getByText('Had registered, and stays so').waitFor();
    expect(await line('linus@idp.test').innerText()).not.toContain('registered');
    await page.getByRole('heading', { name: 'Invitations to this node' }).scrollIntoViewIfNeeded();
    await lookAt(page, 'members-invites-revoked');
    expect(visitor.faults).toEqual([]);
  });

  test('an invitation that is given or accepted elsewhere is seen, also where no version tells of it', async () => {
    await ask(node, me, 'POST /node/invites', { email: 'grace@idp.test' });
    const there = on('test', me);
    const away = await collection(node, there, { label: 'Trials' });
    await visitor.load(`/collections/${away.id}/members?network=test`);
    await line('grace@idp.test').getByText('invited').waitFor();
    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('grace@idp.test');
    await dialog().getByText('grace@idp.test is invited').waitFor();
    ok(await ask(node, await jwtOf('grace', Date.now()), 'POST /auth/register'));
    await page.getByRole('option', { name: /grace/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await line('grace@idp.test').getByText('registered').waitFor();
    await ask(node, me, 'POST /node/invites', { email: 'linus@idp.test' });
    await line('linus@idp.test').getByText('invited').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
