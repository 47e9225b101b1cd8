import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { commandLine, screen } from '../helpers/command-line.ts';
import { importer, type Report } from '../helpers/imports.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported, operate, update } from '../helpers/node-archives.ts';

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

/** The folder of what answers as a node, to make it answer what none does at will. */
async function nodeThat(answers: RequestListener): Promise<{ path: string } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryFolder());
  const instance = '01234567-89ab-4cde-8fff-0123456789ab';
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/health') response.end(JSON.stringify({ instance }));
    else request.once('end', () => answers(request, response));
  }).listen(0, '127.0.0.1');
  opened.defer(() => void server.closeAllConnections());
  opened.defer(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const file = { url: `http://127.0.0.1:${port}`, pid: 1, instance, version: '0.0.0' };
  await writeFile(join(path, 'node.json'), JSON.stringify(file));
  await writeFile(join(path, 'operator.key'), `uk_${'0'.repeat(32)}`);
  opened.use(lockFolder(path));
  const all = opened.move();
  return { path, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function editAll(node: TestNode, collection: string): Promise<void> {
  for (const { id, cid } of (await importer(node).entities(collection)).values())
    await update(node, { id, cid }, { seen: true });
}

test.each<[string, string[], 1 | 2, string]>([
  ['no such file', ['missing.csv', '--collection', 'A'], 2, 'There is no file missing.csv'],
  ['no collection', ['works.csv'], 2, 'Give --collection'],
  ['a misspelt option', ['works.csv', '--colection', 'A'], 2, 'Did you mean --collection?'],
  [
    'a collection that no node has yet',
    ['works.csv', '--collection', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    2,
    'There is no node',
  ],
  ['a bad mapping', ['works.csv', '--collection', 'A', '--map', 'bad.json'], 2, 'bad.json: mapping, records[0].type'],
  ['no mapping file', ['works.csv', '--collection', 'A', '--map', 'no.json'], 2, 'There is no file no.json'],
  ['a bad record', ['bad.ndjson', '--collection', 'A'], 1, 'bad.ndjson, line 2: is not JSON'],
  ['a refused record', ['works.csv', '--collection', 'A', '--map', 'part.json'], 1, 'works.csv, line 3'],
  ['a record that repeats an id', ['twice.csv', '--collection', 'A'], 1, 'twice.csv, line 3: '],
  ['a folder', ['.', '--collection', 'A'], 2, 'is a folder'],
])('says of %s what is wrong, where no node runs yet', async (_what, args, code, text) => {
  await using folder = await temporaryFolder();
  const files = {
    'works.csv': 'id,label,kind\n1,Zebra,work\n2,Wool,text\n',
    'twice.csv': 'id,label\n1,Zebra\n1,Wool\n',
    'bad.json': '{"records":[{"type":"user"}]}',
    'part.json': '{"records":[{"type":"work","match":{"field":"kind","equals":"work"}}]}',
    'bad.ndjson': '{"id":1}\nhello\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder.path, name), content);
  const there = (words: string) => words.replace(/\w+\.(?:csv|json|ndjson)|^\.$/, (name) => join(folder.path, name));
  const run = await commandLine(join(folder.path, 'data'), ['import', ...args.map(there)]);
  // A line of a file is told by the file's name alone.
  expect(run).toMatchObject({ code, err: expect.stringContaining(code === 1 ? text : there(text)) });
  expect(run.err).not.toContain('    at ');
});

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

test('reads a table of a spreadsheet in what it is written in, and says what to do where it is not said', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', Buffer.from('id;label\r\n1;M\xfcller\r\n', 'latin1'));
  const refused = await s.archeion('import', works, '--collection', 'Works');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    'is not UTF-8 text: say its encoding, as --encoding windows-1252, or save the file as UTF-8',
  );
  const said = await s.archeion('import', works, '--collection', 'Works', '--encoding', 'windows-1252', '--json');
  const { collection, created } = JSON.parse(said.out) as Report;
  expect([said.code, created]).toEqual([0, 1]);
  expect([...(await importer(s.node).entities(collection.id)).keys()]).toEqual(['Müller']);
  const marked = await s.file('marked.csv', Buffer.from('\ufeffid;label\r\n2;Groß\r\n', 'utf16le'));
  expect((await s.archeion('import', marked, '--collection', 'Works')).code).toBe(0);
  expect([...(await importer(s.node).entities(collection.id)).keys()].toSorted()).toEqual(['Groß', 'Müller']);
  const unknown = await s.archeion('import', works, '--collection', 'Works', '--encoding', 'latin');
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('windows-1252');
});

test('a sound file that is not in the encoding of its command is not said to be wrong', async () => {
  await using s = await scene();
  const old = await s.file('old.csv', Buffer.from('id,label\n1,Caf\xe9\n', 'latin1'));
  const sound = await s.file('sound.csv', 'id,label\n2,Café\n');
  const refused = await s.archeion('import', old, sound, '--collection', 'Works', '--encoding', 'windows-1252');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('sound.csv: is UTF-8 text, not windows-1252');
  expect(refused.err).toContain(
    'Mend the file, or name it in a command of its own where it is not windows-1252, and import it again',
  );
  expect((await s.archeion('import', sound, '--collection', 'Works')).out).toContain('1 record, 1 entity created');
});

test('a table in another encoding is imported in one request', async () => {
  await using s = await scene();
  const table = Buffer.from('id;label\n1;\xabZo\xeb\xbb\n', 'latin1');
  const asked = 'POST /node/import?collection=Works&name=a.csv&encoding=';
  const answer = await operate(s.node, `${asked}windows-1252`, table);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('"created":1');
  expect((await operate(s.node, `${asked}latin`, table)).status).toBe(400);
});

test('each file of an import is read in what is said of it, else in what is said of all', async () => {
  await using s = await scene();
  const body = { collection: 'Works', mapping: { records: [{ type: 'work', id: 'id', label: 'label' }] } };
  const begun = await operate(s.node, 'POST /node/imports', { ...body, encoding: 'windows-1252' });
  const { id, collection } = (await begun.json()) as Report & { id: string };
  const put = async (name: string, file: Buffer) =>
    (await operate(s.node, `PUT /node/imports/${id}/files/${name}`, file)).text();
  await put('one.csv', Buffer.from('id;label\n1;Zo\xeb\n', 'latin1'));
  await put('two.csv?encoding=macintosh', Buffer.from('id;label\n2;No\x91\n', 'latin1'));
  await put('three.csv?encoding=utf-8', Buffer.from('id;label\n3;Groß\n'));
  expect([...(await importer(s.node).entities(collection.id)).keys()].toSorted()).toEqual(['Groß', 'Noë', 'Zoë']);
  expect(await put('four.csv', Buffer.from('id;label\n4;Groß\n'))).toContain('is UTF-8 text, not windows-1252');
});

test('takes no mapping of a file that is no UTF-8 text, of which signs would be lost', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,A\n');
  const mapping = Buffer.from('{"records": [{"type": "M\xfcnze", "id": "id", "label": "label"}]}', 'latin1');
  const map = await s.file('map.json', mapping);
  const refused = await s.archeion('import', works, '--collection', 'Works', '--map', map);
  expect(refused).toMatchObject({ code: 2, err: `archeion: ${map} is not UTF-8 text: save it as that.` });
});

test('names the files that are not read any more, and what is to be done', async () => {
  await using s = await scene();
  const files = [
    await s.file('one.csv', 'id,label\n1,Zebra\n'),
    await s.file('bad.ndjson', '{"id":2}\n{"id":'),
    await s.file('two.csv', 'id,label\n3,Wool\n'),
    await s.file('three.csv', 'id,label\n4,Oak\n'),
  ];
  const broken = await s.archeion('import', ...files, '--collection', 'Works');
  expect(broken.code).toBe(1);
  expect(broken.err).toMatch(/\n {2}Not read: .*two\.csv, .*three\.csv\n {2}Mend the file and import it again: /);
});

test('of a node that cannot write any more or is gone says that the same command goes on', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,Zebra\n');
  const answers = [
    [
      507,
      { error: 'The disk is full.' },
      /^archeion: The disk is full\.\n.*When that is mended, the same command goes/s,
    ],
    [0, null, /ended the connection.*\n {2}What has been imported stays; the same command goes on from there\.$/s],
  ] as const;
  for (const [status, body, words] of answers) {
    const collection = { id: 'C', label: 'Works', created: false };
    const report = { id: 'R', collection, left_alone_examples: [], records: 0, created: 0, updated: 0 };
    await using data = await nodeThat((request, response) => {
      if (request.method === 'PUT' && body === null) return void request.socket.destroy();
      if (request.method === 'GET' && body === null && request.url !== '/health') return void request.socket.destroy();
      const failed = request.method === 'PUT';
      response.writeHead(failed ? status : 200).end(JSON.stringify(failed ? body : report));
    });
    const ended = await commandLine(data.path, ['import', works, '--collection', 'Works']);
    expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(words)]);
  }
});

