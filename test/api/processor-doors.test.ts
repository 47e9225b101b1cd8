import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, read, remove } from '../helpers/entities.ts';
import { importer, ndjson } from '../helpers/imports.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';
import { agentBody, klados, kladosBody, rhiza, rhizaBody } from '../helpers/processors.ts';

// What the endpoints of processors refuse is refused through every other door, whoever knocks.

let node: TestNode;
let ada: Person;
let bob: Person;
let admin: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  [ada, bob, admin] = [await user(node, 'ada'), await user(node, 'bob'), operator(node)];
  home = await collection(node, ada);
  await enrol(node, ada, home.id, bob, 'owner');
});
afterAll(() => node[Symbol.asyncDispose]());

const properties = (body: object): object => {
  const { collection: _, ...rest } = body as { collection: string };
  return rest;
};
const ofKlados = (more: object = {}) => ({ ...properties(kladosBody('')), status: 'development', ...more });
const verified = { endpoint_verified_at: '2026-01-01T00:00:00.000Z' };
const refusal = ({ status, body }: Answer) => {
  const { error, details } = body as { error: string; details?: { issues?: { path: unknown[] }[] } };
  return status === 403 ? error : `${status} ${details?.issues?.[0]?.path.join('.')}`;
};
const forged = 'Action not allowed: klados:manage';
const byNobody = 'Forbidden: endpoint_verified_at is set by verification only';

/** What nobody may make of a processor, and how it is refused. */
const claims: [name: string, type: string, properties: object, refusal: string][] = [
  ['active at once', 'klados', ofKlados({ status: 'active' }), '400 status'],
  ['verified at once', 'klados', ofKlados(verified), forged],
  ['active and verified', 'klados', ofKlados({ ...verified, status: 'active' }), forged],
  ['of an unknown status', 'klados', ofKlados({ status: 'asleep' }), '400 status'],
  ['with a command of the node', 'klados', ofKlados({ endpoint: 'exec:thumbnail' }), '400 endpoint'],
  ['with an endpoint that is none', 'klados', ofKlados({ endpoint: 'javascript:alert(1)' }), '400 endpoint'],
  ['with a password in its endpoint', 'klados', ofKlados({ endpoint: 'https://a:b@c.test' }), '400 endpoint'],
  ['with actions that are none', 'klados', ofKlados({ actions_required: ['collection:*'] }), '400 actions_required.0'],
  ['with a schema that is none', 'klados', ofKlados({ input_schema: { type: 'x' } }), '400 input_schema.type'],
  ['an agent, active', 'agent', { ...properties(agentBody('')), status: 'active' }, '400 status'],
  ['a rhiza, active', 'rhiza', { ...properties(rhizaBody('')), status: 'active' }, '400 status'],
  ['a rhiza without end', 'rhiza', { entry: 'a', flow: { a: { klados: { id: 'x' }, then: {} } } }, '400 flow.a.klados'],
];

describe.each(claims)('%s', (_, type, claimed, expected) => {
  const item = () => ({ type, collection: home.id, properties: claimed });

  it('by POST /entities', async () => {
    expect(refusal(await ask(node, ada, 'POST /entities', item()))).toBe(expected);
  });

  it('by POST /entities/batch', async () => {
    const answer = await ask(node, ada, 'POST /entities/batch', { entities: [item()] });
    expect(answer.body).toMatchObject({ summary: { succeeded: 0, failed: 1 } });
  });

  it('by PUT /entities', async () => {
    const draft = await create(node, ada, { type, collection: home.id });
    const answer = await ask(node, ada, `PUT /entities/${draft.id}`, { expect_tip: draft.cid, properties: claimed });
    // Whoever made it may manage it, but verify it only by having it asked.
    if (type === 'rhiza' && expected === '400 status') ok(answer);
    else expect(refusal(answer)).toBe(expected === forged ? byNobody : expected);
  });

  it('by POST /updates/additive', async () => {
    const draft = await create(node, ada, { type, collection: home.id });
    const updates = [{ entity_id: draft.id, properties: claimed }];
    const answer = await ask(node, ada, 'POST /updates/additive', { updates });
    if (type === 'rhiza' && expected === '400 status') return;
    const { failed } = (answer.body ?? {}) as { failed?: unknown[] };
    expect(answer.status === 403 || failed?.length === 1, answer.text).toBe(true);
    expect((await read(node, ada, draft.id)).ver).toBe(1);
  });

  it('by an import', async () => {
    const fields = { id: 1, ...claimed };
    const report = await importer(node).run({ collection: 'Imported', type }, { 'a.ndjson': ndjson([fields]) });
    expect(report).toMatchObject({ created: 0, refused: 1 });
  });
});

it('a restore brings back only what was there', async () => {
  const made = await klados(node, ada, home.id);
  const grave = await remove(node, ada, made);
  const back = ok(await ask(node, ada, `POST /entities/${made.id}/restore`, { expect_tip: grave.cid }));
  expect(back.properties).toMatchObject({ status: 'development' });
});

