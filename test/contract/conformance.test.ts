import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRegistered } from '../../src/server/model/caller.ts';
import { ask, impostor, type Person } from '../helpers/callers.ts';
import { unauthorized } from '../helpers/entities.ts';
import { rows } from './all-rows.ts';
import { misfits, operations } from './document.ts';
import { nameless, promised } from './endpoints.ts';
import { type Call, type Case, expected, type Row, type Scene } from './row.ts';
import { searchRows } from './rows/search.ts';
import { openScene } from './scene.ts';

let scene: Scene & AsyncDisposable;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** They take a body, and write nothing. */
const reads = [
  'POST /entities/batch-get',
  'POST /graph/paths',
  'POST /graph/reachable',
  'POST /mcp',
  'POST /query',
  ...searchRows.map(({ route }) => route),
];
const methodOf = ({ route }: Row): string => route.split(' ')[0] ?? '';

function send(row: Row, call: Call, who: Person) {
  return ask(scene.node, who, `${methodOf(row)} ${call.path}`, call.body, call.headers);
}

async function provoke(row: Row, one: Case): Promise<void> {
  const call = await one.call(scene);
  const answer = await send(row, call, call.as ?? scene.owner);
  expect(answer.status, answer.text).toBe(one.status);
  expect(misfits(row.route, answer.status, answer.body), `${answer.text}\nby the OpenAPI document`).toEqual([]);
  const body = expected(one, call, scene);
  if (one.status >= 400) expect(answer.body).toEqual(body);
  else if (body !== undefined) expect(answer.body).toMatchObject(body);
  await one.also?.(answer, call, scene);
}

describe('the table', () => {
  it('has one row for every route, and no other', () => {
    const routes = [...operations.keys()].filter((route) => !route.includes(' /node/'));
    expect(rows.map((row) => row.route).sort()).toEqual(routes.sort());
  });

  const rowed = new Set(rows.map((row) => nameless(row.route)));
  it('has a row for every endpoint that is promised (endpoints.ts)', () => {
    expect(promised.filter((one) => !rowed.has(nameless(one)))).toEqual([]);
    expect(new Set(promised).size).toBe(promised.length);
  });

  it("knows every endpoint of the node itself as the operator's, but for some that are for everyone", () => {
    const open = [...operations].filter(([route, { security }]) => route.includes(' /node/') && !security?.length);
    const session = ['DELETE /node/session', 'POST /node/session'];
    const attestations = ['consistency', 'head', 'proof'].map((name) => `GET /node/attestations/${name}`);
    // Whoever has the token has been let in before.
    const transfers = ['GET /node/downloads/{token}', 'GET /node/uploads/{token}', 'PUT /node/uploads/{token}'];
    // What other nodes read, as they read /events and versions.
    const peers = [
      'GET /node/events/stream',
      'GET /node/sync/entities',
      'POST /node/sync/blocks',
      'POST /node/sync/tips',
    ];
    expect(open.map(([route]) => route).sort()).toEqual([...session, ...attestations, ...transfers, ...peers].sort());
  });

  it.each(rows)('documents who may call: $route', ({ route, auth }) => {
    const security = operations.get(route)?.security ?? [];
    const needed = {
      none: [],
      optional: [],
      required: ['bearerAuth', 'apiKeyAuth'],
      'jwt-only': ['bearerAuth'],
      secret: ['alphaSecret'],
    };
    expect(security.flatMap((one) => Object.keys(one))).toEqual(needed[auth]);
  });

  it.each(rows)('documents that a write may meet a busy node or a full disk: $route', (row) => {
    const documented = Object.keys(operations.get(row.route)?.responses ?? {});
    const writes = methodOf(row) !== 'GET' && !reads.includes(row.route);
    expect(['503', '507'].every((status) => documented.includes(status))).toBe(writes);
  });

  it('documents that a read may have to wait, and for how long, but where it is answered from memory', () => {
    const waits = [...operations].filter(([, { responses }]) => responses['503']?.headers?.['Retry-After']);
    const others = [...operations.keys()].filter((route) => !waits.some(([one]) => one === route));
    expect(others.sort()).toEqual([
      'GET /.well-known/archeion',
      'GET /.well-known/signing-key',
      'GET /health',
      'GET /openapi.json',
      'GET /ops-reference',
      'GET /permissions',
    ]);
  });

  it.each(rows)('documents what the wire contract lists: $route', ({ route, wire }) => {
    const documented = Object.keys(operations.get(route)?.responses ?? {});
    expect(documented).toEqual(expect.arrayContaining(wire.split(' ')));
  });

  it.each(rows)('provokes every documented answer: $route', ({ route, auth, cases }) => {
    const byAuth: Record<Row['auth'], string[]> = {
      none: ['401', '403'],
      optional: ['401', '403'],
      required: ['401', '403'],
      'jwt-only': [],
      secret: [],
    };
    const byEdge = takesJson(route) ? ['413', '415'] : [];
    const provoked = new Set([...cases.map((one) => String(one.status)), ...byAuth[auth], ...byEdge]);
    const documented = Object.keys(operations.get(route)?.responses ?? {}).filter((status) => status < '500');
    expect(documented.filter((status) => !provoked.has(status))).toEqual([]);
  });
});

function takesJson(route: string): boolean {
  return operations.get(route)?.requestBody?.content['application/json'] !== undefined;
}

describe.each(rows.filter(({ route }) => takesJson(route)))('the body of $route', (row) => {
  it.each([
    [413, 'too large', { 'Content-Length': String(32 * 1024 * 1024 + 1) }],
    [415, 'in another charset', { 'Content-Type': 'application/json; charset=latin1' }],
    [415, 'in another encoding', { 'Content-Encoding': 'zip' }],
  ])('%i: %s', async (status, _name, headers) => {
    const call = await row.cases[0].call(scene);
    const answer = await send(row, { ...call, headers: { ...call.headers, ...headers } }, call.as ?? scene.owner);
    expect(answer.status, answer.text).toBe(status);
    expect(misfits(row.route, status, answer.body)).toEqual([]);
  });
});

describe.each(rows)('$route', (row) => {
  it.each(row.cases)('$status: $name', (one) => provoke(row, one));

  it(`takes callers as it says: ${row.auth}`, async () => {
    if (row.auth === 'jwt-only' || row.auth === 'secret') return;
    const [success] = row.cases;
    const first = async (who: Person) => send(row, await success.call(scene), who);
    const refused = async (who: Person, status: number, body: object) => {
      const answer = await first(who);
      expect([answer.status, answer.body]).toEqual([status, body]);
    };
    if (row.auth === 'required') await refused(scene.anonymous, 401, unauthorized);
    else expect((await first(scene.anonymous)).status).toBe(success.status);
    if (!isOpen(row)) await refused(impostor, 401, unauthorized);
    if (row.auth === 'none') expect((await first(scene.unregistered)).status).toBe(success.status);
    else await refused(scene.unregistered, 403, { error: notRegistered });
  });
});

/** What every node answers whatever the credentials. */
function isOpen({ route }: Row): boolean {
  const open = ['GET /health', 'GET /openapi.json', 'GET /ops-reference'];
  return open.includes(route) || route.startsWith('GET /.well-known/');
}