test('of an archive says of a node that is gone that it completes it', async () => {
  await using s = await scene();
  const archive = await s.file('works.car', '\0');
  await using data = await nodeThat((request, response) => {
    if (request.method === 'POST') request.socket.destroy();
    else response.writeHead(200).end('{}');
  });
  const ended = await commandLine(data.path, ['import-car', archive]);
  const words = /ended the connection .*: then the node completes it, also at its next start\. The same command tells/;
  expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(words)]);
});

test('an import whose report nobody reads to its end has ended all the same', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,Zebra\n');
  const err: string[] = [];
  const stop = new AbortController();
  const code = await run(['import', works, '--collection', 'Works'], {
    env: {},
    pid: 1,
    dataFolder: s.node.data,
    ui: null,
    terminal: null,
    // As where it goes to `head`.
    out: () => stop.abort(),
    err: (line) => void err.push(line),
    stopped: stop.signal,
  });
  expect({ code, err }).toEqual({ code: 0, err: [] });
});

test('makes no node, and no network, for a collection that is named by its id', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,Zebra\n');
  const line = ['import', works, '--collection', 'II000000000000000000000000'];
  const elsewhere = join(s.node.data, '..', 'mistyped');
  expect(await commandLine(elsewhere, line)).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no node'),
  });
  expect(existsSync(elsewhere)).toBe(false);
  const unused = await s.archeion(...line, '--network', 'test');
  expect([unused.code, unused.err]).toEqual([
    2,
    expect.stringContaining('Nothing was ever written on the test network'),
  ]);
  expect(existsSync(join(s.node.data, 'test'))).toBe(false);
});

