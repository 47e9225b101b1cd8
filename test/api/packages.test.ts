import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import {
  create,
  done,
  exported,
  imported,
  operate,
  remove,
  tipsOf,
  update,
  type Written,
} from '../helpers/node-archives.ts';
import { inChunks } from '../helpers/sample-archive.ts';
import { unzipped, zipOf } from '../helpers/zip-files.ts';

let node: TestNode;
let collection: Written;
let file: Written;
const page = Buffer.alloc(300_000, 'a page of a book ');
const thumb = Buffer.from('a thumbnail');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const filesOf = (of: TestNode) => new FileStore(filesFolder(join(of.data, 'main')));

beforeAll(async () => {
  node = await startNode();
  const keep = async (bytes: Buffer) => (await filesOf(node).put(inChunks(bytes, 64_000))).cid;
  collection = await done(node, 'POST /collections', {
    label: 'Prints & drawings',
    description: 'Two lines\nof text',
    properties: { license: 'https://creativecommons.org/licenses/by/4.0/' },
  });
  const inside = { collection: collection.id };
  file = await create(node, 'book', {
    ...inside,
    type: 'file',
    properties: {
      label: 'book',
      cid: await keep(page),
      uploaded: true,
      filename: '../../böse/..\\evil name.PDF',
      content_type: 'application/pdf',
    },
  });
  const print = await create(node, 'A "quoted", print', {
    ...inside,
    properties: { label: 'A "quoted", print', year: 1890, _tags: ['a', 'b'], cid: 'no fact' },
    relationships: [
      { predicate: 'made_by', peer: file.id },
      { predicate: 'made_by', peer: collection.id },
    ],
  });
  await update(node, print, {
    text: 'first line\nsecond line',
    content: { thumb: { cid: await keep(thumb), size: thumb.length, content_type: 'image/png' } },
  });
  await remove(node, await create(node, 'gone', inside));
  await create(node, 'elsewhere');
});
afterAll(() => node[Symbol.asyncDispose]());

const packed = async (format: string, query = `&collection=${collection.id}`) =>
  (await exported(node, `?format=${format}${query}`)).car;

describe('a bag', () => {
  test('is whole by its own manifests, and says what it is of', async () => {
    const files = await unzipped(await packed('bagit'));
    const top = `archeion-${collection.id}/`;
    expect([...files.keys()].every((path) => path.startsWith(top))).toBe(true);
    const read = (path: string) => files.get(`${top}${path}`) ?? Buffer.alloc(0);
    expect(read('bagit.txt').toString()).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
    const payload = [...files.keys()]
      .filter((path) => path.startsWith(`${top}data/`))
      .map((path) => path.slice(top.length));
    const listed = (manifest: string) =>
      new Map(
        read(manifest)
          .toString()
          .trim()
          .split('\n')
          .map((line) => line.split('  ').reverse() as [string, string]),
      );
    const digests = listed('manifest-sha256.txt');
    expect([...digests.keys()].sort()).toEqual([...payload].sort());
    for (const [path, digest] of [...digests, ...listed('tagmanifest-sha256.txt')])
      expect(sha256(read(path)), path).toBe(digest);
    expect(payload).toEqual([
      'data/history.car',
      'data/records.ndjson',
      expect.stringMatching(
        /^data\/files\/[0-9A-Z]{26}\/[a-z0-9]+-bose_.._evil_name\.PDF$|^data\/files\/[0-9A-Z]{26}\/baf[a-z0-9]+$/,
      ),
      expect.stringMatching(/^data\/files\//),
    ]);
    const info = read('bag-info.txt').toString();
    const bytes = payload.reduce((sum, path) => sum + read(path).length, 0);
    expect(info).toContain(`External-Identifier: ${collection.id}\nExternal-Description: Two lines of text\n`);
    expect(info).toContain(`Payload-Oxum: ${bytes}.4\n`);
    expect([...files.values()].some((content) => content.equals(page))).toBe(true);
  });

  test('brings everything to another node: versions, deletions, files', async () => {
    await using other = await startNode();
    const report = await imported(other, await packed('bagit'));
    expect(report).toMatchObject({ forks: 0, created: 4 });
    const [here, there] = [await tipsOf(node), await tipsOf(other)];
    expect(there.size).toBe(4);
    for (const [id, cid] of there) expect(here.get(id)).toBe(cid);
    const download = await operate(other, `GET /entities/${file.id}/content`);
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(page));
    expect(await imported(other, await packed('bagit'))).toMatchObject({ versions: 0, created: 0 });
  });

  test.each<[string, (files: Map<string, Buffer>) => Iterable<[string, Buffer]>, RegExp]>([
    [
      'with a byte that changed',
      (all) => [...all].map(([path, bytes]) => [path, path.endsWith('.ndjson') ? flipped(bytes) : bytes]),
      /does not have the SHA-256/,
    ],
    [
      'with a file that nobody names',
      (all) => [...all, [`${topOf(all)}data/more.txt`, thumb]],
      /does not name data\/more\.txt/,
    ],
    [
      'without a file',
      (all) => [...all].filter(([path]) => !path.endsWith('records.ndjson')),
      /lacks data\/records\.ndjson/,
    ],
    [
      'without its manifest',
      (all) => [...all].filter(([path]) => !path.endsWith('manifest-sha256.txt')),
      /has no manifest-sha256\.txt/,
    ],
    [
      'with another Payload-Oxum',
      (all) =>
        [...all].map(([path, bytes]) => [
          path,
          path.endsWith('bag-info.txt') ? Buffer.from('Payload-Oxum: 1.1\n') : bytes,
        ]),
      /Payload-Oxum says 1\.1/,
    ],
    [
      'with a line that is none',
      (all) =>
        [...all].map(([path, bytes]) => [
          path,
          path.endsWith('/manifest-sha256.txt') ? Buffer.concat([bytes, Buffer.from('x\n')]) : bytes,
        ]),
      /has a line that is none/,
    ],
    ['that is none', () => [['readme.txt', thumb]], /neither a bag/],
    ['of another program', (all) => bagWithout(all, 'history.car'), /only packages that an export made/],
  ])('%s is refused, and nothing of it is here', async (_, change, reason) => {
    await using other = await startNode();
    const zip = await zipOf(change(await unzipped(await packed('bagit'))));
    const response = await operate(other, 'POST /node/import-car', zip);
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(reason)]);
    expect((await tipsOf(other)).size).toBe(0);
  });

  test('that was cut off is refused', async () => {
    const whole = await packed('bagit');
    for (const length of [4, 100, whole.length - 30]) {
      const response = await operate(node, 'POST /node/import-car', whole.slice(0, length));
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('The ZIP is damaged')]);
    }
  });
});

