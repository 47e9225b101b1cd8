import { CID } from 'multiformats/cid';
import type { Archive } from './archive-reader.ts';
import { encodeDelta } from './archive-tree.ts';
import { CarBuffer } from './car-buffer.ts';
import { cidBytes } from './cid.ts';

/** The blocks of an archive's index (root, delta, shards) as a CAR of the same roots. */
export async function* archiveIndex(archive: Archive): AsyncGenerator<Uint8Array, void, undefined> {
  const { cid, root, delta } = archive;
  const heads = delta ? [cid, encodeDelta(delta).cid] : [cid];
  const buffer = new CarBuffer();
  buffer.header(heads.map((head) => CID.parse(head)));
  for (const link of [...heads, ...(delta?.shards ?? root.shards.map((shard) => shard.cid))]) {
    const block = await archive.block(link);
    if (block) buffer.block(cidBytes(link), block.bytes);
    for (let chunk = buffer.chunk(); chunk; chunk = buffer.chunk()) yield chunk;
  }
  yield buffer.rest();
}
