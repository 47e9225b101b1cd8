import { existsSync } from 'node:fs';
import { mkdir, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

test('a node whose disk was taken away says so of files and of its state, writes no file elsewhere, and goes on when it is back', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  await using node = await startNode({ data });
  const me = operator(node);
  const { id } = await create(node, me, { properties: { label: 'One' } });
  const bytes = Buffer.from('the bytes of a file');
  const content = `/entities/${id}/content?key=v1`;
  const typed = { 'Content-Type': 'text/plain' };
  ok(await ask(node, me, `POST ${content}`, bytes, typed));
  const wanted = {
    cid: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
    content_type: 'text/plain',
    size: 3,
  };
  const { upload_url } = ok<{ upload_url: string }>(
    await ask(node, me, `POST /entities/${id}/content/upload-url`, wanted),
  );

  await rename(data, `${data}.away`);
  for (const [line, body] of [
    [`GET ${content}`],
    [`POST ${content}`, bytes],
    [`PUT ${new URL(upload_url).pathname}`, bytes],
    ['GET /node/export?format=car'],
    ['POST /node/import-car', bytes],
    ['GET /node/status'],
  ] as const) {
    const answer = await ask(node, me, line, body, body && typed);
    expect([line, answer.status]).toEqual([line, 503]);
    expect(answer.text).toContain('was moved away or replaced');
  }
  expect(existsSync(data)).toBe(false);
  // What is in its place says nothing of the node.
  await mkdir(data);
  expect((await ask(node, me, 'GET /node/status')).text).toContain('was moved away or replaced');
  await rmdir(data);
  // Of a disk that was unplugged the system says an error, as it does where a link leads to itself.
  await symlink(data, data);
  for (const line of ['GET /node/status', `GET ${content}`]) {
    const answer = await ask(node, me, line);
    expect([line, answer.status, answer.text]).toEqual([
      line,
      503,
      expect.stringContaining('The file system reported'),
    ]);
  }
  await unlink(data);

  await rename(`${data}.away`, data);
  expect((await ask(node, me, `GET ${content}`)).text).toBe(String(bytes));
  ok(await ask(node, me, 'GET /node/status'));
});
