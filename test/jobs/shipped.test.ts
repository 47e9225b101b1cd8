import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { replyOf, shipped } from '../../src/server/processors/shipped.ts';

const fixtures = fileURLToPath(new URL('../fixtures/files/', import.meta.url));
const at = Date.parse('2026-01-02T03:04:05.000Z');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archeion-shipped-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Reply {
  outputs: { entity_id?: string; type?: string; properties?: Record<string, unknown>; [more: string]: unknown }[];
  records?: { type: string; properties: Record<string, unknown>; relationships: unknown[] }[];
  updates?: { entity_id: string; properties: Record<string, Record<string, unknown>> }[];
  messages?: { level: string; message: string }[];
  error?: { code: string; message: string; retryable: boolean };
}

interface Given {
  id?: string;
  properties?: Record<string, unknown>;
  path?: string | null;
  content_type?: string;
  filename?: string;
  cid?: string;
  noFiles?: boolean;
}

async function run(name: string, given: Given[], input: Record<string, unknown> = {}): Promise<Reply> {
  const processor = shipped.get(name);
  if (!processor) throw new Error(name);
  const entities = given.map((one, i) => ({
    id: one.id ?? `ENTITY${i}`,
    type: 'file',
    properties: one.properties ?? { label: one.filename ?? `file ${i}` },
    relationships: [],
    files: one.noFiles
      ? []
      : [
          {
            key: null,
            cid: one.cid ?? 'bafkreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
            size: null,
            content_type: one.content_type ?? null,
            filename: one.filename ?? null,
            path: one.path ?? null,
          },
        ],
  }));
  const job = { job_id: 'job_1', input, entities, folder };
  return (await replyOf(processor, JSON.stringify(job), () => at)) as Reply;
}

async function made(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('extract-text', () => {
  test('reads a PDF that a browser printed, page by page', async () => {
    const { outputs } = await run('extract-text', [{ path: join(fixtures, 'letter.pdf'), filename: 'letter.pdf' }]);
    expect(outputs).toEqual([
      expect.objectContaining({
        type: 'document',
        relationships: [{ predicate: 'derived_from', peer: 'ENTITY0', peer_type: 'file' }],
        properties: expect.objectContaining({
          label: 'Text of letter.pdf',
          title: 'Letter to the Library',
          pages: 2,
          source_format: 'pdf',
          text: expect.stringMatching(
            /celestial globe arrived on 3 May 1687 in Königsberg[\s\S]*\n\nOn the second page/,
          ),
        }),
      }),
    ]);
  });

  test('reads HTML without its scripts, styles and addresses', async () => {
    const { outputs } = await run('extract-text', [{ path: join(fixtures, 'letter.html'), content_type: 'text/html' }]);
    const [{ properties }] = outputs as [{ properties: Record<string, string> }];
    const { text, title, source_format } = properties;
    expect({ title, source_format }).toEqual({ title: 'Letter to the Library', source_format: 'html' });
    expect(text).toContain('the celestial globe arrived on 3 May 1687 in Königsberg.');
    expect(text).toContain('two maps of the stars');
    expect(text).not.toMatch(/nobody|font-family|example\.org/);
  });

  test('reads the character set that the file names', async () => {
    const html = Buffer.from('<html><meta charset="iso-8859-1"><p>K\xf6nigsberg</p></html>', 'latin1');
    const { outputs } = await run('extract-text', [{ path: await made('latin.html', html) }]);
    expect(outputs[0]?.properties?.text).toBe('Königsberg');
  });

  test('a page is known by what follows its comments, however many there are', async () => {
    const comments = '<?xml version="1.0"?> <!-- a --> <!---->'.concat('<!-- -->'.repeat(40));
    const page = await run('extract-text', [{ path: await made('many.bin', Buffer.from(`${comments}<html><p>here`)) }]);
    expect(page.outputs[0]?.properties).toMatchObject({ source_format: 'html' });
    const none = await run('extract-text', [{ path: await made('none.bin', Buffer.from(`${comments}here`)) }]);
    expect(JSON.stringify(none)).not.toContain('source_format');
  });

  test('is not led into the depths by nested tags', async () => {
    const html = `<html>${'<div>'.repeat(20_000)}deep`;
    const { error } = await run('extract-text', [{ path: await made('deep.html', html) }]);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('nested too deeply') });
  });

  test('keeps a long text whole, as content', async () => {
    const long = 'word '.repeat(50_000);
    const { outputs } = await run('extract-text', [{ path: await made('long.txt', long), filename: 'long.txt' }]);
    const [{ properties, content }] = outputs as [{ properties: Record<string, unknown>; content: { path: string }[] }];
    expect(properties).toMatchObject({ truncated: true, characters: long.length });
    expect((properties.text as string).length).toBe(100_000);
    expect(await readFile(join(folder, content[0]?.path ?? ''), 'utf8')).toBe(long);
  });

  test('cuts no character in two', async () => {
    const text = `${'a'.repeat(99_999)}🌍 and more`;
    const filename = `${'n'.repeat(191)}🌍.txt`;
    const { outputs } = await run('extract-text', [{ path: await made('globe.txt', text), filename }]);
    expect(outputs[0]?.properties).toMatchObject({
      label: `Text of ${'n'.repeat(191)}`,
      text: 'a'.repeat(99_999),
      truncated: true,
      characters: text.length,
    });
  });

  test.each([
    ['no text file', 'photo.jpg', 'UNSUPPORTED_TYPE', 'is no PDF, HTML or text file'],
    ['a broken PDF', null, 'INVALID_INPUT', 'is no PDF that can be read'],
  ])('says why it cannot read %s', async (_, name, code, words) => {
    const whole = await readFile(join(fixtures, 'letter.pdf'));
    const path = name ? join(fixtures, name) : await made('broken.pdf', whole.subarray(0, 300));
    const { error } = await run('extract-text', [{ path, filename: name ?? 'broken.pdf' }]);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words), retryable: false });
  });

  test('says that bytes are not here, or that there are none', async () => {
    expect((await run('extract-text', [{ path: null }])).error).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('is not on this node'),
    });
    expect((await run('extract-text', [{ noFiles: true }])).error?.message).toContain('has no file content');
  });
});

