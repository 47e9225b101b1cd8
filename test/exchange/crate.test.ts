import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { crateMetadata, crateOf } from '../../src/server/exchange/packages/crate.ts';
import { packageAbout } from '../../src/server/exchange/packages/package-about.ts';
import { listTips } from '../../src/server/store/archive/tip-list.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { change, commit, first, idOf, openStore } from '../helpers/store.ts';
import { bytesOf } from './streams.ts';

const scope = { kind: 'all' } as const;
const count = 3000;

describe('the metadata of a crate of many files', () => {
  it('comes in small parts, between which others have their turns', async () => {
    await using opened = await openStore('here');
    const { store } = opened;
    const files = new FileStore(filesFolder(store.folder));
    const versions = [];
    for (let n = 1; n <= count; n++) {
      const { cid } = await files.put(bytesOf(`file ${n}`));
      versions.push(first(idOf(n), { type: 'file', properties: { cid, uploaded: true, filename: `page ${n}.txt` } }));
    }
    for (let at = 0; at < count; at += 1000)
      await store.submit([commit(versions.slice(at, at + 1000).map((version) => change(null, version)))]);
    const list = await listTips(store, { scope, history: 'tip' });
    const about = packageAbout(store, scope, { time: '2026-01-01T00:00:00.000Z', software: 'Archeion' });
    const chunks: Uint8Array[] = [];
    const turnsBefore: number[] = [];
    let turns = 0;
    let isDone = false;
    for await (const { path, chunks: bytes } of crateOf(store, list, about)) {
      if (path === crateMetadata)
        void (async () => {
          for (; !isDone; turns++) await setImmediate();
        })();
      for await (const chunk of bytes) {
        if (path !== crateMetadata) continue;
        chunks.push(chunk);
        turnsBefore.push(turns);
      }
    }
    isDone = true;
    const graph = JSON.parse(Buffer.concat(chunks).toString())['@graph'] as {
      '@id': string;
      [member: string]: unknown;
    }[];
    expect(graph).toHaveLength(2 * count + 4);
    const [root] = graph.slice(-1);
    expect(root).toMatchObject({ '@id': './', name: 'All entities of the network main' });
    expect(root?.hasPart).toHaveLength(count + 2);
    expect(root?.mentions).toHaveLength(count);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(96 * 1024);
    // Of the last chunks nothing is read from the disk.
    expect(turnsBefore).toEqual([...new Set(turnsBefore)]);
  });
});
