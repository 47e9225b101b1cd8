import { join } from 'node:path';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { applyCommit } from '../../src/server/store/apply.ts';
import { openWriter } from '../../src/server/store/connection.ts';
import { temporaryFolder } from './processes.ts';

/**
 * The second baseline: the same rows in one process without HTTP: encode, hash and write, `perTransaction` versions a
 * transaction, each transaction on disk before the next. Gives versions a second.
 */
export function pipelineRate(manifests: Iterable<Manifest>, perTransaction: number): number {
  using folder = temporaryFolder();
  const writer = openWriter(join(folder.path, 'pipeline.db'));
  const begun = performance.now();
  let count = 0;
  for (const manifest of manifests) {
    if (count % perTransaction === 0) {
      if (count > 0) writer.run('COMMIT');
      if (count % 10_000 < perTransaction) writer.db.pragma('wal_checkpoint(PASSIVE)');
      writer.run('BEGIN IMMEDIATE');
    }
    const block = encodeManifest(manifest);
    const change = { id: manifest.id, expect: null, tip: block.cid, blocks: [block] };
    const outcome = applyCommit(writer, { changes: [change], preconditions: [], rows: [], origin: 'bench', time: 0 });
    if (!outcome.committed) throw new Error(`the pipeline met ${manifest.id} twice`);
    count++;
  }
  if (count > 0) writer.run('COMMIT');
  const seconds = (performance.now() - begun) / 1000;
  writer.close();
  return count / seconds;
}
