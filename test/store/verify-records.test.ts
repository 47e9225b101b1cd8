import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { verifyStore } from '../../src/server/store/verify/verify.ts';
import { ask } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { temporaryFolder } from '../helpers/node.ts';

// What the node records of jobs, imports and uploads no block says: each row that cannot be must be named.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await using scene = await JobScene.open({ data: join(folder.path, 'node') });
  const { id } = await scene.klados('accept');
  const first = await scene.invoke(id);
  await scene.invoke(id, { job_collection: first.job_collection });
  const batch = { target_collection: scene.target.id, invocations: [{ target_entity: scene.file.id }], confirm: true };
  ok(await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, batch));
  await importer(scene.node).run({ collection: 'Words' }, { 'words.ndjson': '{"id": 1, "label": "one"}\n' });
  const file = { size: 5, content_type: 'text/plain' };
  ok(await ask(scene.node, scene.who, `POST /entities/${scene.file.id}/content/upload-url`, { ...file, cid }));
});
afterAll(() => folder[Symbol.asyncDispose]());

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const nowhere = '01J00000000000000000000000';

const damages: [kind: string, sql: string, message: RegExp][] = [
  ['job', "UPDATE job SET state = 'sending'", /^Job job_\w+: its state is sending, which it cannot be\.$/],
  ['job', "UPDATE job SET type = 'rhiza'", /its type is rhiza, which it cannot be/],
  ['job', "UPDATE job SET state = 'accepted', attempts = 0", /its attempts cannot be/],
  ['job', 'UPDATE job SET retry_after = -1', /its retry_after cannot be/],
  ['job', 'UPDATE job SET created = 9e15', /its created is no time/],
  ['job', 'UPDATE job SET expires = expires + 1', /its row differs from its request in expires\./],
  ['job', `UPDATE job SET target = '${nowhere}'`, /its target 01J0+ is not here/],
  ['job', "UPDATE job SET processor = 'nobody'", /its processor is no id of an entity/],
  ['job', "UPDATE job SET rhiza = 'none'", /its rhiza is no id of an entity/],
  ['job', "UPDATE job SET run = 'x'", /its run is no id of a job/],
  [
    'job',
    'UPDATE job SET parent = (SELECT id FROM job j WHERE j.run <> job.run)',
    /its parent is a job of another run/,
  ],
  ['job', "UPDATE job SET handoff = 'x'", /its handoff is no digest/],
  ['job', "UPDATE job SET id = '' WHERE key = 1", /^Job : its id is no id of a job/],
  ['job', "UPDATE job SET rhiza = ''", /its rhiza is no id of an entity/],
  ['job', "UPDATE job SET asker = '{}'", /who asked for it cannot be read/],
  ['job', 'UPDATE job SET request = substr(request, 2)', /its request cannot be read/],
  ['job', "UPDATE job SET request = json_set(request, '$.job_id', 5)", /its row differs from its request in id\./],
  [
    'job',
    'UPDATE job_batch SET next = 2',
    /^Batch dispatch_\w+: 2 of its 1 invocations are said to have become jobs\.$/,
  ],
  ['job', 'UPDATE job_batch SET next = 0, total = 3', /it is not what it is made from/],
  ['job', "UPDATE job_batch SET body = json_remove(body, '$.items')", /what it is made from cannot be read/],
  ['job', "UPDATE job_batch SET body = json_set(body, '$.job.target', 'x')", /its target is no id of an entity/],
  [
    'job',
    "UPDATE job_grant SET run = 'x' WHERE run = (SELECT min(run) FROM job_grant)",
    /^The grant x of \w+: there is no such run\.$/,
  ],
  ['job', "UPDATE job_grant SET actions = '[1]'", /^The grant \w+ of \w+: what it allows cannot be read\.$/],
  ['job', 'UPDATE job_grant SET expires = -1', /its expires is no time/],
  ['import', "UPDATE import_run SET files = '{'", /^Import \w+: which files it read cannot be read\.$/],
  ['import', "UPDATE import_run SET id = 'x'", /^Import x: its id is none of an import\.$/],
  ['import', "UPDATE import_run SET counts = '[]'", /what it has counted cannot be read/],
  ['import', `UPDATE import_run SET counts = '{"records":-1}'`, /what it has counted cannot be read/],
  ['import', `UPDATE import_run SET collection = '${nowhere}'`, /its collection 01J0+ is not here/],
  ['import', 'UPDATE import_run SET made = 2', /its made is 2, which it cannot be/],
  ['import', 'UPDATE import_run SET ended = -1', /its ended is -1, which it cannot be/],
  [
    'import',
    'UPDATE import_run SET key = key + 1',
    /^1 records of what imports made are of no import, or name no version\.$/,
  ],
  ['import', 'UPDATE import_made SET tip = 1', /of no import, or name no version/],
  ['upload', "UPDATE upload SET token = 'x'", /^Upload x: no address leads to it\.$/],
  ['upload', `UPDATE upload SET entity = '${nowhere}'`, /its entity 01J0+ is not here/],
  ['upload', 'UPDATE upload SET come = 6', /6 bytes have come, of 5/],
  ['upload', 'UPDATE upload SET size = -5', /its size cannot be/],
  ['upload', "UPDATE upload SET cid = 'x'", /x is no CID/],
  ['upload', `UPDATE upload SET cid = NULL, received = '${cid}'`, /what has come is not what was to come/],
];

const verified = async (data: string) => {
  const args = { database: databaseFile(data, 'main'), folder: join(data, 'main') };
  return (await verifyStore(args, () => undefined)).problems;
};

test('nothing is wrong with what the node has written', async () => {
  expect(await verified(join(folder.path, 'node'))).toEqual([]);
});

test.each(damages)('%s: %s is found', async (kind, sql, message) => {
  await using copy = await temporaryFolder();
  await cp(join(folder.path, 'node'), copy.path, { recursive: true });
  const db = new Database(databaseFile(copy.path, 'main'));
  expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
  db.close();
  expect(await verified(copy.path)).toContainEqual({ kind, message: expect.stringMatching(message) });
});
