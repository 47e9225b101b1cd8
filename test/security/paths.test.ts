import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { create } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported, lastLine, operate } from '../helpers/node-archives.ts';
import { zipOf } from '../helpers/zip-files.ts';

// No text from outside becomes a path: whatever names are sent, nothing lies beside the data folder afterwards, nothing in
// it has such a name, and nothing from beside it is answered.

const secret = 'what lies beside the data folder';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: TestNode;
let beside: string[];
beforeAll(async () => {
  folder = await temporaryFolder();
  const ui = join(folder.path, 'ui');
  mkdirSync(join(ui, 'assets'), { recursive: true });
  writeFileSync(join(ui, 'index.html'), '<title>the page</title>');
  writeFileSync(join(ui, 'assets', 'a.js'), '// the script');
  for (const name of ['secret.txt', 'ui.txt', 'passwd']) writeFileSync(join(folder.path, name), secret);
  node = await startNode({ data: join(folder.path, 'data'), ui });
  await create(node, operator(node), { properties: { label: 'something' } });
  beside = entries();
});
afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const entries = () =>
  readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('data'))
    .sort();

/** Ways up, and names that mean something to some system or program. */
const ways = [
  ...['..', '../', '../secret.txt', '../../secret.txt', '../../../../../../etc/passwd', '/etc/passwd', '//etc/passwd'],
  ...['..\\secret.txt', '..\\..\\secret.txt', 'C:\\Windows\\win.ini', '\\\\host\\share', 'file:///etc/passwd'],
  ...[
    '....//secret.txt',
    '..;/secret.txt',
    './../secret.txt',
    'a/../../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
  ],
  ...['%252e%252e%252fsecret.txt', '..%c0%afsecret.txt', '..%ef%bc%8fsecret.txt', '．．/secret.txt', '..∕secret.txt'],
  ...[
    'secret.txt\0.js',
    '\0',
    '.',
    '',
    ' ',
    'CON',
    'NUL',
    'aux.txt',
    'a:b',
    'a\nb',
    '~/.ssh/id_rsa',
    '$HOME',
    '`id`',
    '|id',
  ],
  ...['operator.key', '../operator.key', 'main/main.db', '../../data/operator.key', 'x'.repeat(255)],
];

let key: string;
beforeEach(() => {
  key = readFileSync(join(node.data, 'operator.key'), 'utf8').trim();
});

function nothingEscaped(): void {
  expect(entries()).toEqual(beside);
  const names = readdirSync(node.data, { recursive: true, encoding: 'utf8' });
  expect(names.filter((path) => /secret|passwd|win\.ini|id_rsa|\.\.|[\\\0\n]/.test(path))).toEqual([]);
}
const reveals = (text: string): boolean => text.includes(secret) || text.includes(key) || /root:[^:]*:0:0/.test(text);

const places: [string, (way: string) => Promise<{ status: number; text: string }>][] = [
  ['the page', (way) => node.fetch(`/ui/${way}`)],
  ['the page’s scripts', (way) => node.fetch(`/ui/assets/${way}`)],
  ['the root', (way) => node.fetch(`/${way}`)],
  ['an entity', (way) => ask(node, operator(node), `GET /entities/${way}`)],
  ['a manifest', (way) => ask(node, operator(node), `GET /versions/manifest/${way}`)],
  ['a file', (way) => ask(node, operator(node), `GET /files/${way}/content`)],
  ['an upload', (way) => ask(node, operator(node), `PUT /node/uploads/${way}`, Buffer.from('theirs'))],
  ['a download', (way) => node.fetch(`/node/downloads/${way}`)],
  ['an export', (way) => ask(node, operator(node), `GET /node/exports/${way}`)],
  [
    'a file of an import',
    (way) => ask(node, operator(node), `PUT /node/imports/${way}/files/${way}`, Buffer.from('{}')),
  ],
  ['a key', (way) => ask(node, operator(node), `DELETE /users/me/keys/${way}`)],
  ['a remote', (way) => ask(node, operator(node), `GET /node/remotes/${way}`)],
];

/** As a client may send them: as they are where a first line can carry them, and in percents. */
function spellings(way: string): string[] {
  const once = encodeURIComponent(way);
  const dots = way.replaceAll('.', '%2e').replaceAll('/', '%2f').replaceAll('\\', '%5c');
  return [way, once, dots, encodeURIComponent(once)].filter((text) => /^[\x21-\x7e]*$/.test(text));
}

describe.each(places)('a path to %s', (_name, asked) => {
  test('leads nowhere else', { timeout: 60_000 }, async () => {
    for (const way of ways)
      for (const spelled of spellings(way)) {
        const { status, text } = await asked(spelled).catch((error: Error) => ({ status: 400, text: error.message }));
        expect(status < 500, `${spelled}: ${status} ${text.slice(0, 200)}`).toBe(true);
        expect(reveals(text), `${spelled}: ${text.slice(0, 200)}`).toBe(false);
      }
    nothingEscaped();
  });
});

test('keys and names of contents are kept as they are, and are no paths', { timeout: 60_000 }, async () => {
  for (const way of ways) {
    const { id } = await create(node, operator(node));
    const text = encodeURIComponent(way);
    const path = `/entities/${id}/content?key=${text}&filename=${text}`;
    const put = await ask(node, operator(node), `POST ${path}`, Buffer.from('theirs'), {
      'Content-Type': 'text/plain',
    });
    expect(put.status < 500, put.text).toBe(true);
    if (put.status >= 300) continue;
    const got = await ask(node, operator(node), `GET /entities/${id}/content?key=${text}`);
    expect([got.status, got.text]).toEqual([200, 'theirs']);
    // What a browser would save it as.
    const name = /filename="([^"]*)"/.exec(got.headers['content-disposition'] ?? '')?.[1] ?? '';
    expect(name).not.toMatch(/[/\\\0\r\n]|^\.\.?$/);
  }
  nothingEscaped();
});

test('what lies in a package is written nowhere by its name', { timeout: 60_000 }, async () => {
  const car = Buffer.from((await exported(node)).car);
  for (const way of [
    '../secret.txt',
    '..\\secret.txt',
    '/etc/passwd',
    'C:\\Windows\\win.ini',
    'operator.key',
    'secret.txt\0.js',
  ]) {
    // The library that writes ZIPs refuses such names, so a name as long takes their place in the bytes.
    const name = `files/${'q'.repeat(Math.max(1, way.length))}`;
    const bytes = await zipOf([
      ['ro-crate-metadata.json', Buffer.from('{}')],
      ['history.car', car],
      [name, Buffer.from('theirs')],
    ]);
    const renamed = Buffer.from(
      bytes.toString('latin1').replaceAll(name, `files/${way}`.padEnd(name.length)),
      'latin1',
    );
    const response = await operate(node, 'POST /node/import-car', renamed);
    await lastLine(response);
    expect(response.status, way).toBeLessThan(500);
  }
  nothingEscaped();
});

test('a backup is not made where the node’s own files lie', async () => {
  for (const dir of [
    node.data,
    join(node.data, 'main'),
    join(node.data, 'x', '..', 'main'),
    '',
    '\0',
    'relative/folder',
  ]) {
    const answer = await ask(node, operator(node), 'POST /node/backup', { dir });
    expect(answer.status, answer.text).toBeLessThan(500);
    expect(answer.text, JSON.stringify(dir)).toContain('"error"');
  }
  nothingEscaped();
});
