import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRemotes, readyUrl, sendArchive, signIn } from '../../src/main/node-client.ts';
import { operator } from '../helpers/callers.ts';
import { collection, create, read } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const token = 'T'.repeat(43);
describe('the shell and its node', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startNode();
    node.ctx.sessions.acceptToken(token);
  });
  afterEach(() => node[Symbol.asyncDispose]());

  test('the shell signs in with the run’s token, once, and reads how sync stands', async () => {
    const session = await signIn(node.url, token);
    expect(session.url).toBe(node.url);
    expect(session.cookie.name).toMatch(/^archeion_/);
    expect(await readRemotes(session)).toEqual([]);
    await expect(signIn(node.url, token)).rejects.toThrow('401');
    await expect(readRemotes({ ...session, cookie: { ...session.cookie, value: 'x' } })).rejects.toThrow('401');
  });

  test('the shell sees the remotes of both networks', async () => {
    await using origin = await startNode();
    const { status } = await node.fetch('/node/remotes', {
      method: 'POST',
      headers: operator(node).headers,
      body: { name: 'origin', url: origin.url },
    });
    expect(status).toBe(201);
    const [remote] = await readRemotes(await signIn(node.url, token));
    expect(remote).toMatchObject({
      name: 'origin',
      pending: 0,
      conflicts: 0,
      refused: 0,
      running: null,
      last_run: null,
    });
  });

  test('the shell imports an archive, and says why one is refused', async () => {
    await using other = await startNode();
    await using folder = await temporaryFolder();
    const them = operator(other);
    const home = await collection(other, them, { label: 'Letters' });
    const letter = await create(other, them, { collection: home.id, properties: { label: 'To Ada' } });
    const answer = await fetch(`${other.url}/node/export`, { headers: them.headers });
    const file = join(folder.path, 'letters.car');
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));

    const session = await signIn(node.url, token);
    const shares: number[] = [];
    const report = await sendArchive(session, file, (share) => void shares.push(share));
    expect(report).toMatchObject({ created: report?.entities, advanced: 0, forks: 0 });
    expect((await read(node, operator(node), letter.id)).properties).toEqual({ label: 'To Ada' });
    for (const share of shares) expect(share).toBeLessThanOrEqual(1);
    expect(await sendArchive(session, file, () => undefined)).toMatchObject({
      created: 0,
      unchanged: report?.entities,
    });

    writeFileSync(file, 'no archive');
    await expect(sendArchive(session, file, () => undefined)).rejects.toThrow(/\w/);
    await expect(sendArchive({ ...session, url: 'http://127.0.0.1:9' }, file, () => undefined)).rejects.toThrow();
  });
});

describe('the ready line', () => {
  test('gives the address of the node', () => {
    expect(readyUrl('{"ready":{"url":"http://127.0.0.1:4747"}}')).toBe('http://127.0.0.1:4747');
  });

  test.each([
    '',
    'ready',
    'null',
    '[]',
    '{"ready":true}',
    '{"ready":{"url":7}}',
    '{"ready":{"url":"127.0.0.1"}}',
    '{"ready":{"url":"http://127.0.0.1:4747"}',
  ])('is not %j', (line) => {
    expect(readyUrl(line)).toBeNull();
  });
});
