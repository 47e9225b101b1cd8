import { CarReader } from '@ipld/car';
import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { rootOf, shardsOf } from '../../src/server/blocks/archive-tree.ts';
import { walkArchive } from '../../src/server/blocks/archive-walk.ts';
import { exportArchive } from '../../src/server/blocks/archive-writer.ts';
import { DamagedArchiveError } from '../../src/server/blocks/damaged-archive-error.ts';
import { verifyBlock } from '../../src/server/blocks/verify.ts';
import { StorageError, ValidationError } from '../../src/server/errors.ts';
import { checkArchive } from '../helpers/check-archive.ts';
import { collect, inBinary, listOf, SampleState, wholeMain, withArchive } from '../helpers/sample-archive.ts';

function sample(entities: number): SampleState {
  const state = new SampleState();
  for (let i = 0; i < entities; i++) state.write(`e${i}`, 1 + (i % 3));
  return state;
}

describe('an exported archive', () => {
  test('is a CAR whose blocks are all sound and all reachable from its root, to @ipld/car alone', async () => {
    const state = sample(1500);
    const id = state.write('e7');
    const file = state.attach(id, Buffer.alloc(700_000, 'x'));
    const reader = await CarReader.fromBytes(await state.export());
    const blocks = new Map<string, Uint8Array>();
    for await (const { cid, bytes } of reader.blocks()) {
      expect(verifyBlock(CID.parse(cid.toString()), bytes)).toBe('match');
      blocks.set(cid.toString(), bytes);
    }
    const roots = (await reader.getRoots()).map(String);
    expect(roots).toHaveLength(1);
    const reached = new Set<string>();
    const open = [...roots];
    for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
      if (reached.has(cid)) continue;
      reached.add(cid);
      const bytes = blocks.get(cid) as Uint8Array;
      if (CID.parse(cid).code === 0x71) open.push(...linksOf(dagCbor.decode(bytes)));
    }
    expect([...reached].sort()).toEqual([...blocks.keys()].sort());
    expect(reached).toContain(file);
    for (const chain of state.chains.values()) for (const { cid } of chain) expect(reached).toContain(cid);
  });

  test('comes back entity by entity, with its chains and file bytes', async () => {
    const state = sample(40);
    const id = state.write('e3', 5);
    const file = state.attach(id, Buffer.from('some bytes of a file'));
    state.attach(id, new Uint8Array(0));
    await withArchive(await state.export(), async (archive) => {
      expect(archive.root).toMatchObject({ ...wholeMain, entities: 40 });
      const chains = await listOf(walkArchive(archive));
      expect(chains.map(({ entry }) => entry)).toEqual(state.entries());
      for (const { entry, versions, base, baseKnown, content } of chains) {
        expect(versions).toEqual(state.chains.get(entry.id)?.map(({ cid }) => cid));
        expect({ base, baseKnown, content }).toEqual({ base: null, baseKnown: false, content: entry.content });
        for (const block of state.chains.get(entry.id) ?? [])
          expect(await archive.block(block.cid)).toMatchObject({ cid: block.cid, bytes: new Uint8Array(block.bytes) });
      }
      const content = archive.content(file);
      expect(content?.size).toBe(20);
      expect((await collect(content?.chunks ?? (async function* () {})())).toString()).toBe('some bytes of a file');
    });
  });

  test('of nothing is a root alone', async () => {
    await withArchive(await new SampleState().export(), async (archive) => {
      expect(archive.counts).toMatchObject({ nodes: 1, contents: 0 });
      expect(await checkArchive(archive)).toEqual({ entities: 0, versions: 0, content: 0, partial: 0 });
    });
  });

  test('has the root of its state, whatever the order of the writes, and a change touches one shard', async () => {
    const a = sample(3000);
    const b = new SampleState();
    for (let i = 2999; i >= 0; i--) b.write(`e${i}`, 1 + (i % 3));
    const before = await rootOf(wholeMain, a.entries());
    expect((await rootOf(wholeMain, b.entries())).cid).toBe(before.cid);
    expect(before.root.shards.length).toBeGreaterThan(2);
    a.write('e100');
    const after = await rootOf(wholeMain, a.entries());
    const known = new Set(before.root.shards.map(({ cid }) => cid));
    expect(after.root.shards.filter(({ cid }) => !known.has(cid))).toHaveLength(1);
    a.write('new one');
    const grown = await rootOf(wholeMain, a.entries());
    const changed = grown.root.shards.filter(({ cid }) => !after.root.shards.some((shard) => shard.cid === cid));
    expect(changed.length).toBeLessThanOrEqual(2);
  });

  test('cuts no shard longer than 4,096 entries, nor with more than 100,000 links to content', async () => {
    const state = new SampleState();
    const tip = state.entries.bind(state);
    state.write('x');
    const cid = tip()[0]?.tip as string;
    const ids = Array.from({ length: 9000 }, (_, i) => `N${i}`).sort();
    const shards = await listOf(shardsOf(ids.map((id) => ({ id, tip: cid, ver: 1, content: [] }))));
    expect(shards.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual(ids);
    expect(Math.max(...shards.map(({ entries }) => entries.length))).toBeLessThanOrEqual(4096);
    const content = new Array(60_000).fill('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku');
    const wide = await listOf(shardsOf(['a', 'b'].map((id) => ({ id, tip: cid, ver: 1, content }))));
    expect(wide.map(({ first }) => first)).toEqual(['a', 'b']);
    for (const { bytes } of wide) expect(dagCbor.encode(dagCbor.decode(bytes))).toEqual(new Uint8Array(bytes));
  });

  test('of tips says where each history starts', async () => {
    const state = sample(6);
    const head = { ...wholeMain, history: 'tip' as const };
    await withArchive(await state.export(head), async (archive) => {
      expect(await checkArchive(archive)).toEqual({ entities: 6, versions: 6, content: 0, partial: 4 });
      const chains = await listOf(walkArchive(archive));
      for (const { entry, base } of chains) expect(base).toBe(state.chains.get(entry.id)?.at(-2)?.cid ?? null);
    });
  });

  test('of a node that has not the whole history is accepted where the entry says so', async () => {
    const state = new SampleState();
    const id = state.write('late', 4);
    const chain = state.chains.get(id) ?? [];
    const source = { ...state.source(), versions: () => inBinary(chain.slice(2)) };
    const start = chain[2]?.cid as string;
    const told = { ...source, entries: () => state.entries().map((entry) => ({ ...entry, start })) };
    await withArchive(await collect(exportArchive(told)), async (archive) => {
      expect(await checkArchive(archive)).toMatchObject({ versions: 2, partial: 1 });
    });
    await withArchive(await collect(exportArchive(source)), async (archive) => {
      await expect(checkArchive(archive)).rejects.toThrow(/is missing/);
    });
  });

  test('stops where the receiver knows a version', async () => {
    const state = new SampleState();
    const id = state.write('long', 10);
    const chain = (state.chains.get(id) ?? []).map(({ cid }) => cid);
    await withArchive(await state.export(), async (archive) => {
      const [some] = await listOf(walkArchive(archive, (cid) => cid === chain[6]));
      expect(some).toMatchObject({ versions: chain.slice(7), base: chain[6], baseKnown: true });
      const [none] = await listOf(walkArchive(archive, async () => true));
      expect(none).toMatchObject({ versions: [], base: chain[9], baseKnown: true });
    });
  });

  test('is not made of a store that answers other bytes, another tip or other file bytes', async () => {
    const state = sample(3);
    const id = state.write('e1');
    state.attach(id, Buffer.from('right'));
    const source = state.source();
    const blocks = [...state.chains.values()].flat();
    const wrong = blocks.map(({ cid }, i) => ({ cid, bytes: blocks[(i + 1) % blocks.length]?.bytes as Uint8Array }));
    const size = { size: 5, chunks: [Buffer.from('wrong')] };
    for (const broken of [
      { ...source, versions: () => inBinary(wrong) },
      { ...source, versions: () => [] },
      { ...source, content: () => size },
      { ...source, content: () => ({ ...size, size: 4 }) },
    ])
      await expect(collect(exportArchive(broken))).rejects.toThrow(StorageError);
    let asked = 0;
    const moving = { ...source, entries: () => state.entries().slice(asked++) };
    await expect(collect(exportArchive(moving))).rejects.toThrow(StorageError);
    asked = 0;
    const vanishing = { ...source, entries: () => (asked++ === 0 ? state.entries() : []) };
    await expect(collect(exportArchive(vanishing))).rejects.toThrow(StorageError);
  });
});

