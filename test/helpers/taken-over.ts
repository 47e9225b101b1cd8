import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { findVersion, lastLive } from '../../src/server/store/versions.ts';
import type { TestNode } from './node.ts';
import { idOf } from './store.ts';

/** As a sync with a plain remote leaves an entity that was pushed: its tip says what it said, by a history of the remote's own. */
export async function takenOver(node: TestNode, id: string): Promise<void> {
  const store = await node.ctx.networks.get('main');
  const { expect, tip, live } = store.read((db) => {
    const expect = findTip(db, id) as string;
    const tip = findVersion(db, expect)?.manifest as Manifest;
    return { expect, tip, live: tip.deleted ? (lastLive(db, tip)?.manifest as Manifest) : tip };
  });
  const edited_by = { user_id: idOf(77), method: 'manual' as const };
  const blocks = [encodeManifest({ ...live, ver: 1, prev: null, edited_by })];
  if (tip.deleted) blocks.push(encodeManifest({ ...tip, ver: 2, prev: blocks[0]?.cid ?? '', edited_by }));
  const change = { id, expect, tip: blocks.at(-1)?.cid ?? '', blocks };
  await store.submit([{ changes: [change], preconditions: [], rows: [], origin: 'remote:service', time: Date.now() }]);
}