describe('image-metadata', () => {
  test('describes a photograph', async () => {
    const { updates, outputs } = await run('image-metadata', [{ path: join(fixtures, 'photo.jpg') }]);
    expect(updates?.[0]).toMatchObject({
      entity_id: 'ENTITY0',
      properties: {
        image: {
          ...{ format: 'jpeg', width: 120, height: 80, colour_space: 'srgb', channels: 3, density: 300 },
          ...{ progressive: true, has_exif: true, has_alpha: false, megapixels: 0.01 },
        },
      },
    });
    expect(outputs).toEqual([{ entity_id: 'ENTITY0', format: 'jpeg', width: 120, height: 80 }]);
  });

  test('describes an image with transparency', async () => {
    const { updates } = await run('image-metadata', [{ path: join(fixtures, 'map.png') }]);
    expect(updates?.[0]?.properties.image).toMatchObject({ format: 'png', width: 64, height: 48, has_alpha: true });
  });

  test('leaves nothing of the image before, and nothing null where none was', async () => {
    const image = { format: 'jpeg', cid: 'old', orientation: 6, density: 300, caption: 'mine' };
    const path = join(fixtures, 'map.png');
    const { updates, messages } = await run('image-metadata', [
      { path, cid: 'new', properties: { image } },
      { path, cid: 'new' },
      { path, cid: 'new', properties: { image: null } },
    ]);
    const [over, first, again] = (updates ?? []).map(({ properties }) => properties.image ?? {});
    expect(first).toMatchObject({ format: 'png', cid: 'new' });
    expect(Object.values(first ?? {})).not.toContain(null);
    expect(again).toEqual(first);
    expect(over).toEqual({ ...first, orientation: null, density: null });
    expect(messages).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['an address', 'https://example.org/image.jpg'],
    ['a IIIF image', { id: 'https://example.org/iiif/1', type: 'Image', format: 'image/jpeg' }],
    ['a list', ['a.jpg']],
  ])("leaves %s alone that is somebody else's, and says so", async (_, image) => {
    const properties = { label: 'Globe', image };
    const { updates, outputs, messages } = await run('image-metadata', [
      { path: join(fixtures, 'map.png'), properties },
    ]);
    expect(updates).toEqual([]);
    expect(outputs).toMatchObject([{ entity_id: 'ENTITY0', format: 'png' }]);
    expect(messages).toEqual([{ level: 'warning', message: expect.stringMatching(/^ENTITY0 has .* It is Globe\.$/) }]);
  });

  test('refuses what is none', async () => {
    const { error } = await run('image-metadata', [{ path: join(fixtures, 'letter.pdf') }]);
    expect(error).toMatchObject({ code: 'UNSUPPORTED_TYPE', message: expect.stringContaining('is no image') });
  });
});

