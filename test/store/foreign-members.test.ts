import { expect, test } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { blockBytes, findBlock } from '../../src/server/store/blocks.ts';
import { commit, first, idOf, openStore } from '../helpers/store.ts';

test('a version of another node is stored as it is, whatever its members are called', async () => {
  await using opened = await openStore('here');
  const plain = first(idOf(1));
  const named = { cid: 'bafkreiother', bytes: [1, 2, 3], key: 9, entity: 9, base: 9, enc: 1, size: 0 };
  const block = encodeManifest({ ...plain.manifest, ...named } as Manifest);
  const change = { id: plain.id, expect: null, tip: block.cid, blocks: [block] };
  const [outcome] = await opened.store.submit([commit([change])]);
  expect(outcome).toMatchObject({ committed: true });
  const kept = opened.store.read((db) => blockBytes(db, findBlock(db, block.cid)?.key ?? 0));
  expect(Buffer.compare(kept, block.bytes)).toBe(0);
});