describe('a crate', () => {
  test('describes its files and entities; every reference in it leads somewhere', async () => {
    const files = await unzipped(await packed('ro-crate'));
    const { '@context': context, '@graph': graph } = JSON.parse(String(files.get('ro-crate-metadata.json'))) as {
      '@context': [string, object];
      '@graph': ({ '@id': string } & Record<string, unknown>)[];
    };
    expect(context[0]).toBe('https://w3id.org/ro/crate/1.2/context');
    expect(context[1]).toMatchObject({ rel_made_by: 'urn:x-archeion:predicate:made_by' });
    const byId = new Map(graph.map((one) => [one['@id'], one]));
    expect(byId.size).toBe(graph.length);
    expect(byId.get('ro-crate-metadata.json')).toMatchObject({
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
    });
    const root: Record<string, unknown> = byId.get('./') ?? {};
    expect(root).toMatchObject({
      '@type': 'Dataset',
      name: 'Prints & drawings',
      description: 'Two lines\nof text',
      license: 'https://creativecommons.org/licenses/by/4.0/',
      identifier: collection.id,
    });
    const parts = (root.hasPart as { '@id': string }[]).map((part) => part['@id']);
    expect(parts.sort()).toEqual([...files.keys()].filter((path) => path !== 'ro-crate-metadata.json').sort());
    for (const path of parts)
      expect(byId.get(path)).toMatchObject({
        '@type': 'File',
        sha256: sha256(files.get(path) ?? Buffer.alloc(0)),
        contentSize: String(files.get(path)?.length),
      });
    const tips = await tipsOf(node);
    expect((root.mentions as object[]).length).toBe(3);
    expect(byId.get(`#${file.id}`)).toMatchObject({ identifier: [file.id, tips.get(file.id)], additionalType: 'file' });
    const references = JSON.stringify(graph).matchAll(/\{"@id":"((?:#|files)[^"]*)"\}/g);
    for (const [, id] of references) expect(byId.has(id ?? ''), id).toBe(true);
  });

  test('brings everything to another node', async () => {
    await using other = await startNode();
    expect(await imported(other, await packed('ro-crate'))).toMatchObject({ forks: 0, created: 4 });
    const download = await operate(other, `GET /entities/${file.id}/content`);
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(page));
  });
});

describe('a table', () => {
  test('has a row for each live entity and a column for each property and predicate', async () => {
    const text = Buffer.from(await packed('csv')).toString();
    const [head, ...rows] = text.split('\r\n');
    expect(head).toBe(
      'id,cid,ver,type,created_at,updated_at,label,properties.cid,content,content_type,description,filename,license,roles,text,uploaded,year,_tags,-> collection,-> made_by,-> owner',
    );
    expect(rows.filter((row) => row !== '')).toHaveLength(3);
    expect(text).toContain('"A ""quoted"", print"');
    expect(text).toContain('"first line\nsecond line"');
    expect(text).toContain('"[""a"",""b""]"');
    expect(text).toContain(`${file.id} ${collection.id}`);
  });
});

const topOf = (all: Map<string, Buffer>) => `${[...all.keys()][0]?.split('/')[0]}/`;

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(10) ^ 1, 10);
  return copy;
}

/** A correct bag of other things. */
function bagWithout(all: Map<string, Buffer>, name: string): [string, Buffer][] {
  return [...all].flatMap(([path, bytes]): [string, Buffer][] => {
    if (path.endsWith(name) || path.endsWith('bag-info.txt')) return [];
    if (!path.endsWith('/manifest-sha256.txt')) return [[path, bytes]];
    const lines = bytes
      .toString()
      .split('\n')
      .filter((line) => !line.endsWith(name));
    return [[path, Buffer.from(lines.join('\n'))]];
  });
}
