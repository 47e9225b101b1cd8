import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, read } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('a field', () => {
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

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** An entity of these properties, on its screen. */
  const opened = async (properties: Record<string, unknown>): Promise<Entity> => {
    const letter = await create(node, me, { type: 'letter', collection: home.id, properties });
    await visitor.go(`/entities/${letter.id}`);
    await page.getByRole('button', { name: 'Edit as JSON' }).waitFor();
    return letter;
  };
  const saved = async ({ id }: Entity, ver: number) => {
    await page.keyboard.press('Control+s');
    await page.getByText(`Saved as version ${ver}`, { exact: true }).first().waitFor();
    return (await read(node, me, id)).properties;
  };

  test('of several lines stays with what is typed where its preview cannot be loaded, which comes once the node is back', async () => {
    await opened({ label: 'To Ada', text: 'Dear *Ada*,\nthank you.' });
    await field('text').fill('Dear *Bea*,\nthank you.');
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Markdown preview' }).click();
    await page.getByRole('main').getByText('The node does not answer.').waitFor();
    expect(await field('text').inputValue()).toBe('Dear *Bea*,\nthank you.');
    // As soon as the page hears of a move it asks for all of it again, and nobody has to.
    await page.route(/\/events\?/, (route) => route.abort('connectionrefused'));
    await page.unroute('**/*');
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
    await page.locator('em', { hasText: 'Bea' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('of several lines is previewed again without the node, however long after', async () => {
    await page.clock.install();
    await opened({ label: 'To Ada', text: 'Dear *Ada*,\nthank you.' });
    const preview = page.getByRole('button', { name: 'Markdown preview' });
    const seen = page.locator('em', { hasText: 'Ada' });
    await preview.click();
    await seen.waitFor();
    await page.getByRole('button', { name: 'Hide the preview' }).click();
    await seen.waitFor({ state: 'detached' });
    await page.clock.fastForward('10:00');
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await preview.click();
    await seen.waitFor();
    await page.unroute('**/*');
    expect(visitor.faults).toEqual([]);
  });

  test('has the name that was typed, whatever was typed before', async () => {
    const letter = await opened({ label: 'To Ada' });
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"h": [], "\\\\": 0}');
    await text.fill('{"h": 1, "\\"": 2}');
    expect(await saved(letter, 2)).toEqual({ h: 1, '"': 2 });
    expect(visitor.faults).toEqual([]);
  });

  test('has the name that is written, whatever the page has read before', async () => {
    const other = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { a: 1, 'b"': 2, label: 'Other' },
    });
    const { id } = await create(node, me, {
      ...{ type: 'letter', collection: home.id, properties: { a: [], 'b\\': 0, label: 'To Ada' } },
      relationships: [{ predicate: 'answers', peer: other.id }],
    });
    await visitor.go(`/entities/${id}`);
    await page.getByRole('link', { name: 'Other' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    await field('b"').waitFor();
    await field('label').fill('Another');
    expect(await saved(other, 2)).toEqual({ a: 1, 'b"': 2, label: 'Another' });
    expect(visitor.faults).toEqual([]);
  });

  test('of a date keeps half of one, and saves none of it before it is whole', async () => {
    const letter = await opened({ label: 'To Ada', sent: '1923-05-05', read: '1923-02-30' });
    // No field for dates shows a day that no calendar has.
    expect(await field('read').getAttribute('type')).not.toBe('date');
    expect(await field('read').inputValue()).toBe('1923-02-30');
    const fault = page.getByText('This is no whole date yet, so it cannot be saved.');
    await field('sent').focus();
    await press('Backspace');
    await fault.waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await lookAt(page, 'entity-half-date', { asItIs: true });
    await press('Control+s', 'ArrowRight', 'Backspace');
    await fault.waitFor();
    // What is whole again is as it was, and nothing is left to save.
    await press('ArrowLeft');
    await page.keyboard.type('0505');
    await fault.waitFor({ state: 'detached' });
    expect(await field('sent').inputValue()).toBe('1923-05-05');
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    expect((await read(node, me, letter.id)).ver).toBe(1);

    // None at all is a value, and what is said by hand.
    await field('label').focus();
    await field('sent').focus();
    await press('Backspace', 'ArrowRight', 'Backspace', 'ArrowRight');
    await fault.waitFor();
    await press('Backspace');
    await fault.waitFor({ state: 'detached' });
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', sent: '', read: '1923-02-30' });
    expect(visitor.faults).toEqual([]);
  });

  test('keeps the ends of lines as they are, whatever they are', async () => {
    const letter = await opened({ label: 'To Ada', crlf: 'Dear\r\nAda', cr: 'Dear\rAda', both: 'Dear\r\nAda\nLee' });
    for (const name of ['crlf', 'cr', 'both']) {
      expect(await field(name).inputValue()).toBe(name === 'both' ? 'Dear\nAda\nLee' : 'Dear\nAda');
      await field(name).press('Control+Home');
      await page.keyboard.type('My ');
      await field(name).press('Control+End');
      await page.keyboard.type(',\nthank you');
    }
    expect(await saved(letter, 2)).toEqual({
      label: 'To Ada',
      crlf: 'My Dear\r\nAda,\r\nthank you',
      cr: 'My Dear\rAda,\rthank you',
      both: 'My Dear\r\nAda\nLee,\r\nthank you',
    });
    expect(visitor.faults).toEqual([]);
  });

  test('of JSON takes no text of which something would be lost', async () => {
    const letter = await opened({ label: 'To Ada', deep: { a: { b: { c: { d: { e: { f: 1 } } } } } } });
    await field('e').fill('{"f": 1e999}');
    await page.getByText('1e999 cannot be kept exactly as a number: look at line 1, column 7.').waitFor();
    await field('e').fill('{"f": 2}');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"label": "To Ada",\n "label": "To Bea"}');
    await page.getByText('“label” stands twice in one object').waitFor();
    await page.getByText('look at line 2, column 2.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await lookAt(page, 'entity-json-twice', { asItIs: true });
    await text.fill('{"label": "To Bea", "pages": 9007199254740993}');
    await page.getByText('9007199254740993 cannot be kept exactly').waitFor();
    await text.fill('{"label": "To Bea", "pages": 2}');
    expect(await saved(letter, 2)).toEqual({ label: 'To Bea', pages: 2 });
    expect(visitor.faults).toEqual([]);
  });

  test('has a name and an id of its own, whatever its property is called', async () => {
    const names = { title: 'Dear Ada', first: 'one', 'pages-fault': 'two', 'of-what': 'three', of: { what: 'four' } };
    const letter = await opened({ label: 'To Ada', pages: 3, ...names });
    await field('pages').fill('-');
    await page.getByText('This is no number yet, or none that can be kept exactly.').waitFor();
    const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('#content [id]')].map(({ id }) => id)`);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    await field('pages').fill('4');
    // A label leads to its field, and what is added is typed into at once.
    await page.getByText('title', { exact: true }).click();
    await press('End', '!');
    expect(await field('title').inputValue()).toBe('Dear Ada!');
    await page.getByRole('button', { name: 'What to do with first' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByLabel('Name of a new property').last().fill('first');
    await press('Enter');
    await page.locator('[id="p/first"]:focus').waitFor();
    await page.keyboard.type('page');
    expect(await saved(letter, 2)).toMatchObject({ title: 'Dear Ada!', first: 'page', pages: 4 });
    expect(visitor.faults).toEqual([]);
  });

  test('is there also for a name that has half a sign, which the node does not take', async () => {
    await opened({ label: 'To Ada' });
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'Edit as JSON' });
    await text.fill('{"label": "To Ada", "\\ud83d": 1, "of": {"\\ud83d": 2}}');
    await page.getByRole('button', { name: 'Edit as a form' }).click();
    await page.locator('[id="p/%EF%BF%BD"]').fill('-');
    await page.getByText('This is no number yet, or none that can be kept exactly.').waitFor();
    await page.locator('[id="p/%EF%BF%BD"]').fill('3');
    await press('Control+s');
    await page.getByText('has a name with an unpaired surrogate').first().waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(visitor.faults).toEqual([]);
  });

  test('of a property without a name takes no focus, so that no shortcut is typed into it', async () => {
    const letter = await opened({ label: 'To Ada', '': 'nameless' });
    expect(await page.evaluate("document.activeElement.tagName === 'INPUT'")).toBe(false);
    await press('h');
    await page.getByRole('region', { name: 'Comparison' }).waitFor();
    expect((await read(node, me, letter.id)).ver).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('that is taken out of a list by keys leaves the focus at the same place of the next, or of the one before', async () => {
    await opened({ label: 'To Ada', list: ['one', 'two', 'three'] });
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');
    await page.getByRole('button', { name: 'Remove item 1' }).focus();
    await press('Enter');
    await page.getByRole('button', { name: 'Remove item 3' }).waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Remove item 1');
    await page.getByRole('button', { name: 'Remove item 2' }).focus();
    await press('Enter');
    await expect.poll(focused).toBe('Remove item 1');
    await press('Enter');
    await expect.poll(focused).toBe('Add an item');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(visitor.faults).toEqual([]);
  });

  test('that is moved to an end of a list by keys keeps the focus at its button', async () => {
    const letter = await opened({ label: 'To Ada', list: ['one', 'two', 'three'] });
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await page.getByRole('button', { name: 'Move item 2 up' }).focus();
    await press('Enter', 'Enter');
    await expect.poll(focused).toBe('Move item 1 up');
    await page.getByRole('button', { name: 'Move item 2 down' }).focus();
    await press('Enter', 'Enter');
    await expect.poll(focused).toBe('Move item 3 down');
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', list: ['two', 'three', 'one'] });
    expect(visitor.faults).toEqual([]);
  });

  test('of a text keeps the lines of what is pasted, and the focus', async () => {
    const letter = await opened({ label: 'To Ada', begins: 'Dear Ada, yours', sealed: 'x', list: ['one'] });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const paste = async (text: string) => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('Control+v');
    };
    await field('begins').focus();
    await press('Home', ...Array(10).fill('ArrowRight'));
    await paste('I thank you\r\nfor the notes,\n\nand am');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type(' always ');
    await field('Item 1').focus();
    await press('Control+a');
    await paste('first\nsecond');
    await page.locator('textarea:focus').waitFor();
    // A cell of a spreadsheet is copied with the end of its line, which nobody means.
    await field('sealed').focus();
    await press('Control+a');
    await paste('with wax\r\n');
    expect(await saved(letter, 2)).toEqual({
      label: 'To Ada',
      begins: 'Dear Ada, I thank you\nfor the notes,\n\nand am always yours',
      sealed: 'with wax',
      list: ['first\nsecond'],
    });
    expect(visitor.faults).toEqual([]);
  });

  test('of a text keeps the lines of what is dropped into it, where it is dropped', async () => {
    const letter = await opened({ label: 'To Ada', begins: 'Dear Ada' });
    const box = await field('begins').boundingBox();
    if (!box) throw new Error('The field is not shown.');
    const session = await page.context().newCDPSession(page);
    const items = [{ mimeType: 'text/plain', data: 'For Charles:\r\nyours\r\n' }];
    const at = { x: box.x + 3, y: box.y + box.height / 2, data: { items, files: [], dragOperationsMask: 1 } };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, ...at });
    await session.detach();
    await page.locator('textarea:focus').waitFor();
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', begins: 'For Charles:\nyoursDear Ada' });
    expect(visitor.faults).toEqual([]);
  });

  test('of a text has back by undoing what several pasted lines took the place of', async () => {
    const letter = await opened({ label: 'To Ada', begins: 'Dear Ada, yours' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(`navigator.clipboard.writeText('one\\ntwo')`);
    await field('begins').focus();
    await press('Control+a', 'Control+v');
    await page.locator('textarea:focus').waitFor();
    expect(await field('begins').inputValue()).toBe('one\ntwo');
    await press('Control+z');
    await expect.poll(() => field('begins').inputValue()).toBe('Dear Ada, yours');
    await press('Control+Shift+z', 'End', '!');
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', begins: 'one\ntwo!' });
    expect(visitor.faults).toEqual([]);
  });

  test('stands within its column however deep it is, in every window, and nothing over it', async () => {
    const deep = {
      kept: { at: { shelf: { box: { sheet: { side: 'recto' } } } } },
      dates: [{ written: { from: 1843 } }],
      outline: { lines: [['a', ['b', { c: ['d'] }]]] },
    };
    await opened({ label: 'To Ada', ...deep });
    for (const width of [1024, 1280, 640, 400]) {
      await page.setViewportSize({ width, height: 800 });
      const beyond = await page.evaluate<string[]>(`(() => {
        const form = document.querySelector('section[aria-labelledby="p-title"]');
        const edge = form.getBoundingClientRect().right + 1;
        const parts = [...form.querySelectorAll('input, textarea, button, label')];
        const isWrong = ({ right, width }, least) => right > edge || width < least;
        const least = (one) => (/^(INPUT|TEXTAREA)$/.test(one.tagName) ? 100 : 8);
        const isCovered = (one) => {
          one.scrollIntoView({ block: 'center' });
          const { left, top, width, height } = one.getBoundingClientRect();
          const there = document.elementFromPoint(left + width / 2, top + height / 2);
          return there !== one && !one.contains(there);
        };
        const wrong = parts.filter((one) => isWrong(one.getBoundingClientRect(), least(one)) || isCovered(one));
        return wrong.map((one) => one.outerHTML.slice(0, 200));
      })()`);
      expect(beyond, `${width} wide`).toEqual([]);
    }
  });

  test('stays when its entity is saved, whatever its property is called', async () => {
    const letter = await opened(
      JSON.parse('{"label": "To Ada", "__proto__": "x", "of": {"__proto__": "y", "pages": 3}}'),
    );
    await field('label').fill('To Ada Lovelace');
    await field('pages').fill('2');
    await saved(letter, 2);
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    expect(await page.getByLabel('__proto__', { exact: true }).count()).toBe(2);
    // An object is saved whole.
    await field('pages').fill('4');
    expect(JSON.stringify(await saved(letter, 3))).toContain('"__proto__":"y"');
    expect(visitor.faults).toEqual([]);
  });

  test('of a list’s item stays while it is typed in, and goes where its item goes', async () => {
    const letter = await opened({ label: 'To Ada', notes: ['x'.repeat(88), '2024', 1] });
    const item = (at: number) => page.getByLabel(`Item ${at}`, { exact: true });
    await item(1).press('End');
    await page.keyboard.type(' gn and on');
    // Typed letters were shortcuts of the screen if the field were gone.
    expect(await item(1).inputValue()).toBe(`${'x'.repeat(88)} gn and on`);
    await item(2).press('End');
    await page.keyboard.type('-05-12/2024-06-01');
    expect(await item(2).inputValue()).toBe('2024-05-12/2024-06-01');
    // What is no number yet goes along, and does not come to stand for another item.
    await item(3).fill('-');
    await page.getByRole('button', { name: 'Move item 3 up' }).click();
    await page.getByRole('button', { name: 'Remove item 1' }).click();
    expect([await item(1).inputValue(), await item(2).inputValue()]).toEqual(['-', '2024-05-12/2024-06-01']);
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await item(1).fill('-1');
    await page.getByRole('button', { name: 'Move item 1 down' }).press('Enter');
    await page.getByRole('button', { name: 'Add an item' }).click();
    await item(3).fill('7');
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', notes: ['2024-05-12/2024-06-01', -1, 7] });
    expect(visitor.faults).toEqual([]);
  });

  test('of another kind and back says what it said before, until it is typed in or saved', async () => {
    const values = { title: 'ca. 1850', lines: 'one\ntwo', year: 1850, deep: { a: [1] }, none: null, note: 'x' };
    const letter = await opened({ label: 'To Ada', ...values });
    const editAs = async (name: string, kind: string) => {
      await page.getByRole('button', { name: `What to do with ${name}`, exact: true }).click();
      await page.getByRole('menuitem', { name: kind, exact: true }).click();
    };
    for (const [name, ...kinds] of [
      ['title', 'Number', 'Date', 'Text'],
      ['lines', 'Text', 'Yes or no', 'Long text'],
      ['year', 'Yes or no', 'Empty', 'Number'],
      ['deep', 'Text', 'List', 'Object'],
      ['none', 'Number', 'Object', 'Empty'],
    ] as const)
      for (const kind of kinds) await editAs(name, kind);
    // What is typed counts from there on.
    await editAs('note', 'Number');
    await field('note').fill('7');
    await editAs('note', 'Text');
    expect(await field('note').inputValue()).toBe('7');
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', ...values, note: '7' });
    // And so does what is saved.
    await editAs('title', 'Number');
    expect(await saved(letter, 3)).toMatchObject({ title: 0 });
    await editAs('title', 'Text');
    expect(await field('title').inputValue()).toBe('0');
    expect(visitor.faults).toEqual([]);
  });

  test('of a long list is opened by hand, and keeps all of it', async () => {
    const list = Array.from({ length: 3000 }, (_, i) => ({ name: `entry ${i}`, at: [i, { deep: `${i}` }] }));
    const letter = await opened({ label: 'Long', list });
    const open = page.getByRole('button', { name: /^Edit all of it/ });
    await open.waitFor();
    expect(await page.locator('main textarea').count()).toBe(0);
    await field('label').fill('Longer');
    expect(await saved(letter, 2)).toEqual({ label: 'Longer', list });
    await open.click();
    expect(JSON.parse(await field('list').inputValue())).toEqual(list);
    await field('list').fill(JSON.stringify([...list, 'end']));
    expect(await saved(letter, 3)).toEqual({ label: 'Longer', list: [...list, 'end'] });
    expect(visitor.faults).toEqual([]);
  });

  test('of one of thousands of properties is shown when it is asked for, or has just been added', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`n${i}`, i]));
    const letter = await opened({ label: 'To Ada', ...many });
    const rows = page.getByRole('button', { name: /^What to do with / });
    expect(await rows.count()).toBe(200);
    await page.getByText('and 801 more').waitFor();
    await field('Name of a new property').fill('added');
    await press('Enter');
    await press('x');
    expect(await field('added').inputValue()).toBe('x');
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    // It is not the last of them: its button is far below now.
    await field('n199').and(page.locator(':focus')).waitFor();
    await field('n498').fill('-1');
    await page.getByText('and 501 more').waitFor();
    expect(await rows.count()).toBe(501);
    expect(await saved(letter, 2)).toEqual({ label: 'To Ada', ...many, n498: -1, added: 'x' });
    expect(visitor.faults).toEqual([]);
  });

  test('of what differs from what is saved is in sight, and stays there, wherever its name puts it', async () => {
    const many = (name: string, length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`${name}${i}`, i]));
    const before = { label: 'To Ada', ...many('n', 250), ...many('longer', 50) };
    const letter = await opened(before);
    await field('Name of a new property').fill('middle');
    await press('Enter');
    await press('x');
    await saved(letter, 2);
    await press('y');
    expect(await field('middle').inputValue()).toBe('xy');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const all = { ...before, middle: 'xy', longer9: -9 };
    await field('Edit as JSON').fill(JSON.stringify(all));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    expect(await Promise.all(['middle', 'longer9'].map((name) => field(name).inputValue()))).toEqual(['xy', '-9']);
    expect(await saved(letter, 3)).toEqual(all);
    expect([await field('longer9').count(), await field('longer8').count()]).toEqual([1, 0]);
    expect(visitor.faults).toEqual([]);
  });

  test('of a property is typed in without a look at the relationships, of which there may be tens of thousands', async () => {
    await opened({ label: 'To Bob' });
    await page.evaluate(() => {
      const { groupBy } = Map;
      Map.groupBy = (items, by) =>
        groupBy(items, (...one) => {
          Object.assign(globalThis, { grouped: true });
          return by(...one);
        });
    });
    const grouped = () => page.evaluate(() => Object.hasOwn(globalThis, 'grouped'));
    await opened({ label: 'To Ada' });
    expect(await grouped()).toBe(true);
    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'grouped'));
    await field('label').pressSequentially('!');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect([await field('label').inputValue(), await grouped()]).toEqual(['To Ada', false]);
    expect(visitor.faults).toEqual([]);
  });

  test('of a long JSON text says in sight what is wrong, wherever that is', async () => {
    const lines = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`line ${i}`, i]));
    await opened({ label: 'To Ada', deep: { a: { b: { c: { d: { e: lines } } } } } });
    await page.setViewportSize({ width: 1280, height: 500 });
    const said = page.getByText('This is no JSON yet: look at line 1, column 2.');
    const isSeen = () =>
      page.evaluate<boolean>(`(() => {
        const one = [...document.querySelectorAll('[role="status"]')].find((it) => it.textContent.startsWith('This is no'));
        const { left, top, width, height } = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint(left + width / 4, top + height / 2));
      })()`);
    await field('e').scrollIntoViewIfNeeded();
    await field('e').press('Control+Home');
    await press('ArrowRight');
    await page.keyboard.type(',');
    await said.waitFor();
    expect(await isSeen()).toBe(true);
    await press('Backspace');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('textbox', { name: 'Edit as JSON' }).press('Control+Home');
    await press('ArrowRight');
    await page.keyboard.type(',');
    await said.waitFor();
    expect(await isSeen()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });
});
