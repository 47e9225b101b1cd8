import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Ask, startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const hour = 60 * 60_000;
const clock = { ms: 0 };
let node: TestNode;
let key: string;

beforeEach(async () => {
  clock.ms = Date.UTC(2026, 0, 1);
  node = await startNode({ now: () => clock.ms });
  key = `ApiKey ${node.ctx.identity.ensureOperator().key}`;
});
afterEach(() => node[Symbol.asyncDispose]());

async function link(headers: Record<string, string> = { Authorization: key }): Promise<Answer> {
  return await node.fetch('/node/session-links', { method: 'POST', headers });
}

async function newToken(): Promise<string> {
  const { url } = (await link()).body as { url: string };
  return new URL(url).hash.replace('#token=', '');
}

/** What the page does: a request of its own origin. */
function fromPage(path: string, { headers, ...ask }: Ask = {}): Promise<Answer> {
  return node.fetch(path, { ...ask, headers: { Origin: node.url, ...headers } });
}

function exchange(token: string, headers: Record<string, string> = {}): Promise<Answer> {
  return fromPage('/node/session', { method: 'POST', headers, body: { token } });
}

/** The Cookie header that a browser would send after an answer. */
function cookieOf(answer: Answer): string {
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function signIn(): Promise<{ Cookie: string }> {
  const answer = await exchange(await newToken());
  expect(answer.status).toBe(200);
  return { Cookie: cookieOf(answer) };
}

describe('a link', () => {
  test('leads to the page, with a token of 256 bits where only the page sees it', async () => {
    const { status, headers, body } = await link();
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#token=[\w-]{43}$/),
      expires_at: '2026-01-01T00:05:00.000Z',
    });
    expect((body as { url: string }).url.startsWith(`${node.url}/ui/`)).toBe(true);
    expect(((await link()).body as { url: string }).url).not.toBe((body as { url: string }).url);
  });

  test('names the address under which others reach the node, where there is one', async () => {
    await using proxied = await startNode({ env: { ARCHEION_PUBLIC_URL: 'https://node.example/a/' } });
    const headers = { Authorization: `ApiKey ${proxied.ctx.identity.ensureOperator().key}` };
    const { body } = await proxied.fetch('/node/session-links', { method: 'POST', headers });
    expect(body).toMatchObject({ url: expect.stringMatching(/^https:\/\/node\.example\/a\/ui\/#token=/) });
    const addressAt = async (host: string) =>
      (await proxied.fetch('/node/status', { headers: { ...headers, Host: host } })).body;
    expect(await addressAt('Node.example')).toMatchObject({ url: 'https://node.example/a' });
    const { host } = new URL(proxied.url);
    expect(await addressAt(host)).toMatchObject({ url: `http://${host}` });
  });

  test('works once', async () => {
    const token = await newToken();
    expect((await exchange(token)).status).toBe(200);
    const again = await exchange(token);
    expect(again).toMatchObject({ status: 401, headers: { 'cache-control': 'no-store' } });
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('works once of many that try at once', async () => {
    const token = await newToken();
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)]);
  });

  test('works for five minutes', async () => {
    const [first, second] = [await newToken(), await newToken()];
    clock.ms += 5 * 60_000 - 1;
    expect((await exchange(first)).status).toBe(200);
    clock.ms += 1;
    expect((await exchange(second)).status).toBe(401);
  });

  test('makes room for newer ones', async () => {
    const first = await newToken();
    const second = await newToken();
    for (let i = 0; i < 31; i++) await link();
    expect((await exchange(first)).status).toBe(401);
    expect((await exchange(second)).status).toBe(200);
  });

  test('is exchanged by the page only', async () => {
    const token = await newToken();
    const method = 'POST';
    expect((await node.fetch('/node/session', { method, body: { token } })).status).toBe(403);
    for (const Origin of ['https://evil.example', 'http://127.0.0.1:1', 'null'])
      expect((await node.fetch('/node/session', { method, headers: { Origin }, body: { token } })).status).toBe(403);
    expect((await exchange(token)).status).toBe(200);
  });

  test('has no other form, and its token is not told or logged', async () => {
    for (const token of ['', 'x', 'A'.repeat(43), 'é'.repeat(43)]) expect((await exchange(token)).status).toBe(401);
    for (const token of [null, 1, {}, [], 'A'.repeat(65)])
      expect((await fromPage('/node/session', { method: 'POST', body: { token } })).status).toBe(400);
    const token = await newToken();
    const [first, second] = [await exchange(token), await exchange(token)];
    expect(first.text + second.text + node.logged.join()).not.toContain(token);
    expect(node.logged.join()).not.toContain(cookieOf(first).split('=')[1]);
  });
});

describe('the cookie', () => {
  test('is for this host, this site, and no script', async () => {
    const answer = await exchange(await newToken());
    const cookie = answer.headers['set-cookie'] ?? [];
    expect(cookie).toEqual([
      expect.stringMatching(/^archeion_[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.body).toEqual({ expires_at: '2026-01-01T12:00:00.000Z' });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('is sent over TLS only where the page came so', async () => {
    await using proxied = await startNode({ env: { ARCHEION_ALLOWED_HOSTS: 'node.example' } });
    const { url } = proxied.ctx.sessions.issueLink('https://node.example');
    const { status, headers } = await proxied.fetch('/node/session', {
      method: 'POST',
      headers: { Host: 'node.example', Origin: 'https://node.example' },
      body: { token: new URL(url).hash.replace('#token=', '') },
    });
    expect([status, headers['set-cookie']]).toEqual([200, [expect.stringMatching(/; SameSite=Strict; Secure$/)]]);
  });

  test('is the operator, on either network', async () => {
    const cookie = await signIn();
    const { account } = node.ctx.identity.ensureOperator();
    expect(await node.fetch('/auth/whoami', { headers: cookie })).toMatchObject({
      status: 200,
      body: { type: 'user', id: account.id, auth_method: 'session' },
    });
    expect(await node.fetch('/users/me', { headers: cookie })).toMatchObject({ status: 200, body: { id: account.id } });
    const onTest = await node.fetch('/auth/whoami', { headers: { ...cookie, 'X-Arke-Network': 'test' } });
    expect(onTest.body).toMatchObject({ id: `II${account.id.slice(2)}` });
    const among = `theme=dark; other="a=b"; ${cookie.Cookie}; last`;
    expect((await node.fetch('/users/me', { headers: { Cookie: among } })).status).toBe(200);
  });

  test('writes from the page only', async () => {
    const cookie = await signIn();
    const post = (headers: Record<string, string>) =>
      node.fetch('/collections', { method: 'POST', headers: { ...cookie, ...headers }, body: { label: 'Letters' } });
    expect(await post({})).toMatchObject({
      status: 403,
      body: { error: 'Forbidden: writes with the session of the page need its Origin header' },
    });
    // Another port of this host is the same site: browsers send it the cookie.
    for (const Origin of ['https://evil.example', 'http://127.0.0.1:1', 'null', ''])
      expect((await post({ Origin })).status, Origin).toBe(403);
    expect((await post({ Origin: node.url })).status).toBe(201);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await node.fetch('/users/me', { method, headers: cookie })).status, method).toBe(403);
    expect((await link(cookie)).status).toBe(403);
    expect((await link({ ...cookie, Origin: node.url })).status).toBe(201);
  });

  test('changes nothing where there is a key', async () => {
    const cookie = await signIn();
    const body = { label: 'By key' };
    const good = await node.fetch('/collections', { method: 'POST', headers: { Authorization: key }, body });
    expect(good.status).toBe(201);
    const both = { ...cookie, Authorization: key };
    expect((await node.fetch('/collections', { method: 'POST', headers: both, body })).status).toBe(201);
    const name = cookie.Cookie.split('=')[0];
    const stale = { Cookie: `${name}=${'A'.repeat(43)}`, Authorization: key };
    expect((await node.fetch('/auth/whoami', { headers: stale })).body).toMatchObject({ auth_method: 'api_key' });
    const wrongKey = { ...cookie, Authorization: `ApiKey uk_${'0'.repeat(32)}` };
    expect((await node.fetch('/auth/whoami', { headers: wrongKey })).status).toBe(401);
  });

  test('that is no good is 401, but not for what needs no credentials', async () => {
    const name = (await signIn()).Cookie.split('=')[0];
    for (const value of ['', 'x', 'A'.repeat(43), '%00', 'A'.repeat(4000)]) {
      const headers = { Cookie: `${name}=${value}` };
      expect((await node.fetch('/users/me', { headers })).status, value).toBe(401);
      expect((await node.fetch('/permissions', { headers })).status, value).toBe(401);
      for (const path of ['/health', '/openapi.json', '/.well-known/archeion', '/docs'])
        expect((await node.fetch(path, { headers })).status, path).toBe(200);
      // Otherwise nobody could sign in again.
      expect((await exchange(await newToken(), headers)).status).toBe(200);
    }
    const others = { Cookie: 'archeion_000000000000=x; session=y; =; ;' };
    expect((await node.fetch('/permissions', { headers: others })).status).toBe(200);
  });
});

describe('a session', () => {
  test('ends twelve hours after its last use', async () => {
    const headers = await signIn();
    for (let i = 0; i < 3; i++) {
      clock.ms += 12 * hour - 1;
      expect((await node.fetch('/users/me', { headers })).status).toBe(200);
    }
    clock.ms += 12 * hour;
    expect((await node.fetch('/users/me', { headers })).status).toBe(401);
  });

  test('ends after thirty days however much it is used', async () => {
    const headers = await signIn();
    for (let i = 0; i < 71; i++) {
      clock.ms += 10 * hour;
      expect((await node.fetch('/users/me', { headers })).status).toBe(200);
    }
    clock.ms += 10 * hour;
    expect((await node.fetch('/users/me', { headers })).status).toBe(401);
  });

  test('ends when the page says so, and only that one', async () => {
    const [headers, other] = [await signIn(), await signIn()];
    const out = { method: 'DELETE', headers };
    expect((await node.fetch('/node/session', out)).status).toBe(403);
    const answer = await fromPage('/node/session', out);
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^archeion_[0-9a-f]{12}=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/),
    ]);
    expect((await node.fetch('/users/me', { headers })).status).toBe(401);
    expect((await node.fetch('/users/me', { headers: other })).status).toBe(200);
    expect((await fromPage('/node/session', out)).status).toBe(204);
  });

  test('takes the place of the one that the browser had', async () => {
    const old = await signIn();
    expect((await exchange(await newToken(), old)).status).toBe(200);
    expect((await node.fetch('/users/me', { headers: old })).status).toBe(401);
  });

  test('makes room for others when it is the one not used for longest', async () => {
    const [first, second] = [await signIn(), await signIn()];
    for (let i = 0; i < 62; i++) await signIn();
    expect((await node.fetch('/users/me', { headers: first })).status).toBe(200);
    await signIn();
    expect((await node.fetch('/users/me', { headers: first })).status).toBe(200);
    expect((await node.fetch('/users/me', { headers: second })).status).toBe(401);
  });

  test('ends with the process', async () => {
    await using folder = await temporaryFolder();
    const start = () => startNode({ data: folder.path, now: () => clock.ms });
    const open = async (on: TestNode) => {
      const token = new URL(on.ctx.sessions.issueLink(on.url).url).hash.replace('#token=', '');
      return await on.fetch('/node/session', { method: 'POST', headers: { Origin: on.url }, body: { token } });
    };
    const first = await start();
    const Cookie = cookieOf(await open(first));
    expect((await first.fetch('/users/me', { headers: { Cookie } })).status).toBe(200);
    await first[Symbol.asyncDispose]();
    await using again = await start();
    expect(cookieOf(await open(again)).split('=')[0]).toBe(Cookie.split('=')[0]);
    expect((await again.fetch('/users/me', { headers: { Cookie } })).status).toBe(401);
  });
});
