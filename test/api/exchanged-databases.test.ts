import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asStorageError } from '../../src/server/store/storage-error.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode } from '../helpers/node.ts';
import { create, done } from '../helpers/node-archives.ts';

// Databases that lie where others belong, as somebody leaves them who has copied them by hand.

let folder: string;
let [data, other] = ['', ''];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-exchanged-'));
  [data, other] = [join(folder, 'data'), join(folder, 'other')];
  for (const path of [data, other]) {
    await using node = await startNode({ data: path });
    await create(node, 'Ada');
    await done(node, 'POST /entities', { type: 'document', properties: { label: 'on test' } }, 'test');
    for (const network of ['main', 'test'])
      await expect.poll(() => existsSync(join(path, network, 'attest.db'))).toBe(true);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function exchange(a: string, b: string): void {
  renameSync(a, join(folder, 'aside'));
  renameSync(b, a);
  renameSync(join(folder, 'aside'), b);
}

const started = () =>
  startNode({ data }).then(
    async (node) => {
      await node[Symbol.asyncDispose]();
      return '';
    },
    (error: unknown) => asStorageError(error).reason,
  );

test.each([
  ['main/archeion.db', 'test/archeion.db', /The database main\/archeion\.db is that of the test network/],
  ['main', 'test', /The database main\/archeion\.db is that of the test network/],
  ['main/archeion.db', '../other/main/archeion.db', /are not of one node: one of them was exchanged/],
  ['main', '../other/main', /are not of one node/],
  ['identity.db', '../other/identity.db', /are not of one node/],
])('a node does not start where %s was exchanged with %s, and writes nothing there', async (a, b, words) => {
  const whole = join(folder, 'whole');
  cpSync(data, whole, { recursive: true });
  exchange(join(data, a), join(data, b));
  const before = readFileSync(join(data, 'main/archeion.db'));
  expect(await started()).toMatch(words);
  const verified = await commandLine(data, ['verify']);
  expect([verified.code, verified.out]).toEqual([1, expect.stringMatching(/of one node|of the test network lie here/)]);
  expect(readFileSync(join(data, 'main/archeion.db')).equals(before)).toBe(true);
  exchange(join(data, a), join(data, b));
  expect(await started()).toBe('');
});

test.each(['test/attest.db', '../other/main/attest.db'])(
  'a log of attestations that was exchanged with %s is said not to fit, and is not gone on with',
  async (path) => {
    exchange(join(data, 'main/attest.db'), join(data, path));
    const before = readFileSync(join(data, 'main/attest.db'));
    await using node = await startNode({ data });
    await expect.poll(() => node.logged.join('')).toContain('The attestation log does not fit what is stored');
    expect(readFileSync(join(data, 'main/attest.db')).equals(before)).toBe(true);
  },
);