test('says what became of the files also where the node cannot note that the import has ended', async () => {
  await using node = await startNode({
    extend: (app) =>
      app.delete('/node/imports/:id', (_request, response) => void response.status(507).json({ error: 'Disk full' })),
  });
  await using folder = await temporaryFolder();
  const works = join(folder.path, 'works.ndjson');
  await writeFile(works, '{"id":1,"label":"Zebra"}\n{"id":2,"status":"active"}\n');
  const line = ['import', works, '--collection', 'Works', '--type', 'klados'];
  const said = await commandLine(node.data, line);
  expect(said.out).toContain('2 records, 1 entity created');
  const unended = 'The files are read, but the node could not keep that the import has ended: Disk full';
  expect([said.code, said.err]).toEqual([
    1,
    expect.stringMatching(/^archeion: 1 record or entity was refused.*line 2/s),
  ]);
  expect(said.err.split('\n').at(-1)).toBe(unended);
  const json = await commandLine(node.data, [...line, '--json']);
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { unchanged: 1, refused: 1 }]);
});

test('is left off in the middle of an answer that says no', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,Zebra\n');
  const collection = { id: 'C', label: 'Works', created: false };
  const report = { id: 'R', collection, left_alone_examples: [], records: 0, created: 0, updated: 0 };
  await using data = await nodeThat((request, response) => {
    if (request.method !== 'PUT') response.end(JSON.stringify(report));
    // The answer goes on for as long as the file might still come.
    else response.writeHead(200).write('{"error":"The disk is full."}\n');
  });
  const ended = await commandLine(data.path, ['import', works, '--collection', 'Works']);
  expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(/^archeion: The disk is full\.\n/)]);
  // What the connection says when it ends comes after that.
  await new Promise(setImmediate);
});

test('leads to import-car where a file has no records, before anything is made', async () => {
  await using s = await scene();
  await create(s.node, 'Ada');
  const { car } = await exported(s.node);
  const zip = new Uint8Array(await (await operate(s.node, 'GET /node/export?format=bagit')).arrayBuffer());
  for (const [file, what] of [
    [await s.file('all.car', car), 'CAR'],
    [await s.file('bag.zip', zip), 'ZIP'],
  ])
    expect(await s.archeion('import', `${file}`, '--collection', 'Made')).toMatchObject({
      code: 2,
      err: `archeion: ${file} is a ${what} file, which has no records: an archive, a bag or a crate is taken in by "archeion import-car".`,
    });
  expect((await importer(s.node).ask('GET', '/node/imports')).body).toMatchObject({ imports: [] });
  expect((await importer(s.node).ask('GET', '/collections')).text).not.toContain('Made');
});

