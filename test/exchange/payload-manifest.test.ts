import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPackage } from '../../src/server/exchange/packages/package-reader.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { zipOf } from '../helpers/zip-files.ts';

const history = Buffer.from('a history');
const digest = createHash('sha256').update(history).digest('hex');

async function read(manifest: Buffer): Promise<string> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'bag.zip');
  const parts = { 'bag/bagit.txt': Buffer.from('BagIt-Version: 1.0\n'), 'bag/data/history.car': history };
  await writeFile(file, await zipOf([...Object.entries(parts), ['bag/manifest-sha256.txt', manifest]]));
  const came: Uint8Array[] = [];
  const take = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) came.push(chunk);
  };
  await readPackage(file, { history: take, content: take });
  return Buffer.concat(came).toString();
}

test("a bag's manifest may be as long as that of the most files, and is read line by line", async () => {
  const long = Buffer.from(`${digest}  data/history.car\r\n`.repeat(800_000));
  expect(long.length).toBeGreaterThan(64 * 1024 * 1024);
  expect(await read(long)).toBe('a history');
});

test('a manifest that is one endless line is refused', async () => {
  await expect(read(Buffer.alloc(1_000_000, 'x'))).rejects.toThrow(/manifest-sha256\.txt has a line that is none/);
});
