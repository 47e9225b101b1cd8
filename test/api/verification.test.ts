import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnsweringServer, startAnsweringServer } from '../helpers/answering-server.ts';
import { ask, on, operator, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, invalid, ok, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { agentBody, kladosBody } from '../helpers/processors.ts';

const kinds = [
  { type: 'klados', path: '/kladoi', body: kladosBody },
  { type: 'agent', path: '/agents', body: agentBody },
] as const;
type Kind = (typeof kinds)[number];

let opened: AsyncDisposableStack;
let node: TestNode;
let admin: Person;
let ada: Person;
let home: Entity;
let worker: AnsweringServer;
const clock = { ms: Date.UTC(2026, 0, 1) };

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  node = opened.use(await startNode({ now: () => clock.ms }));
  worker = opened.use(await startAnsweringServer());
  [admin, ada] = [operator(node), await user(node, 'ada')];
  home = await collection(node, admin);
  await enrol(node, admin, home.id, ada, 'editor');
});
afterAll(() => opened.disposeAsync());

const register = async ({ path, body }: Kind, who = admin, more: object = {}): Promise<Entity> =>
  ok(await ask(node, who, `POST ${path}`, body(home.id, { endpoint: worker.url, ...more })));
const verify = ({ path }: Kind, id: string, body: object = {}, who = admin) =>
  ask(node, who, `POST ${path}/${id}/verify`, body);
const confirm = async (kind: Kind, id: string, who = admin) => {
  const answer = await verify(kind, id, { confirm: true }, who);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { verified: boolean; verified_at?: string; error?: string; message?: string };
};
/** Asks for a token, and serves what `served` makes of it. */
const challenged = async (
  kind: Kind,
  id: string,
  served: (right: { verification_token: string; [id: string]: string }) => ReturnType<AnsweringServer['answer']> = (
    right,
  ) => ({
    body: { ...right, timestamp: 5 },
  }),
  who = admin,
): Promise<string> => {
  const { verification_token } = ok<{ verification_token: string }>(await verify(kind, id, {}, who));
  worker.seen.length = 0;
  worker.answer = () => served({ verification_token, [`${kind.type}_id`]: id });
  return verification_token;
};

