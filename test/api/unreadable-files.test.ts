import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { ask, operator } from '../helpers/callers.ts';
import { keptBy, uploaded } from '../helpers/files.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

// Files below the data folder that are there and cannot be read: they are another user's, or the disk is failing.

/** What nobody can open, whoever asks. */
async function makeUnreadable(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await symlink(path, path);
}

const unreadable = { reason: expect.stringMatching(/^The file system reported an error: ELOOP: /) };

test('an export breaks off at a file that cannot be read, and says which', async () => {
  await using node = await startNode();
  await uploaded(node, operator(node), 'a page');
  const [cid = ''] = await Array.fromAsync(keptBy(node).list());
  const { folder, path } = keptBy(node).place(cid);
  await makeUnreadable(join(folder, path));
  for (const format of ['car', 'bagit']) {
    const answer = await ask(node, operator(node), `GET /node/export?format=${format}`);
    expect([format, answer.status, answer.body]).toMatchObject([format, 503, { details: unreadable }]);
    expect(answer.text).toContain(cid);
  }
});

test('the state of a node whose files cannot be read says so', async () => {
  await using node = await startNode();
  await uploaded(node, operator(node), 'a page');
  await makeUnreadable(filesFolder(join(node.data, 'main')));
  expect(await ask(node, operator(node), 'GET /node/status')).toMatchObject({
    status: 503,
    body: { details: unreadable },
  });
});

test('a start that meets a folder that it cannot read says so in a sentence', async () => {
  await using data = await temporaryFolder();
  await (await startNode({ data: data.path }))[Symbol.asyncDispose]();
  const files = filesFolder(join(data.path, 'main'));
  await mkdir(files, { recursive: true });
  await makeUnreadable(join(files, 'incoming'));
  await expect(startNode({ data: data.path })).rejects.toMatchObject(unreadable);
});