test('says of a workbook how its table comes in', async () => {
  await using s = await scene();
  const packed = await s.file('works.xlsx', Buffer.from('PK\x03\x04\x14\x00\x06\x00[Content_Types].xml', 'latin1'));
  const old = await s.file('works.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'));
  for (const file of [packed, old])
    expect(await s.archeion('import', file, '--collection', 'Works')).toMatchObject({
      code: 2,
      err: `archeion: ${file} is a workbook of a spreadsheet program: save its table there as CSV, and import that.`,
    });
  // Many programs write tables of text under such a name.
  const text = await s.file('list.xls', 'id\tlabel\n1\tZebra\n');
  expect((await s.archeion('import', text, '--collection', 'Works')).code).toBe(0);
});

test('names what a mapping names and no record has', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'number,title,artist\n1,Zebra,Ada\n2,Wool,\n');
  const rule = { type: 'work', id: 'number', label: 'titel', properties: { as: { artist: 'text', yeer: 'number' } } };
  const nested = [
    { path: 'artist', predicate: 'artist', type: 'person' },
    { path: 'artits', predicate: 'artist', type: 'person', id: 'id' },
  ];
  const map = await s.file('map.json', JSON.stringify({ records: [{ ...rule, nested }] }));
  expect(await s.archeion('import', works, '--collection', 'Works', '--map', map)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /\nNo record has what the mapping names here:\n {2}titel \(records\[0\]\.label\)\n {2}yeer \(records\[0\]\.properties\.as\)\n {2}artits \(records\[0\]\.nested\[1\]\.path\)$/,
    ),
  });
  const { out } = await s.archeion('import', works, '--collection', 'Works', '--map', map, '--json');
  expect(JSON.parse(out)).toMatchObject({ unmet_fields: [{ field: 'titel' }, { field: 'yeer' }, { field: 'artits' }] });
  // Without a mapping nobody has named anything.
  expect((await s.archeion('import', works, '--collection', 'Plain')).out).toMatch(/created, 0 updated$/);
  const rest = await s.file('numbers.csv', 'number,artist\n1,Ada\n');
  const plain = JSON.parse((await s.archeion('import', rest, '--collection', 'Plain', '--json')).out);
  expect(plain).toMatchObject({ created: 1, unmet_fields: [] });
});

test('takes an archive in from a pipe', async () => {
  await using s = await scene();
  await using other = await startNode();
  await create(other, 'Ada');
  const pipe = await s.file('whole.car', (await exported(other)).car);
  await rm(pipe);
  execFileSync('mkfifo', [pipe]);
  const taken = s.archeion('import-car', pipe);
  await writeFile(pipe, (await exported(other)).car);
  expect(await taken).toMatchObject({ code: 0, out: expect.stringMatching(/^2 entities, 2 new versions/) });
  expect(await s.archeion('import-car', join(s.node.data, '..'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('is a folder'),
  });
});

test('says what became of a collection whose label has signs at which other programs end lines', async () => {
  await using s = await scene();
  const works = await s.file('works.csv', 'id,label\n1,Zebra\n');
  const run = await s.archeion('import', works, '--collection', 'one\u2028two\u2029three', '--json');
  expect(run).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(run.out)).toMatchObject({ created: 1, collection: { label: 'one\u2028two\u2029three' } });
});

test('says of a pipe how many records have come, and no share of what nobody knows', async () => {
  await using s = await scene();
  const pipe = await s.file('works.csv', '');
  await rm(pipe);
  execFileSync('mkfifo', [pipe]);
  const { terminal, shown } = screen();
  const { signal } = new AbortController();
  const taken = commandLine(s.node.data, ['import', pipe, '--collection', 'Works'], signal, terminal);
  await writeFile(pipe, `id,label\n${Array.from({ length: 500 }, (_, id) => `${id},Work\n`).join('')}`);
  expect(await taken).toMatchObject({ code: 0, err: '' });
  expect(shown.join('')).toContain('works.csv 500 records, 500 entities created');
  expect(shown.join('')).not.toContain('%');
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