describe.each(kinds)('$type', (kind) => {
  it('is verified by serving the token, then activated; the token is used up', async () => {
    const { id, cid } = await register(kind);
    expect(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: cid, status: 'active' })).toMatchObject({
      status: 400,
      body: invalid(['status'], '`active` needs a verified endpoint: verify it first (POST .../verify)'),
    });
    const token = await challenged(kind, id);
    expect(await confirm(kind, id)).toEqual({ verified: true, verified_at: '2026-01-01T00:00:00.000Z' });
    expect(worker.seen).toMatchObject([{ method: 'GET', path: '/.well-known/arke-verification', body: '' }]);
    expect(Object.keys(worker.seen[0]?.headers ?? {}).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
    expect(worker.seen[0]?.headers['user-agent']).toBe('Arke/1.0');

    const verified = await read(node, admin, id);
    expect(verified).toMatchObject({
      ver: 2,
      properties: { status: 'development', endpoint_verified_at: '2026-01-01T00:00:00.000Z' },
      edited_by: { user_id: admin.id, method: 'manual' },
    });
    const body = { expect_tip: verified.cid, status: 'active' };
    expect(ok(await ask(node, admin, `PUT ${kind.path}/${id}`, body))).toMatchObject({
      properties: { status: 'active' },
    });
    expect(await confirm(kind, id)).toMatchObject({ verified: false, error: 'no_token' });
    expect(ok<{ verification_token: string }>(await verify(kind, id)).verification_token).not.toBe(token);
    expect(node.logged.join('')).not.toContain(token);
  });

  it('is verified by a file that begins with a byte order mark', async () => {
    const { id } = await register(kind);
    await challenged(kind, id, (right) => ({ body: `\ufeff${JSON.stringify(right)}` }));
    expect(await confirm(kind, id)).toMatchObject({ verified: true });
  });

  it('loses its verification with its endpoint, through every door', async () => {
    const { id } = await register(kind);
    await challenged(kind, id);
    await confirm(kind, id);
    const { cid } = await read(node, admin, id);
    const active = ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: cid, status: 'active' }));

    const endpoint = `${worker.url}/elsewhere`;
    const generic = await ask(node, admin, `PUT /entities/${id}`, { expect_tip: active.cid, properties: { endpoint } });
    expect(generic).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: ['status'] }, { path: ['endpoint_verified_at'] }].toReversed() } },
    });

    const moved = ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: active.cid, endpoint }));
    expect(moved.properties).toMatchObject({ endpoint, status: 'development' });
    expect(moved.properties).not.toHaveProperty('endpoint_verified_at');
    expect(node.ctx.processors.verification.reachOf(id, endpoint)).toBeNull();

    for (const properties of [{ status: 'active' }, { endpoint_verified_at: '2026-01-01T00:00:00.000Z' }]) {
      const answer = await ask(node, admin, `PUT /entities/${id}`, { expect_tip: moved.cid, properties });
      expect([400, 403], answer.text).toContain(answer.status);
    }
  });

  it('goes back to development, or stays disabled, with an endpoint that comes beside a status', async () => {
    const { id } = await register(kind);
    await challenged(kind, id);
    await confirm(kind, id);
    const put = async (body: object) =>
      ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: (await read(node, admin, id)).cid, ...body }));
    const { properties } = await put({ status: 'active' });
    // As a form sends it back: all that was read, with another endpoint.
    const { label, actions_required, status } = properties;
    const moved = await put({ label, actions_required, status, endpoint: `${worker.url}/moved` });
    expect(moved.properties).toMatchObject({ endpoint: `${worker.url}/moved`, status: 'development' });
    expect(moved.properties).not.toHaveProperty('endpoint_verified_at');
    const parked = await put({ endpoint: `${worker.url}/parked`, status: 'disabled' });
    expect(parked.properties).toMatchObject({ endpoint: `${worker.url}/parked`, status: 'disabled' });
    expect((await put({ endpoint: `${worker.url}/back` })).properties).toMatchObject({ status: 'development' });
    const odd = { expect_tip: moved.cid, endpoint: worker.url, status: 'asleep' };
    expect((await ask(node, admin, `PUT ${kind.path}/${id}`, odd)).status).toBe(400);
  });

  it('loses its verification beside a removal of any form', async () => {
    const properties = { notes: { a: { b: 1, c: 2 }, d: 3 }, others: { e: 4 } };
    const { id } = await register(kind, admin, { properties });
    await challenged(kind, id);
    await confirm(kind, id);
    const { cid } = await read(node, admin, id);
    const moved = ok(
      await ask(node, admin, `PUT ${kind.path}/${id}`, {
        ...{ expect_tip: cid, endpoint: `${worker.url}/elsewhere` },
        properties_remove: { notes: { a: ['b'], d: ['none'] }, absent: ['x'] },
        properties: { notes: { f: 5 } },
      }),
    );
    expect(moved.properties).toMatchObject({ endpoint: `${worker.url}/elsewhere`, others: { e: 4 } });
    expect(moved.properties.notes).toEqual({ a: { c: 2 }, d: 3, f: 5 });
    expect(moved.properties).not.toHaveProperty('endpoint_verified_at');
  });

  it('keeps its verification where the endpoint is said again', async () => {
    const { id } = await register(kind);
    await challenged(kind, id);
    await confirm(kind, id);
    const { cid } = await read(node, admin, id);
    const same = { expect_tip: cid, endpoint: worker.url, status: 'active' };
    expect(ok(await ask(node, admin, `PUT ${kind.path}/${id}`, same)).properties).toMatchObject({
      status: 'active',
      endpoint_verified_at: '2026-01-01T00:00:00.000Z',
    });
  });

  it.each([
    ['fetch_failed', () => ({ status: 500, body: 'broken' }), /answered 500/],
    ['fetch_failed', () => ({ status: 404 }), /answered 404/],
    ['fetch_failed', () => ({ status: 302, headers: { Location: '/x' } }), /redirected more than 3 times/],
    ['fetch_failed', () => ({ body: 'x'.repeat(70_000) }), /more than 65536 bytes/],
    ['invalid_response', () => ({ body: '<html>' }), /must answer JSON/],
    ['invalid_response', () => ({ body: 'null' }), /must answer JSON/],
    ['invalid_response', () => ({ body: '[]' }), /must answer JSON/],
    ['invalid_response', () => ({ body: { verification_token: 'x' } }), /must answer JSON/],
    [
      'invalid_response',
      () => ({ body: { verification_token: 5, klados_id: 'x', agent_id: 'x' } }),
      /must answer JSON/,
    ],
    ['token_mismatch', (right: object) => ({ body: { ...right, verification_token: 'vt_0' } }), /another token/],
    [
      'id_mismatch',
      (right: object) => ({ body: { ...right, klados_id: 'x', agent_id: 'x' } }),
      /another (agent|klados)_id/,
    ],
  ] as const)('%s: %#', async (code, served, message) => {
    const { id } = await register(kind);
    await challenged(kind, id, served);
    const expected = code === 'id_mismatch' ? `${kind.type}_id_mismatch` : code;
    const answer = await confirm(kind, id);
    expect(answer).toMatchObject({ verified: false, error: expected });
    expect(answer.message).toMatch(message);
    expect((await read(node, admin, id)).ver).toBe(1);
    // The token is still good for a better answer.
    worker.answer = () => undefined;
    await challenged(kind, id);
    expect(await confirm(kind, id)).toMatchObject({ verified: true });
  });

  it('has an hour for it', async () => {
    const { id } = await register(kind);
    await challenged(kind, id);
    clock.ms += 3_600_000;
    expect(await confirm(kind, id)).toMatchObject({ verified: false, error: 'token_expired' });
    await challenged(kind, id);
    expect(await confirm(kind, id)).toMatchObject({ verified: true });
    clock.ms = Date.UTC(2026, 0, 1);
  });

  it('is not verified for an endpoint that came after the token', async () => {
    const { id, cid } = await register(kind, admin, { endpoint: `${worker.url}/a` });
    await challenged(kind, id);
    ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: cid, endpoint: worker.url }));
    expect(await confirm(kind, id)).toMatchObject({ verified: false, error: 'no_token' });
    expect(worker.seen).toEqual([]);
  });

  it('is not verified for an endpoint that changes while it is asked', async () => {
    const { id, cid } = await register(kind);
    await challenged(kind, id, async (right) => {
      ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: cid, endpoint: 'https://other.test' }));
      return { body: right };
    });
    expect(await confirm(kind, id)).toMatchObject({ verified: false, error: 'no_token' });
    expect((await read(node, admin, id)).properties).not.toHaveProperty('endpoint_verified_at');
  });

  it('changes otherwise while it is asked, and is verified', async () => {
    const { id, cid } = await register(kind);
    await challenged(kind, id, async (right) => {
      ok(await ask(node, admin, `PUT ${kind.path}/${id}`, { expect_tip: cid, label: 'renamed' }));
      return { body: right };
    });
    expect(await confirm(kind, id)).toMatchObject({ verified: true });
    expect((await read(node, admin, id)).properties).toMatchObject({ label: 'renamed', status: 'development' });
  });

  it('has an endpoint with a path, with or without a slash at its end', async () => {
    for (const endpoint of [`${worker.url}/a/b`, `${worker.url}/a/b/`]) {
      const { id } = await register(kind, admin, { endpoint });
      await challenged(kind, id);
      expect(await confirm(kind, id)).toMatchObject({ verified: true });
      expect(worker.seen).toMatchObject([{ path: '/a/b/.well-known/arke-verification' }]);
    }
  });

  it('that is not the operator’s has no endpoint on this machine', async () => {
    const { id } = await register(kind, ada);
    await challenged(kind, id, undefined, ada);
    for (const who of [ada, admin]) {
      const answer = await confirm(kind, id, who);
      expect(answer).toMatchObject({ verified: false, error: 'fetch_failed' });
      expect(answer.message).toContain('ARCHEION_PRIVATE_ENDPOINTS');
    }
    expect(worker.seen).toEqual([]);
    const { verification } = node.ctx.processors;
    expect(verification.reachOf(id, worker.url)).toBeNull();
    const own = await register(kind);
    await challenged(kind, own.id);
    await confirm(kind, own.id);
    expect(verification.reachOf(own.id, worker.url)).toBe('anywhere');
    expect(verification.reachOf(own.id, 'http://127.0.0.1:1')).toBeNull();
  });

  it('on the test network', async () => {
    const tester = on('test', admin);
    const there = await collection(node, tester);
    const { id } = ok(await ask(node, tester, `POST ${kind.path}`, kind.body(there.id, { endpoint: worker.url })));
    await challenged(kind, id, undefined, tester);
    expect(await confirm(kind, id, tester)).toMatchObject({ verified: true });
  });
});