describe('an incremental archive', () => {
  test('holds what changed, under the root of the whole state, and needs the earlier blocks at the receiver', async () => {
    const state = sample(3000);
    const file = state.attach(state.write('e5'), Buffer.from('once'));
    const first = await state.export();
    await withArchive(first, async (earlier) => {
      state.write('e5', 2);
      state.attach(state.write('brand new'), Buffer.from('once'));
      const added = state.attach(state.write('e9', 0), Buffer.from('twice'));
      const second = await state.export(wholeMain, earlier);
      expect(second.length).toBeLessThan(first.length / 3);
      await withArchive(second, async (archive) => {
        expect(archive.cid).toBe((await rootOf(wholeMain, state.entries())).cid);
        expect(archive.delta).toMatchObject({ root: archive.cid, since: earlier.cid });
        expect(archive.has(file)).toBe(false);
        expect(archive.has(added)).toBe(true);
        const sum = await checkArchive(archive, (cid) => earlier.has(cid));
        expect(sum).toMatchObject({ versions: 3, content: 1, partial: 0 });
        await expect(checkArchive(archive)).rejects.toThrow(DamagedArchiveError);
        // A third one builds upon the second, although that holds few of its shards.
        state.write('e9');
        const third = await state.export(wholeMain, archive);
        await withArchive(third, async (later) => {
          const known = (cid: string): boolean => earlier.has(cid) || archive.has(cid);
          expect(await checkArchive(later, known)).toMatchObject({ versions: 1, content: 0 });
        });
      });
    });
  });

  test('that was cut off before its last version is refused, also by a receiver that has everything', async () => {
    const state = sample(5);
    await withArchive(await state.export(), async (earlier) => {
      state.write('e2');
      const bytes = await state.export(wholeMain, earlier);
      const start = await withArchive(bytes, async (archive) => {
        expect(await checkArchive(archive, () => true)).toMatchObject({ versions: 0 });
        const last = await archive.block(archive.delta?.last as string);
        expect(last && last.offset + last.bytes.length).toBe(bytes.length);
        return (last?.offset ?? 0) - 36 - 2;
      });
      await withArchive(bytes.subarray(0, start), async (archive) => {
        await expect(checkArchive(archive, () => true)).rejects.toThrow(/ends before its last version/);
      });
    });
  });

  test('of an equal state holds two roots and nothing else', async () => {
    const state = sample(20);
    await withArchive(await state.export(), async (earlier) => {
      await withArchive(await state.export(wholeMain, earlier), async (archive) => {
        expect(archive.counts.nodes).toBe(2);
        expect(await checkArchive(archive)).toMatchObject({ entities: 0 });
      });
    });
  });

  test('writes a chain whole where the earlier tip is no longer on it, and leaves out what is gone', async () => {
    const state = sample(20);
    await withArchive(await state.export(), async (earlier) => {
      const id = state.write('e4', 0);
      state.chains.set(id, []);
      state.write('e4', 3, { other: true });
      state.chains.delete(state.write('e6', 0));
      await withArchive(await state.export(wholeMain, earlier), async (archive) => {
        expect(await checkArchive(archive, (cid) => earlier.has(cid))).toMatchObject({ entities: 19, versions: 3 });
      });
    });
  });

  test('is not made from an archive of another network or history', async () => {
    const state = sample(2);
    await withArchive(await state.export({ ...wholeMain, history: 'tip' }), async (earlier) => {
      await expect(state.export(wholeMain, earlier)).rejects.toThrow(ValidationError);
    });
  });
});

function linksOf(value: unknown): string[] {
  if (value instanceof CID) return [value.toString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(linksOf);
}
