import { randomBytes } from 'node:crypto';
import { platform } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keptBy } from '../helpers/files.ts';
import { startNode } from '../helpers/node.ts';
import { create, operate } from '../helpers/node-archives.ts';
import { openBelow } from '../helpers/open-files.ts';
import { inChunks } from '../helpers/sample-archive.ts';

test.runIf(platform === 'linux')('a package whose client leaves in the middle keeps no file open', async () => {
  await using node = await startNode();
  const files = keptBy(node);
  const content: Record<string, { cid: string; content_type: string }> = {};
  for (let n = 0; n < 150; n++) {
    const kept = await files.put(inChunks(randomBytes(150_000), 64_000));
    content[`page ${n}`] = { ...kept, content_type: 'image/png' };
  }
  await create(node, 'a book', { properties: { label: 'a book', content } });
  for (const format of ['bagit', 'ro-crate']) {
    const { body } = await operate(node, `GET /node/export?format=${format}`);
    const reader = body!.getReader();
    await reader.read();
    // Until it holds all that goes into the connection.
    await sleep(300);
    await reader.cancel();
    await expect.poll(() => openBelow(files.place(Object.values(content)[0]!.cid).folder)).toEqual([]);
  }
});