it('gives an endpoint ten seconds, and asks 32 at once', async () => {
  const [kind] = kinds;
  const made = await Promise.all(Array.from({ length: 33 }, () => register(kind)));
  for (const { id } of made) ok(await verify(kind, id));
  worker.seen.length = 0;
  worker.answer = () => undefined;
  const asked = made.map(({ id }) => verify(kind, id, { confirm: true }));
  const answers = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused).toMatchObject([{ headers: { 'retry-after': '5' }, body: { error: 'Service unavailable' } }]);
  expect(worker.seen).toHaveLength(32);
  for (const { status, body } of answers)
    if (status !== 503)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          verified: false,
          error: 'fetch_failed',
          message: `${worker.url}/.well-known/arke-verification: did not answer in full within 10 seconds.`,
        },
      });
}, 40_000);

it.each([
  ['everyone', true, true],
  ['nobody', false, false],
  ['operator', false, true],
])('ARCHEION_PRIVATE_ENDPOINTS=%s', async (setting, theirs, operators) => {
  await using other = await startNode({ env: { ARCHEION_PRIVATE_ENDPOINTS: setting } });
  const [boss, bob] = [operator(other), await user(other, 'bob')];
  for (const [who, expected] of [
    [bob, theirs],
    [boss, operators],
  ] as const) {
    const { id: own } = await collection(other, who);
    const { id } = ok(await ask(other, who, 'POST /kladoi', kladosBody(own, { endpoint: worker.url })));
    const { verification_token } = ok<{ verification_token: string }>(
      await ask(other, who, `POST /kladoi/${id}/verify`, {}),
    );
    worker.answer = () => ({ body: { verification_token, klados_id: id } });
    expect(ok(await ask(other, who, `POST /kladoi/${id}/verify`, { confirm: true }))).toMatchObject({
      verified: expected,
    });
  }
});

it('is for endpoints of services, not for commands of the node', async () => {
  const { id, cid } = ok(await ask(node, admin, 'POST /kladoi', kladosBody(home.id, { endpoint: 'exec:thumbnail' })));
  const message = 'a command of the node needs no verification: set `status` to `active`';
  for (const body of [{}, { confirm: true }])
    expect(await ask(node, admin, `POST /kladoi/${id}/verify`, body)).toMatchObject({
      status: 400,
      body: invalid(['endpoint'], message),
    });
  expect(ok(await ask(node, admin, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'active' }))).toMatchObject({
    properties: { status: 'active' },
  });
  const draft = ok(await ask(node, admin, 'POST /entities', { type: 'klados', collection: home.id }));
  expect(await ask(node, admin, `POST /kladoi/${draft.id}/verify`, {})).toMatchObject({ status: 400 });
  await update(node, admin, draft, { properties: { endpoint: worker.url } });
  expect(await ask(node, admin, `POST /kladoi/${draft.id}/verify`, {})).toMatchObject({ status: 200 });
});
