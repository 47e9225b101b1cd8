import { createHash, randomBytes } from 'node:crypto';
import { cpSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CID } from 'multiformats/cid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { TooLargeError, ValidationError } from '../../src/server/errors.ts';

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
    await files.remove(some.cid);
    expect(await files.size(some.cid)).toBeUndefined();
    expect(await listed()).toEqual([none.cid]);
  });

  it('leave nothing behind when they are too many, others than promised, or cut off', async () => {
    const long = files.put(chunks(Buffer.alloc(5), Buffer.alloc(6)), { limit: 10 });
    await expect(long).rejects.toThrow(TooLargeError);
    const { cid } = await files.put(chunks(Buffer.from('promised')));
    await files.remove(cid);
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
    expect(await files.aside()).toEqual({ folder: 'damaged', count: 2 });
  });

  it('take no name but a content CID', async () => {
    await writeFile(join(folder, 'secret'), 'secret');
    const manifestCid = 'bafyreiardvfhtym2eokoyhhwa5hatcdadkcenoapvnngzxouyk4ytabd4u';
    for (const name of ['../secret', '..', '', 'incoming', `${'a'.repeat(59)}`, manifestCid]) {
      await expect(files.size(name)).rejects.toThrow(ValidationError);
      expect(() => files.read(name)).toThrow(ValidationError);
      await expect(files.remove(name)).rejects.toThrow(ValidationError);
    }
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe('secret');
  });

  it('have no folder until there are some, and lose what interrupted uploads left', async () => {
    expect(await listed()).toEqual([]);
    const { cid } = await files.put(chunks(Buffer.from('kept')));
    await writeFile(join(folder, 'files/incoming/left'), 'half a file');
    await files.sweepIncoming();
    expect(await names('files')).toEqual([cid.slice(-2), `${cid.slice(-2)}/${cid}`]);
  });

  it('are there again where a kill came while they were set aside as unwanted', async () => {
    const { cid } = await files.put(chunks(Buffer.from('named at that moment')));
    let aside: string[] = [];
    // A copy of the folder as a kill between the two looks leaves it.
    const copy = join(folder, 'killed');
    const looks = [false, true];
    const gone = await files.removeUnwanted(cid, Number.POSITIVE_INFINITY, () => {
      const wanted = looks.shift() ?? true;
      if (wanted) {
        cpSync(join(folder, 'files'), copy, { recursive: true });
        aside = readdirSync(join(copy, 'incoming'));
      }
      return wanted;
    });
    expect([gone, files.has(cid), aside.length]).toEqual([false, true, 1]);
    const killed = new FileStore(copy);
    expect(killed.has(cid)).toBe(false);
    await killed.sweepIncoming();
    expect(await killed.isSound(cid)).toBe(true);
    expect(await names('killed')).toEqual([cid.slice(-2), `${cid.slice(-2)}/${cid}`]);
  });
});