it('neither keys nor tokens stand in what is read', async () => {
  const made = await klados(node, ada, home.id);
  ok(await ask(node, ada, `POST /kladoi/${made.id}/keys`, {}));
  ok(await ask(node, ada, `POST /kladoi/${made.id}/verify`, {}));
  const { text } = await ask(node, ada, `GET /entities/${made.id}`);
  expect(text).not.toMatch(/vt_|ak_/);
});

it('a rhiza loses its flow and gets another by two requests, as public clients do', async () => {
  const made = await rhiza(node, ada, home.id);
  const emptied = ok(
    await ask(node, ada, `PUT /entities/${made.id}`, { expect_tip: made.cid, properties_remove: ['flow'] }),
  );
  expect(emptied.properties).not.toHaveProperty('flow');
  const { flow } = rhizaBody('');
  const filled = await ask(node, ada, `PUT /rhizai/${made.id}`, { expect_tip: emptied.cid, flow });
  expect(ok(filled).properties).toMatchObject({ flow });
});

it('members that are given replace what stands there, whole, whatever else the body takes away', async () => {
  const made = await klados(node, ada, home.id, {
    input_schema: { type: 'object', properties: { a: {} } },
    properties: { deep: { x: 1, y: 2 }, flat: 3 },
  });
  const listed = ok(
    await ask(node, ada, `PUT /kladoi/${made.id}`, {
      expect_tip: made.cid,
      input_schema: { required: ['b'] },
      properties_remove: ['flat'],
    }),
  );
  expect(listed.properties).toMatchObject({ input_schema: { required: ['b'] }, deep: { x: 1, y: 2 } });
  expect(listed.properties).not.toHaveProperty('flat');
  const nested = ok(
    await ask(node, ada, `PUT /kladoi/${made.id}`, {
      expect_tip: listed.cid,
      input_schema: { type: 'object' },
      properties_remove: { deep: ['x'] },
    }),
  );
  expect(nested.properties.input_schema).toEqual({ type: 'object' });
  expect(nested.properties.deep).toEqual({ y: 2 });
});

it.each([
  ['/agents', agentBody],
  ['/kladoi', kladosBody],
  ['/rhizai', rhizaBody],
])('%s say how to add more targets than they look at: they have no parameter for that', async (path, bodyOf) => {
  const targets = Array.from({ length: 501 }, (_, n) => ({
    predicate: 'knows',
    peer: `01J${`${n}`.padStart(23, '0')}`,
  }));
  const message = 'has more than 500 different targets; add them by several requests';
  const made = ok(await ask(node, ada, `POST ${path}`, bodyOf(home.id)));
  const post = await ask(node, ada, `POST ${path}`, bodyOf(home.id, { relationships: targets }));
  expect(post).toMatchObject({ status: 400, body: invalid(['relationships'], message) });
  const change = { expect_tip: made.cid, relationships_add: targets };
  const put = await ask(node, ada, `PUT ${path}/${made.id}`, change);
  expect(put).toMatchObject({ status: 400, body: invalid(['relationships_add'], message) });
});

it('the operator’s command is nobody else’s to take up', async () => {
  const office = await collection(node, admin);
  await enrol(node, admin, office.id, bob, 'owner');
  const made = ok(await ask(node, admin, 'POST /kladoi', kladosBody(office.id, { endpoint: 'exec:thumbnail' })));
  expect(refusal(await ask(node, bob, `PUT /kladoi/${made.id}`, { expect_tip: made.cid, status: 'active' }))).toBe(
    '400 status',
  );
  expect(
    refusal(await ask(node, bob, `PUT /kladoi/${made.id}`, { expect_tip: made.cid, endpoint: 'exec:other' })),
  ).toBe('400 endpoint');
  const active = ok(await ask(node, admin, `PUT /kladoi/${made.id}`, { expect_tip: made.cid, status: 'active' }));
  // Other members are anybody's who may change it.
  ok(await ask(node, bob, `PUT /kladoi/${made.id}`, { expect_tip: active.cid, description: 'd' }));
});

it('schemas of other drafts are kept as they are written', async () => {
  const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: true, pattern: '(' };
  const dated = { $schema: 'https://json-schema.org/draft-07/schema#', properties: { day: { pattern: '^\\d+\\-' } } };
  const body = agentBody(home.id, { input_schema: dated, output_schema: draft4 });
  const made = await ask(node, ada, 'POST /agents', body);
  expect(made).toMatchObject({ status: 201, body: { properties: { input_schema: dated, output_schema: draft4 } } });
  const { id, cid } = made.body as Entity;
  const openApi = { type: 'number', nullable: true };
  const put = await ask(node, ada, `PUT /agents/${id}`, { expect_tip: cid, output_schema: openApi });
  expect(ok(put).properties.output_schema).toEqual(openApi);
  expect((await ask(node, ada, 'POST /agents', { ...body, output_schema: [] })).status).toBe(400);
});
