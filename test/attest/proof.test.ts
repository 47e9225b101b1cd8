import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as dagCbor from '@ipld/dag-cbor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkProof, type Proof } from '../../src/server/attest/proof.ts';
import { blockCid, encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { settled } from '../helpers/attestations.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, update } from '../helpers/node-archives.ts';
import { commit, first, idOf } from '../helpers/store.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;
let proof: Proof;
let key: { public_key: string; key_id: string };

const proofOf = async (node: TestNode, query: string): Promise<Proof> => {
  const { status, body, text } = await node.fetch(`/node/attestations/proof?${query}`);
  expect([status, text]).toEqual([200, expect.anything()]);
  return body as Proof;
};

beforeAll(async () => {
  folder = await temporaryFolder();
  await using node = await startNode();
  for (let i = 0; i < 5; i++) await create(node, `entity ${i}`);
  const ada = await update(node, await create(node, 'Ada', { relationships: [] }), { born: 1815, notes: ['é', 1.5] });
  for (let i = 0; i < 5; i++) await create(node, `entity ${i}`);
  await settled(node);
  proof = await proofOf(node, `id=${ada.id}`);
  key = (await node.fetch('/.well-known/signing-key')).body as typeof key;
  file = join(folder.path, 'proof.json');
  await writeFile(file, JSON.stringify(proof));
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Every value below, by its path. */
function* scalars(value: Json, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (typeof value !== 'object' || value === null) yield path;
  else
    for (const [name, one] of Object.entries(value))
      yield* scalars(one, [...path, Array.isArray(value) ? +name : name]);
}

function changed(value: Json, [name, ...rest]: (string | number)[]): Json {
  if (name === undefined) return other(value);
  const copy = structuredClone(value) as Record<string | number, Json>;
  copy[name] = changed(copy[name] as Json, rest);
  return copy as Json;
}

function other(value: Json): Json {
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return 'other';
  return value.startsWith('A') ? `B${value.slice(1)}` : `A${value.slice(1)}`;
}

describe('a proof', () => {
  it('holds as it came, and as another program would write it', () => {
    expect(checkProof(proof, null)).toMatchObject({ ok: true, statements: { length: 4 } });
    const reversed = JSON.stringify(proof, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value,
    );
    expect(checkProof(JSON.parse(reversed), null).ok).toBe(true);
    expect(checkProof({ ...proof, comment: 'kept with the record' }, null).ok).toBe(true);
  });

  it('does not hold with any value of it changed', () => {
    const paths = [...scalars(proof as unknown as Json)];
    expect(paths.length).toBeGreaterThan(30);
    const passed = paths.filter((path) => checkProof(changed(proof as unknown as Json, path), null).ok);
    expect(passed).toEqual([]);
  });

  it('does not hold with any member of it missing, nor with one too many in its path', () => {
    const lacking = Object.keys(proof).map((name) => ({ ...proof, [name]: undefined }));
    for (const one of [...lacking, { ...proof, path: [...proof.path, ...proof.path] }, null, [], 5, 'text'])
      expect(checkProof(one, null).ok).toBe(false);
  });

  it('is only worth what its key is: another key signs as well', () => {
    for (const known of [key.public_key, key.key_id]) expect(checkProof(proof, known).ok).toBe(true);
    expect(checkProof(proof, '0123456789abcdef')).toMatchObject({
      ok: false,
      statements: [{ holds: true }, { holds: true }, { holds: true }, { holds: true }, { holds: false }],
    });
  });

  it('of a large version is read on another thread', async () => {
    await using node = await startNode();
    const large = await create(node, 'large', { properties: { label: 'large', text: 'é'.repeat(200_000) } });
    await settled(node);
    const given = await proofOf(node, `id=${large.id}`);
    expect(given.manifest).toMatchObject({ id: large.id, properties: { label: 'large' } });
    expect(checkProof(given, null).ok).toBe(true);
    const { permastore_tx } = (await node.fetch(`/entities/${large.id}/attestation`)).body as { permastore_tx: string };
    expect((await node.fetch(`/attestations/verify/${permastore_tx}`)).body).toMatchObject({
      cid_valid: true,
      manifest_preview: { type: 'document' },
    });
  });

  it('brings the bytes of a version that JSON cannot say', async () => {
    await using node = await startNode();
    const { id, manifest } = first(idOf(9));
    const strange = { ...manifest, prev: null, properties: { label: 'bytes', raw: new Uint8Array([1, 2, 3]) } };
    const bytes = dagCbor.encode(strange);
    const cid = blockCid(bytes);
    expect(cid).not.toBe(encodeManifest(manifest).cid);
    const store = await node.ctx.networks.get('main');
    const [outcome] = await store.submit([commit([{ id, expect: null, tip: cid, blocks: [{ cid, bytes }] }])]);
    expect(outcome).toMatchObject({ committed: true });
    await settled(node);
    const given = await proofOf(node, `id=${id}`);
    expect(given.block).toBe(Buffer.from(bytes).toString('base64'));
    expect(checkProof(given, null).ok).toBe(true);
    const { block: _, ...without } = given;
    expect(checkProof(without, null).ok).toBe(false);
    expect(checkProof({ ...given, manifest: { ...given.manifest, type: 'other' } }, null).ok).toBe(false);
    expect(checkProof(changed(given as unknown as Json, ['block']), null).ok).toBe(false);
  });

  it('holds for a version of elsewhere that has more members, whatever their names', async () => {
    await using node = await startNode();
    const { id, manifest } = first(idOf(9));
    const strange = Object.fromEntries([...Object.entries({ ...manifest, prev: null }), ['__proto__', { a: 1 }]]);
    const bytes = dagCbor.encode(strange);
    const cid = blockCid(bytes);
    const store = await node.ctx.networks.get('main');
    await store.submit([commit([{ id, expect: null, tip: cid, blocks: [{ cid, bytes }] }])]);
    await settled(node);
    const given = await proofOf(node, `id=${id}`);
    expect(Object.keys(given.manifest)).toContain('__proto__');
    expect(checkProof(given, null).ok).toBe(true);
  });
});

/** One command line, without any data folder. */
const archeion = (...args: string[]) => commandLine(join(folder.path, 'never made'), args);

describe('archeion verify --proof', () => {
  it('says in words what a file proves, without a node', async () => {
    const { code, out, err } = await archeion('verify', '--proof', file);
    expect([code, err]).toEqual([0, '']);
    const { leaf, head } = proof;
    expect(out.split('\n')).toEqual([
      `holds: the manifest is version 2 of ${leaf.pi}, and its bytes hash to the CID ${leaf.cid}`,
      `holds: entry ${leaf.seq} of the log says that this version became the tip on ${new Date(leaf.ts).toISOString()}, after ${leaf.prev_cid}`,
      `holds: the path leads from that entry to the root ${head.root} of ${head.size} entries`,
      `holds: the key ${head.key_id} signed that root on ${new Date(head.time).toISOString()} as the main network of the node ${head.instance}`,
      'Whose key it is the file cannot prove: compare it with /.well-known/signing-key, or give --key.',
    ]);
    expect((await archeion('verify', '--proof', file, '--key', key.public_key)).out).toContain(
      'holds: the key is the one',
    );
    const json = JSON.parse((await archeion('verify', '--proof', file, '--json')).out) as unknown;
    expect(json).toMatchObject({ ok: true, statements: [{ holds: true }, {}, {}, {}] });
  });

  it.each([
    ['a changed manifest', 'WRONG: the manifest', ['manifest', 'properties', 'label']],
    ['a changed entry', 'WRONG: the path', ['leaf', 'ts']],
    ['a changed path', 'WRONG: the path', ['path', 0]],
    ['a changed signature', 'WRONG: the key', ['head', 'signature']],
    ['another format', 'WRONG: It is no archeion/proof@v1: format', ['format']],
  ])('ends with 1 for %s', async (_what, words, path) => {
    const text = JSON.stringify(changed(JSON.parse(await readFile(file, 'utf8')) as Json, path));
    const bad = join(folder.path, 'bad.json');
    await writeFile(bad, text);
    const { code, out, err } = await archeion('verify', '--proof', bad);
    expect([code, err]).toEqual([1, `archeion: ${bad} proves nothing: see what is wrong above.`]);
    expect(out).toContain(words);
  });

  it('ends with 1 for the wrong key and what is no JSON, with 2 for what is not there', async () => {
    expect((await archeion('verify', '--proof', file, '--key', 'other')).code).toBe(1);
    const bad = join(folder.path, 'no.json');
    await writeFile(bad, '{');
    expect(await archeion('verify', '--proof', bad)).toEqual({
      code: 1,
      out: '',
      err: `archeion: ${bad} is no proof: it is not JSON.`,
    });
    await mkdir(join(folder.path, 'folder'), { recursive: true });
    for (const path of ['none.json', 'folder'])
      expect((await archeion('verify', '--proof', join(folder.path, path))).code).toBe(2);
    expect((await archeion('verify', '--key', 'other')).code).toBe(2);
  });
});
