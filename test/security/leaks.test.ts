import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { ask, jwtOf, jwtSecret, operator, user } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { type Answer, send, startNode, temporaryFolder } from '../helpers/node.ts';
import { leaks, leaksIn, noteSaid, spoken } from '../helpers/spoken.ts';

// Keys, tokens, sessions and secrets stand in no log, no error and no file. test/helpers/leak-watch.ts looks at what the nodes
// of every test file have said; here is what that does not see: whether it works, a whole process, and what lies on disk.

const sealKey = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';

test('a credential that is said is found', () => {
  expect(
    leaksIn(['all is well', 'key uk_0123456789abcdef0123456789abcdef!'], ['uk_0123456789abcdef0123456789abcdef']),
  ).toEqual([{ credential: 'uk_0123456789abcdef0123456789abcdef', text: 'key uk_0123456789abcdef0123456789abcdef!' }]);
  expect(leaksIn(['all is well'], ['uk_0123456789abcdef0123456789abcdef'])).toEqual([]);
});

test('the watch sees what is shown to nodes and what they say', async () => {
  const before = spoken();
  await using node = await startNode({ env: { ARCHEION_JWT_SECRET: jwtSecret } });
  expect((await ask(node, await user(node, 'ada'), 'GET /users/me')).status).toBe(200);
  expect((await ask(node, await jwtOf('bob', Date.now()), 'GET /users/me')).status).toBe(403);
  const after = spoken();
  // The operator's key, the secret, a key and a token; a log, and an error.
  expect(after.credentials - before.credentials).toBe(4);
  expect(after.texts).toBeGreaterThan(before.texts);
  noteSaid('nothing of it');
  expect(leaks()).toEqual([]);
});

interface Issued {
  secrets: string[];
  answers: Answer[];
}

/** Uses credentials of every kind at a node, rightly and wrongly. */
async function useAll(url: string, key: string): Promise<Issued> {
  const as = (authorization: string) => ({ Authorization: authorization });
  const owner = as(`ApiKey ${key}`);
  const post = (path: string, body: unknown, headers: Record<string, string> = owner) =>
    send(url, path, { method: 'POST', headers, body });
  const { key: second } = ok<{ key: string }>(await post('/users/me/keys', { label: 'a second' }));
  const { key: node } = ok<{ key: string }>(await post('/node/keys', { label: 'a program' }));
  const token = (await jwtOf('ada', Date.now())).headers.Authorization?.replace('Bearer ', '') ?? '';
  const forged = `${token.slice(0, -8)}AAAAAAAA`;
  const unknown = `uk_${'abcdef0123456789'.repeat(2)}`;
  const remote = `uk_${'fedcba9876543210'.repeat(2)}`;
  const link = ok<{ url: string }>(await post('/node/session-links', {}));
  const secret = new URL(link.url).hash.slice('#token='.length);
  const opened = await post('/node/session', { token: secret }, { Origin: url });
  const [, session = ''] = /=([^;]{20,})/.exec(opened.headers['set-cookie']?.[0] ?? '') ?? [];
  const answers = [
    await post('/collections', { label: 5 }, as(`ApiKey ${second}`)),
    await post('/collections', '{', as(`ApiKey ${node}`)),
    await post('/collections', { label: 'x' }, as(`ApiKey ${unknown}`)),
    await post('/collections', { label: 'x' }, as(`Bearer ${token}`)),
    await post('/collections', { label: 'x' }, as(`Bearer ${forged}`)),
    await post('/collections', { label: 'x' }, { Cookie: `archeion_x=${session}` }),
    await post('/node/session', { token: secret }, { Origin: url }),
    await post('/node/remotes', { name: 'away', url: 'http://127.0.0.1:9', key: remote, direction: 'both' }),
    await post('/node/remotes', { name: 'a b', url: `http://user:${remote}@127.0.0.1:9`, key: remote }),
    await post('/alpha/invite', { email: 'a@x.test' }, { 'X-Alpha-Secret': `not ${'a secret '.repeat(4)}` }),
    await send(url, `/users/me/keys/${second}`, { method: 'DELETE', headers: owner }),
    await send(url, `/auth/whoami?access_token=${token}`, { headers: as(token) }),
  ];
  return { secrets: [key, second, node, token, forged, unknown, remote, secret, session], answers };
}

test('a process that logs all it can, and its errors, name no secret', { timeout: 60_000 }, async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const cli = resolve(import.meta.dirname, '../../out/main/cli.js');
  const alpha = 'the secret of invites, which is long';
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data', data], {
    env: {
      ...process.env,
      ...{ ARCHEION_LOG_LEVEL: 'trace', ARCHEION_JWT_SECRET: jwtSecret, ARCHEION_ALPHA_SECRET: alpha },
      ...{
        ARCHEION_SEAL_KEY: sealKey,
        ARCHEION_CHAT_URL: 'http://127.0.0.1:9/v1',
        ARCHEION_CHAT_KEY: 'chat-key-0123456789abcdef',
      },
      ARCHEION_CHAT_MODEL: 'none',
    },
  });
  const closed = once(child, 'close');
  const out: string[] = [];
  const err: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line));
  const url = await new Promise<string>((done, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      out.push(line);
      const found = readyUrl(line);
      if (found) done(found);
    });
    void closed.then(() => failed(new Error(err.join('\n'))));
  });
  const { secrets, answers } = await useAll(url, readFileSync(join(data, 'operator.key'), 'utf8').trim());
  await send(url, '/chat', {
    method: 'POST',
    headers: { Authorization: `ApiKey ${secrets[0]}` },
    body: { messages: [{ id: 'm', role: 'user', content: 'hello' }] },
  });
  child.kill('SIGTERM');
  await closed;

  expect(answers.map(({ status }) => status)).not.toContain(500);
  expect(err.filter((line) => line.startsWith('{')).length).toBeGreaterThan(0);
  const all = [...secrets, jwtSecret, alpha, sealKey, 'chat-key-0123456789abcdef'];
  expect(all.filter((one) => one.length < 20)).toEqual([]);
  expect(leaksIn([...out, ...err], all)).toEqual([]);
  expect(
    leaksIn(
      answers.map(({ text }) => text),
      all,
    ),
  ).toEqual([]);

  // What is kept can be checked against a key and does not give it: only the operator's own key has a file, for its owner alone.
  const held = filesBelow(data).filter((path) => !path.endsWith('operator.key'));
  expect(held.length).toBeGreaterThan(3);
  for (const path of held) {
    const bytes = readFileSync(path);
    expect(
      all.filter((one) => bytes.includes(one)),
      path,
    ).toEqual([]);
  }
});

test('a node that is refused by a remote tells the reason, and not the key', async () => {
  await using peer = await startNode();
  await using node = await startNode({ env: { ARCHEION_SEAL_KEY: sealKey } });
  const key = `uk_${'0f1e2d3c4b5a6978'.repeat(2)}`;
  const answer = await ask(node, operator(node), 'POST /node/remotes', {
    name: 'peer',
    url: peer.url,
    key,
    direction: 'both',
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(leaksIn([answer.text, ...node.logged, ...peer.logged], [key])).toEqual([]);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
}
