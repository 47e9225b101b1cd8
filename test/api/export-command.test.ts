import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { invalid } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, operate, remove } from '../helpers/node-archives.ts';

// `archeion export`: what it refuses, and what it writes where.

/** A node with one document, and the names of what lies beside its folder. */
async function scene() {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const data = join(path, 'data');
  const node = opened.use(await startNode({ data }));
  const ada = await create(node, 'Ada');
  const all = opened.move();
  return {
    node,
    data,
    ada,
    at: (name: string) => join(path, name),
    names: async () => (await readdir(path)).filter((name) => name !== 'data').sort(),
    archeion: (...args: string[]) => commandLine(data, args),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('what is since an archive or a checkpoint is a CAR file, and nothing else is written under another name', async () => {
  await using s = await scene();
  expect((await s.archeion('export', '--out', s.at('full.car'))).code).toBe(0);
  const { car, checkpoint } = await exported(s.node);
  for (const format of ['csv', 'ndjson', 'bagit', 'ro-crate']) {
    for (const since of [s.at('full.car'), checkpoint])
      expect(await s.archeion('export', '--since', since, '--format', format, '--out', s.at('t.csv'))).toMatchObject({
        code: 2,
        err: 'archeion: --since is for the format car.',
      });
    const refused = await operate(s.node, `POST /node/export?format=${format}`, car);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { details: { issues: [{ path: ['format'] }] } },
    ]);
  }
  expect(await s.names()).toEqual(['full.car']);
  expect((await operate(s.node, 'POST /node/export?format=car', car)).status).toBe(200);
  const without = await operate(s.node, 'POST /node/export');
  const message = expect.stringMatching(/^the body is empty: .* GET \/node\/export exports without one$/);
  expect([without.status, await without.json()]).toEqual([400, invalid([], message)]);
});

test('of a table the entities are counted that it has', async () => {
  await using s = await scene();
  await remove(s.node, await create(s.node, 'Gone'));
  const table = await s.archeion('export', '--format', 'csv', '--out', s.at('t.csv'), '--json');
  const rows = (await readFile(s.at('t.csv'), 'utf8')).trim().split('\r\n').length - 1;
  expect([rows, JSON.parse(table.out)]).toMatchObject([2, { entities: 2 }]);
  expect((await operate(s.node, 'GET /node/export?format=csv')).headers.get('X-Archeion-Entities')).toBe('2');
  expect((await exported(s.node)).entities).toBe(3);
});

test('of a file that is no earlier archive the file is named, and what is wrong with it', async () => {
  await using s = await scene();
  const { car } = await exported(s.node);
  await mkdir(s.at('folder'));
  await writeFile(s.at('text.car'), 'no archive at all');
  await writeFile(s.at('cut.car'), car.subarray(0, car.length - 30));
  for (const [name, why] of [
    ['text.car', /^The archive is damaged at byte 1: The file ends within its header/],
    ['cut.car', /^The archive is damaged at byte \d+: .*ends within a block/],
    ['folder', /^EISDIR/],
  ] as const) {
    const refused = await s.archeion('export', '--since', s.at(name), '--out', s.at('new.car'));
    const [said, reason] = refused.err.split(', which --since names, is no archive that an export can go on from: ');
    expect([refused.code, said, reason]).toEqual([1, `archeion: ${s.at(name)}`, expect.stringMatching(why)]);
  }
  expect(await s.names()).toEqual(['cut.car', 'folder', 'text.car']);
});

test('a folder is refused before anything is asked, and what leads to a file stays a link to it', async () => {
  await using s = await scene();
  await mkdir(s.at('folder'));
  await writeFile(s.at('folder/kept.car'), 'of yesterday');
  await symlink('folder/kept.car', s.at('link.car'));
  await symlink('folder/new.car', s.at('next.car'));
  await symlink('nowhere/new.car', s.at('lost.car'));
  await symlink('circle.car', s.at('circle.car'));
  await symlink('folder/kept.car/new.car', s.at('within.car'));
  expect(await commandLine(s.at('no node'), ['export', '--out', s.at('folder')])).toMatchObject({
    code: 2,
    err: `archeion: ${s.at('folder')} is a folder: name the file in it that is to be written.`,
  });
  expect(await commandLine(s.at('no node'), ['export', '--out', ''])).toMatchObject({
    code: 2,
    err: 'archeion: --out must name a file.',
  });
  expect(await commandLine(s.at('no node'), ['export', '--out', '-'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('/dev/stdout'),
  });
  for (const name of ['lost.car', 'circle.car', 'within.car', 'folder/kept.car/new.car']) {
    const refused = await s.archeion('export', '--out', s.at(name));
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^archeion: .*(?:does not exist|cannot be written).*\.$/),
    });
  }
  const { car } = await exported(s.node);
  for (const [link, file] of [
    ['link.car', 'kept.car'],
    ['next.car', 'new.car'],
  ]) {
    expect((await s.archeion('export', '--out', s.at(`${link}`))).code).toBe(0);
    expect((await lstat(s.at(`${link}`))).isSymbolicLink()).toBe(true);
    expect(new Uint8Array(await readFile(s.at(`folder/${file}`)))).toEqual(car);
  }
  expect((await readdir(s.at('folder'))).sort()).toEqual(['kept.car', 'new.car']);
});

test('a pipe is written to and stays one', async () => {
  await using s = await scene();
  execFileSync('mkfifo', [s.at('pipe.car')]);
  const read = readFile(s.at('pipe.car'));
  expect(await s.archeion('export', '--out', s.at('pipe.car'))).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 entities in'),
  });
  expect((await lstat(s.at('pipe.car'))).isFIFO()).toBe(true);
  // The reader of a pipe that was replaced waits for ever.
  expect(new Uint8Array(await read)).toEqual((await exported(s.node)).car);
  expect(await s.names()).toEqual(['pipe.car']);
});

test('a name as long as a file system takes is written, and one of a backup', async () => {
  await using s = await scene();
  // 255 bytes.
  const name = '書'.repeat(85);
  expect(await s.archeion('export', '--out', s.at(name))).toMatchObject({ code: 0 });
  expect(await s.archeion('backup', s.at(`${name.slice(1)}bak`))).toMatchObject({ code: 0 });
  expect(await s.names()).toEqual([`${name.slice(1)}bak`, name]);
});

test('what a node of another version answers takes the place of no export', async () => {
  await using folder = await temporaryFolder();
  const out = join(folder.path, 'kept.car');
  await writeFile(out, 'of yesterday');
  await using node = await startNode({
    extend: (app) => app.get('/node/export', (_request, response) => void response.json({})),
  });
  expect(await commandLine(node.data, ['export', '--out', out])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('does not know what this command asks, or answers it otherwise'),
  });
  expect(await readFile(out, 'utf8')).toBe('of yesterday');
});
