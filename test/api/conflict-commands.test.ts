import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, exported, imported, update } from '../helpers/node-archives.ts';

/** One command line on a data folder. */
const archeion = (data: string, ...args: string[]) => commandLine(data, ['conflicts', ...args]);

/** An entity that was changed here and in an archive of another node. */
async function conflicting(first: TestNode, second: TestNode, label: string) {
  const entity = await create(first, label);
  const scope = `?entity=${entity.id}`;
  await imported(second, (await exported(first, scope)).car);
  await update(first, entity, { label: `${label} there`, there: 1 });
  await update(second, entity, { label: `${label} here`, here: 1 });
  await imported(second, (await exported(first, scope)).car);
  return entity.id;
}

/** A node with one such entity, and the place of a file for its merge. */
async function inConflict() {
  await using made = new AsyncDisposableStack();
  const { path } = made.use(await temporaryFolder());
  const data = join(path, 'node');
  const other = made.use(await startNode());
  const node = made.use(await startNode({ data }));
  const id = await conflicting(other, node, 'Ada');
  const all = made.move();
  return { data, node, id, file: join(path, 'merged.json'), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('conflicts are listed, shown and decided, with and without a running node', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'node');
  let ids: string[];
  {
    await using other = await startNode();
    await using node = await startNode({ data });
    ids = [await conflicting(other, node, 'Ada'), await conflicting(other, node, 'Bob')];
    const listed = await archeion(data);
    for (const id of ids) expect(listed.out).toContain(id);
    const shown = await archeion(data, 'show', ids[0] ?? '');
    expect(shown.out).toContain('properties / label');
    expect(shown.out).toMatch(/ours +"Ada here"\n +theirs +"Ada there"/);
    expect((await archeion(data, 'resolve', ids[0] ?? '', '--theirs')).code).toBe(0);
    expect(await done(node, `GET /entities/${ids[0]}`)).toMatchObject({
      properties: { label: 'Ada there', here: 1, there: 1 },
    });
  }
  const shown = await archeion(data, 'show', ids[1] ?? '', '--json');
  const conflict = JSON.parse(shown.out) as { merged: { properties: Record<string, unknown> } };
  conflict.merged.properties.label = 'Bob, both';
  const file = join(folder.path, 'merged.json');
  await writeFile(file, JSON.stringify({ properties: {}, relationships: [] }));
  expect(await archeion(data, 'resolve', ids[1] ?? '', '--merged', file)).toMatchObject({ code: 2 });
  await writeFile(file, `\uFEFF${JSON.stringify(conflict)}`);
  expect(await archeion(data, 'resolve', ids[0] ?? '', '--merged', file)).toMatchObject({ code: 2 });
  const decided = await archeion(data, 'resolve', ids[1] ?? '', '--merged', file, '--note', 'asked Bob', '--json');
  expect(JSON.parse(decided.out)).toMatchObject({ id: ids[1], ver: 3, deleted: false });
  expect((await archeion(data)).out).toBe('No conflicts.');
});

test('a merge that was made from an earlier version is refused', async () => {
  await using scene = await inConflict();
  const { data, node, id, file } = scene;
  await writeFile(file, (await archeion(data, 'show', id, '--json')).out);
  const seen = (await done(node, `GET /entities/${id}`)) as { id: string; cid: string };
  await update(node, seen, { label: 'Ada here', here: 1, since: 'then' });
  expect(await archeion(data, 'resolve', id, '--merged', file)).toMatchObject({ code: 1 });
  expect(await done(node, `GET /entities/${id}`)).toMatchObject({ properties: { since: 'then' } });
});

test('a merge of which something would be lost is refused', async () => {
  await using scene = await inConflict();
  const { data, node, id, file } = scene;
  const { out } = await archeion(data, 'show', id, '--json');
  for (const [label, words] of [
    ['"F\xfcr Ada"', 'merged.json is not UTF-8 text'],
    ['"For Ada", "label": "For Bea"', 'label: is there twice'],
    ['0.12345678901234567890', 'label: cannot be kept exactly as a number'],
  ] as const) {
    const text = out.replace(
      /("merged": \{\s*"deleted": false,\s*"properties": \{[^}]*"label": )"[^"]*"/,
      `$1${label}`,
    );
    expect(text).toContain(label);
    await writeFile(file, Buffer.from(text, 'latin1'));
    const refused = await archeion(data, 'resolve', id, '--merged', file);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  }
  expect(await done(node, `GET /entities/${id}`)).toMatchObject({ ver: 2, properties: { label: 'Ada here' } });
});

test('what a label says to a terminal is left out', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'node');
  await using other = await startNode();
  await using node = await startNode({ data });
  await conflicting(other, node, 'Ada\u001b[31m\nNo conflicts.');
  const { out } = await archeion(data);
  expect(out).toContain('No conflicts. here');
  expect(out).not.toContain('\u001b');
  expect(out.split('\n')).not.toContain('No conflicts. here');
});

test('what cannot be is one sentence', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'node');
  await startNode({ data }).then((node) => node[Symbol.asyncDispose]());
  const id = '01J00000000000000000000000';
  expect(await archeion(data, 'resolve', id)).toMatchObject({ code: 2, err: expect.stringContaining('--ours') });
  expect(await archeion(data, 'resolve', id, '--ours', '--theirs')).toMatchObject({ code: 2 });
  expect(await archeion(data, 'show', id)).toMatchObject({ code: 1, err: expect.stringContaining('no conflict') });
  for (const decide of [['show'], ['resolve', '--ours']])
    expect(await archeion(data, ...decide, `II${'0'.repeat(24)}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('id of the main network'),
    });
  // A variable that is not set, and what a path leaves out: they would be paths of their own.
  for (const none of ['', '.', '..']) {
    const said = {
      code: 2,
      out: '',
      err: `archeion: "${none}" is no id of an entity: "archeion conflicts" lists them.`,
    };
    expect(await archeion(data, 'show', none, '--json')).toEqual(said);
    expect(await archeion(data, 'resolve', none, '--ours')).toEqual(said);
    const key = `archeion: "${none}" is no beginning of a key: "archeion key list" shows them.`;
    expect(await commandLine(data, ['key', 'revoke', none])).toEqual({ code: 2, out: '', err: key });
  }
  const missing = await archeion(data, 'resolve', id, '--merged', join(folder.path, 'none.json'));
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('none.json') });
});
