import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Connection } from '../../src/server/store/connection.ts';
import { openIndexWriter } from '../../src/server/store/search/search-index.ts';
import { codesAfter } from '../../src/server/store/search/search-vectors.ts';
import { blobOf } from '../../src/server/store/search/vector-functions.ts';
import { temporaryFolder } from '../helpers/node.ts';

const words = 3;
const count = 2500;
const codeOf = (seq: number): number[] => [seq, 0xffffffff - seq, 7 * seq];

test('the codes of one model come whole and in order, however many, and a damaged one moves no other', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'search.db');
  const index = openIndexWriter(file);
  for (let seq = 1; seq <= count; seq++) {
    const damaged = seq % 100 === 0 ? Uint8Array.of(1, 2, 3) : seq % 100 === 1 ? new Uint8Array(99).fill(255) : null;
    index.run(
      'INSERT INTO code (seq, model, key, type, code) VALUES (?, ?, ?, ?, ?)',
      ...[
        seq,
        seq % 7 === 0 ? 2 : 1,
        10 * seq,
        seq % 2 === 0 ? 'artwork' : "an artist's",
        damaged ?? blobOf(Uint32Array.from(codeOf(seq))),
      ],
    );
  }
  index.close();
  using stack = new DisposableStack();
  const db = stack.adopt(new Connection(new Database(':memory:')), (it) => it.close());
  db.db.prepare('ATTACH ? AS search').run(file);

  for (const after of [0, 1234, count]) {
    const found: { seq: number; key: number; type: string; code: number[] }[] = [];
    for (const { seqs, keys, types, codes } of codesAfter(db, 1, after, words)) {
      expect([keys.length, types.length, codes.length]).toEqual([seqs.length, seqs.length, words * seqs.length]);
      for (const [i, seq] of seqs.entries())
        found.push({
          seq,
          key: keys[i] ?? 0,
          type: types[i] ?? '',
          code: [...codes.subarray(words * i, words * (i + 1))],
        });
    }
    const wanted = Array.from({ length: count }, (_, i) => i + 1).filter((seq) => seq > after && seq % 7 !== 0);
    expect(found).toEqual(
      wanted.map((seq) => ({
        ...{ seq, key: 10 * seq, type: seq % 2 === 0 ? 'artwork' : "an artist's" },
        code: seq % 100 < 2 ? [0, 0, 0] : codeOf(seq),
      })),
    );
  }
});
