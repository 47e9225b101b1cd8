import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CID } from 'multiformats/cid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { TooLargeError, ValidationError } from '../../src/server/errors.ts';
import { cidOf, lose } from '../helpers/files.ts';

let folder: string;
let files: FileStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archeion-files-'));
  files = new FileStore(join(folder, 'files'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

async function listed(): Promise<string[]> {
  const cids: string[] = [];
  for await (const cid of files.list()) cids.push(cid);
  return cids;
}

async function names(path: string): Promise<string[]> {
  return (await readdir(join(folder, path), { recursive: true })).toSorted();
}

describe('large bytes', () => {
  it('are told of to those who wait for them, whoever keeps them', async () => {
    const before = files.keptSoFar();
    expect(files.keptAfter(before)).toEqual([]);
    const { cid } = await new FileStore(join(folder, 'files')).put(chunks(Buffer.from('came')));
    await files.put(chunks(Buffer.from('came')));
    expect(files.keptSoFar()).toBe(before + 2);
    expect(files.keptAfter(before)).toEqual([cid]);
    expect(files.keptAfter(files.keptSoFar())).toEqual([]);
    expect(new FileStore(join(folder, 'others')).keptAfter(0)).toEqual([]);
  });

  it('lie under the CID of what they are, whatever the chunks they came in', async () => {
    const bytes = randomBytes(300_000);
    const whole = await files.put(chunks(bytes));
    const cut = await files.put(chunks(bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1)));
    expect(cut).toEqual(whole);
    expect(whole.size).toBe(300_000);
    const { code, version, multihash } = CID.parse(whole.cid);
    expect([version, code, multihash.code]).toEqual([1, 0x55, 0x12]);
    expect(Buffer.from(multihash.digest)).toEqual(createHash('sha256').update(bytes).digest());
    expect(await collect(files.read(whole.cid))).toEqual(bytes);
    expect(await collect(files.read(whole.cid, { start: 10, end: 19 }))).toEqual(bytes.subarray(10, 20));
    expect(await names('files')).toEqual(
      [whole.cid.slice(-2), `${whole.cid.slice(-2)}/${whole.cid}`, 'incoming'].toSorted(),
    );
  });

  it('are known by size, listed and forgotten', async () => {
    const none = await files.put(chunks());
    const some = await files.put(chunks(Buffer.from('some')));
    expect(await files.size(none.cid)).toBe(0);
    expect(await files.size(some.cid)).toBe(4);
    expect((await listed()).toSorted()).toEqual([none.cid, some.cid].toSorted());
    await lose(files, some.cid);
    expect(await files.size(some.cid)).toBeUndefined();
    expect(await listed()).toEqual([none.cid]);
  });

  it('leave nothing behind when they are too many, others than promised, or cut off', async () => {
    const long = files.put(chunks(Buffer.alloc(5), Buffer.alloc(6)), { limit: 10 });
    await expect(long).rejects.toThrow(TooLargeError);
    const { cid } = await files.put(chunks(Buffer.from('promised')));
    await lose(files, cid);
    await expect(files.put(chunks(Buffer.from('other')), { expected: cid })).rejects.toThrow(ValidationError);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first part');
      throw new Error('the line went dead');
    }
    await expect(files.put(broken())).rejects.toThrow('the line went dead');
    expect(await listed()).toEqual([]);
    expect(await names('files/incoming')).toEqual([]);
  });

  it('are set aside where they are damaged, each time beside what lies there already, and come again', async () => {
    const { cid } = await files.put(chunks(Buffer.from('whole')));
    expect(await files.setAside(cid)).toBeNull();
    expect(await files.isSound(cid)).toBe(true);
    for (const [text, place] of [
      ['once', `damaged/${cid}`],
      ['twice', `damaged/${cid}-2`],
    ] as const) {
      await writeFile(join(folder, 'files', cid.slice(-2), cid), text);
      expect(await files.isSound(cid)).toBe(false);
      expect(await files.setAside(cid)).toBe(place);
      expect(await readFile(join(folder, 'files', place), 'utf8')).toBe(text);
      expect([await files.size(cid), await listed(), await files.setAside(cid)]).toEqual([undefined, [], null]);
      await files.put(chunks(Buffer.from('whole')), { expected: cid });
      await files.sweepIncoming();
    }
    expect(await files.isSound(cid)).toBe(true);
    expect(await files.aside('damaged')).toBe(2);
  });

  it('take no name but a content CID', async () => {
    await writeFile(join(folder, 'secret'), 'secret');
    const manifestCid = 'bafyreiardvfhtym2eokoyhhwa5hatcdadkcenoapvnngzxouyk4ytabd4u';
    for (const name of ['../secret', '..', '', 'incoming', `${'a'.repeat(59)}`, manifestCid]) {
      await expect(files.size(name)).rejects.toThrow(ValidationError);
      await expect(collect(files.read(name))).rejects.toThrow(ValidationError);
      expect(() => files.has(name)).toThrow(ValidationError);
    }
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('secret');
  });

  it('are opened when they are read, so that whoever reads hears that they cannot be', async () => {
    const { cid } = await files.put(chunks(Buffer.from('lost')));
    await lose(files, cid);
    const read = files.read(cid);
    await sleep(50);
    await expect(collect(read)).rejects.toThrow('ENOENT');
  });

  it('have no folder until there are some, and lose what interrupted uploads left', async () => {
    expect(await listed()).toEqual([]);
    const { cid } = await files.put(chunks(Buffer.from('kept')));
    await writeFile(join(folder, 'files/incoming/left'), 'half a file');
    await files.sweepIncoming();
    expect(await names('files')).toEqual([cid.slice(-2), `${cid.slice(-2)}/${cid}`]);
  });

  it('lie aside where nobody seems to want them, and come back to whoever asks for them, with the time of then', async () => {
    const asked: ((cid: string) => unknown)[] = [
      (cid) => files.has(cid),
      (cid) => files.size(cid),
      (cid) => files.keptSince(cid),
      (cid) => files.place(cid),
      (cid) => files.isSound(cid),
      (cid) => collect(files.read(cid)),
    ];
    const { cid } = await files.put(chunks(Buffer.from('named after all')));
    for (const ask of asked) {
      await files.setUnwantedAside(cid, Number.POSITIVE_INFINITY, () => false);
      expect([await listed(), await files.aside('unwanted')]).toEqual([[], 1]);
      const began = Date.now() - 1;
      const came = files.keptSoFar();
      await ask(cid);
      expect([await listed(), await files.aside('unwanted')]).toEqual([[cid], 0]);
      expect(files.keptAfter(came)).toEqual([cid]);
      expect((await stat(join(folder, 'files', files.place(cid).path))).mtimeMs).toBeGreaterThan(began);
    }
  });

  it('that lie aside go after a time, but for those that are wanted after all', async () => {
    const [named, other, late] = await Promise.all(
      ['named', 'other', 'late'].map((text) => files.put(chunks(Buffer.from(text)))),
    );
    const cids = [named, other, late].map((one) => one?.cid ?? '');
    for (const cid of cids.slice(0, 2)) await files.setUnwantedAside(cid, Number.POSITIVE_INFINITY, () => false);
    const since = Date.now() + 1;
    await files.sweepUnwanted(since - 10_000, () => false);
    expect(await files.aside('unwanted')).toBe(2);
    await files.sweepUnwanted(since, (cid) => cid === cids[0]);
    expect([(await listed()).toSorted(), await files.aside('unwanted')]).toEqual([[cids[0], cids[2]].toSorted(), 0]);
    expect(files.has(cids[1] ?? '')).toBe(false);
    // Bytes that lie aside are not written over by others of their name, which may be damaged.
    await files.setUnwantedAside(cids[2] ?? '', Number.POSITIVE_INFINITY, () => false);
    await files.put(chunks(Buffer.from('late')));
    await writeFile(join(folder, 'files', files.place(cids[2] ?? '').path), 'damaged');
    await files.setUnwantedAside(cids[2] ?? '', Number.POSITIVE_INFINITY, () => false);
    expect(await readFile(join(folder, 'files/unwanted', cids[2] ?? ''), 'utf8')).toBe('late');
  });

  it('that are taken over count as come at that moment, however long ago they were written', async () => {
    const part = join(folder, 'part');
    await writeFile(part, 'come slowly');
    await utimes(part, 1, 1);
    const cid = cidOf('come slowly');
    await files.adopt(part, cid);
    await files.setUnwantedAside(cid, Date.now() - 60_000, () => false);
    expect(await listed()).toEqual([cid]);
  });

  it('are there again where a kill came while an earlier program set them aside as unwanted', async () => {
    const { cid } = await files.put(chunks(Buffer.from('named at that moment')));
    const { path } = files.place(cid);
    await rename(join(folder, 'files', path), join(folder, 'files/incoming', `${cid}.unwanted`));
    await files.sweepIncoming();
    expect(await files.isSound(cid)).toBe(true);
    expect(await names('files')).toEqual([cid.slice(-2), `${cid.slice(-2)}/${cid}`]);
  });
});