describe('fixity', () => {
  test('tells intact bytes from changed and from missing ones', async () => {
    const store = new FileStore(join(folder, 'files'));
    const { cid } = await store.put(
      (async function* () {
        yield Buffer.from('the bytes');
      })(),
    );
    const place = store.place(cid);
    const rotten = join(folder, 'rotten');
    await copyFile(join(place.folder, place.path), rotten);
    await writeFile(rotten, 'the bytez');
    const { outputs, records, messages } = await run('fixity', [
      { path: join(place.folder, place.path), cid },
      { path: rotten, cid },
      { path: null, cid },
      { path: rotten, cid: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' },
    ]);
    expect(outputs.map(({ fixity }) => fixity)).toEqual(['intact', 'changed', 'missing', 'unknown']);
    expect(records?.[1]).toMatchObject({
      type: 'fixity_check',
      properties: { outcome: 'changed', checked_at: '2026-01-02T03:04:05.000Z', files: [{ cid, outcome: 'changed' }] },
      relationships: [{ predicate: 'checks', peer: 'ENTITY1', peer_type: 'file' }],
    });
    expect(messages?.map(({ level }) => level)).toEqual(['error', 'warning', 'warning']);
  });

  test('cuts no character of a label in two', async () => {
    const label = `${'n'.repeat(189)}🌍`;
    const { records } = await run('fixity', [{ path: null, properties: { label } }]);
    expect(records?.[0]?.properties.label).toBe(`Fixity of ${'n'.repeat(189)}`);
  });
});

test('combine-text puts texts one after the other', async () => {
  const texts = ['one', 'two'].map((text, i) => ({ noFiles: true, properties: { label: `No. ${i}`, text } }));
  const { outputs } = await run('combine-text', texts, { label: 'All' });
  expect(outputs[0]?.properties).toMatchObject({ label: 'All', text: '# No. 0\n\none\n\n# No. 1\n\ntwo', sources: 2 });
  expect((await stat(join(folder, 'combined.txt'))).size).toBe(26);
});

test('combine-text cuts no character in two', async () => {
  const text = `${'a'.repeat(99_991)}🌍 and more`;
  const given = [{ noFiles: true, properties: { label: 'N', text: `bbb${text}` } }];
  const { outputs } = await run('combine-text', given, { label: `${'n'.repeat(199)}🌍` });
  const { properties } = outputs[0] ?? {};
  expect(properties).toMatchObject({ label: 'n'.repeat(199), truncated: true });
  expect(properties?.text).toBe(`# N\n\nbbb${'a'.repeat(99_991)}`);
});

test('what is said of very many, or of a long name, fits into the log', async () => {
  const properties = { label: 'n'.repeat(5000) };
  const given = Array.from({ length: 1002 }, () => ({ path: null, properties }));
  const { messages = [], records } = await run('fixity', given);
  expect([records?.length, messages.length, messages[0]?.message.length]).toEqual([1002, 950, 4000]);
  expect(messages.at(-1)).toEqual({ level: 'warning', message: '53 more messages are left out.' });
});

test('what is no job is refused', async () => {
  const fixity = shipped.get('fixity');
  for (const text of ['', '<html>', '{}', '{"job_id":1}', '[]'])
    expect(await replyOf(fixity as NonNullable<typeof fixity>, text, () => at)).toMatchObject({
      error: { code: 'INVALID_INPUT', retryable: false },
    });
});
