import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { collection, create, type Entity, invalid, ok, read } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported } from '../helpers/node-archives.ts';

let node: TestNode;
let owner: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  owner = operator(node);
  home = await collection(node, owner);
});
afterAll(() => node[Symbol.asyncDispose]());

const half = 'x'.repeat(17 * 1024 * 1024);
const reason = /^the new version has 35,\d{3},\d{3} bytes, and an archive holds versions of at most 33,554,432\. Keep /;

test('a write that would make a version larger than an archive holds is refused, and exports go on', async () => {
  const first = await create(node, owner, { collection: home.id, properties: { label: 'Long', one: half } });
  const refused = await ask(node, owner, `PUT /entities/${first.id}`, {
    expect_tip: first.cid,
    properties: { two: half },
  });
  expect([refused.status, refused.body]).toEqual([400, invalid([], expect.stringMatching(reason))]);
  const updates = [
    { entity_id: first.id, properties: { two: half } },
    { entity_id: first.id, properties: { small: 1 } },
  ];
  ok(await ask(node, owner, 'POST /updates/additive', { updates }));
  await node.ctx.additive.idle();
  const { items } = ok<{ items: object[] }>(await ask(node, owner, `GET /updates/queue/${first.id}`));
  expect(items).toMatchObject([{ status: 'completed' }, { status: 'failed', error: expect.stringMatching(reason) }]);
  const now = await read(node, owner, first.id);
  expect(now).toMatchObject({ ver: 2, properties: { label: 'Long', one: half, small: 1 } });
  expect((await exported(node, `?entity=${first.id}`)).entities).toBe(1);
});

test('a record that would make such a version is refused by an import, and the others come', async () => {
  const floats = `{"id":1,"label":"Floats","list":[${'0.1,'.repeat(3_800_000)}0.1]}`;
  const report = await importer(node).run(
    { collection: 'Numbers' },
    { 'a.ndjson': `${floats}\n{"id":2,"label":"Two"}\n` },
  );
  expect(report).toMatchObject({ created: 1, refused: 1 });
  expect(report.refused_examples).toMatchObject([
    { place: 'a.ndjson, line 1', issues: [{ path: [], message: expect.stringMatching(/^the new version has 34,/) }] },
  ]);
});

test('a folder that has such a version from before is told which one, and what to do', async () => {
  await using folder = await temporaryFolder();
  await using old = await startNode({ data: join(folder.path, 'data') });
  const me = operator(old);
  const first = await create(old, me, { properties: { label: 'Old' } });
  // More than one chunk goes out before it.
  await create(old, me, { id: '00000000000000000000000001', properties: { text: 'y'.repeat(600_000) } });
  const tip = await grown(old, first, { one: half, two: half });

  const out = join(folder.path, 'all.car');
  const broken = await commandLine(join(folder.path, 'data'), ['export', '--out', out]);
  expect(broken).toMatchObject({ code: 1, out: '' });
  expect(broken.err).toContain(`Version ${tip} of ${first.id} has 35,`);
  expect(broken.err).toMatch(
    /Make a smaller version of it, or delete it, and .* hold them all\. Nothing was written\.$/,
  );

  const body = { expect_tip: tip, properties_remove: ['one', 'two'] };
  ok(await ask(old, me, `PUT /entities/${first.id}`, body));
  const tips = await commandLine(join(folder.path, 'data'), ['export', '--out', out, '--history', 'tip']);
  expect(tips.code).toBe(0);
});

/** Adds to an entity past the check, as earlier programs did. */
async function grown(on: TestNode, { id, cid }: Entity, properties: object): Promise<string> {
  const store = await on.ctx.networks.get('main');
  const before = store.read((db) => findVersion(db, cid)?.manifest);
  if (!before) throw new Error('it is not here');
  const json = {
    ...before,
    ver: before.ver + 1,
    prev: { '/': cid },
    properties: { ...before.properties, ...properties },
  };
  const block = encodeHistoric(json as never);
  const changes = [{ id, expect: cid, tip: block.cid, blocks: [block] }];
  await store.submit([{ changes, preconditions: [], rows: [], origin: 'local', time: 1_800_000_000_000 }]);
  return block.cid;
}
