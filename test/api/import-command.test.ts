import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { importer, type Report } from '../helpers/imports.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, update } from '../helpers/node-archives.ts';

// `archeion import` and `archeion import-car`: what they say, and with what they end.

/** A node, and a folder for files beside its own. */
async function scene() {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const data = join(path, 'data');
  const node = opened.use(await startNode({ data }));
  const all = opened.move();
  return {
    node,
    file: async (name: string, content: string | Uint8Array) => {
      await writeFile(join(path, name), content);
      return join(path, name);
    },
    archeion: (...args: string[]) => commandLine(data, args),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function editAll(node: TestNode, collection: string): Promise<void> {
  for (const { id, cid } of (await importer(node).entities(collection)).values())
    await update(node, { id, cid }, { seen: true });
}

test('ends with 1 where a changed source was left alone, and says the same otherwise', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label,year\n1,Zebra,1930\n');
  const first = await s.archeion('import', works, '--collection', 'Works', '--json');
  expect(first.code).toBe(0);
  const { collection } = JSON.parse(first.out) as Report;
  await editAll(s.node, collection.id);
  expect((await s.archeion('import', works, '--collection', 'Works')).code).toBe(0);
  await s.file('works.csv', 'id,label,year\n1,Zebra,1931\n');
  const left = await s.archeion('import', works, '--collection', 'Works');
  expect(left).toMatchObject({ code: 1, err: 'archeion: 1 changed source left alone: what is here stays as it is.' });
  expect(left.out).toMatch(
    /1 changed source left alone: edited .* else\n {2}works\.csv, line 2: [0-9A-Z]+ \(edited\)$/,
  );
  const json = await s.archeion('import', works, '--collection', 'Works', '--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { left_alone: 1 }]);
});

test('of what came after an earlier archive says which one has to come first', async () => {
  await using s = await scene();
  await using other = await startNode();
  const ada = await create(other, 'Ada');
  const full = (await exported(other)).car;
  await update(other, ada, { there: true });
  const since = await s.file('since.car', (await exported(other, '', full)).car);
  const refused = await s.archeion('import-car', since);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(
    /^archeion: It holds only what came after an earlier archive \(root bafyrei[a-z2-7]+\): import that one first\.$/,
  );
  const first = await s.archeion('import-car', await s.file('full.car', full), '--json');
  expect(refused.err).toContain((JSON.parse(first.out) as { root: string }).root);
  expect((await s.archeion('import-car', since)).code).toBe(0);
});

test('ends with 1 where an archive has what was changed here, too', async () => {
  await using s = await scene();
  await using other = await startNode();
  const ada = await create(other, 'Ada');
  const first = await s.file('first.car', (await exported(other)).car);
  expect(await s.archeion('import-car', first)).toMatchObject({ code: 0, err: '' });
  await update(s.node, ada, { here: true });
  await update(other, ada, { there: true });
  const second = await s.file('second.car', (await exported(other)).car);
  const forked = await s.archeion('import-car', second);
  expect(forked).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^archeion: 1 entity in conflict: "archeion con/),
  });
  expect(forked.out).toMatch(/1 in conflict\n(?:.*\n)*.*: here b[a-z2-7]+, there b[a-z2-7]+$/);
  const json = await s.archeion('import-car', second, '--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { forks: 1 }]);
});
