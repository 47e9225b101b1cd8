import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForbiddenError } from '../../src/server/errors.ts';
import type { Caller } from '../../src/server/model/caller.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { archiveTasks } from '../../src/server/store/tasks.ts';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, enrol, invalid, ok, update } from '../helpers/entities.ts';
import { type Entity, type Importer, importer, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { inChunks, SampleState } from '../helpers/sample-archive.ts';
import { addRemote, keyOf, sync } from '../sync/nodes.ts';

interface Made {
  import: { id: string; files: string[]; counts: { created: number }; collection: { label: string; created: boolean } };
  made: number;
  untouched: number;
  changed: number;
  deleted: number;
  changed_examples: { id: string; label: string }[];
  collection_goes: boolean;
}

interface Undone {
  deleted: number;
  total: number;
  kept: number;
  kept_examples: { id: string }[];
  collection_deleted: boolean;
}

let node: TestNode;
let on: Importer;
beforeAll(async () => {
  node = await startNode();
  on = importer(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const mapping = {
  records: [
    { type: 'work', id: 'id', label: 'title', nested: [{ path: 'artist', predicate: 'artist', type: 'artist' }] },
  ],
};
const works = (count: number, title = 'Work') =>
  ndjson(Array.from({ length: count }, (_, i) => ({ id: i, title: `${title} ${i}`, artist: `Artist ${i % 2}` })));

const made = async (id: string) => (await on.ask('GET', `/node/imports/${id}/made`)).body as Made;

async function undo(id: string): Promise<Undone> {
  const answer = await on.ask('POST', `/node/imports/${id}/undo`);
  expect(answer.status, answer.text).toBe(200);
  const last = JSON.parse(answer.text.trim().split('\n').at(-1) ?? '') as { done: Undone };
  return last.done;
}

async function edit({ id, cid }: Entity): Promise<void> {
  const answer = await on.ask('PUT', `/entities/${id}`, { expect_tip: cid, properties: { seen: true } });
  expect(answer.status, answer.text).toBe(200);
}

const operatorOf = (of: TestNode): Caller => {
  const { id } = operator(of);
  return { actor: { kind: 'user', id, ids: [id], operator: true }, network: 'main' };
};

/** A file of records that comes only when it is let. */
function held(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* source() {
    await promise;
    yield Buffer.from(text);
  }
  return { source: source(), come: resolve };
}

async function toItsEnd(lines: AsyncGenerator<unknown>): Promise<void> {
  while (!(await lines.next()).done);
}

describe('the undo of an import', () => {
  test('deletes what it made, and the collection that it made, and importing again brings it back', async () => {
    const run = await on.run({ collection: 'First', mapping }, { 'a.ndjson': works(250) });
    expect(await made(run.id)).toMatchObject({
      import: { files: ['a.ndjson'], counts: { created: 252 }, collection: { label: 'First', created: true } },
      made: 252,
      untouched: 252,
      changed: 0,
      deleted: 0,
      collection_goes: true,
    });
    expect(await undo(run.id)).toMatchObject({ deleted: 252, total: 252, kept: 0, collection_deleted: true });
    expect(await made(run.id)).toMatchObject({ untouched: 0, deleted: 252, collection_goes: false });
    expect(await undo(run.id)).toMatchObject({ deleted: 0, kept: 0, collection_deleted: false });
    const restored = await on.ask('GET', `/entities/${run.collection.id}/tip`);
    const back = await on.ask('POST', `/entities/${run.collection.id}/restore`, {
      expect_tip: (restored.body as { cid: string }).cid,
    });
    expect(back.status, back.text).toBe(200);

    const again = await on.run({ collection: run.collection.id, mapping }, { 'a.ndjson': works(250, 'Better') });
    expect(again).toMatchObject({ created: 252, left_alone: 0, refused: 0 });
    const entities = await on.entities(run.collection.id);
    expect(entities.size).toBe(252);
    expect(entities.get('Better 7')).toMatchObject({ ver: 3, edited_by: { method: 'import' } });
    expect(await made(again.id)).toMatchObject({ made: 252, untouched: 252, collection_goes: false });
  });

  test('is taken back by the same import, into the collection that it had made', async () => {
    const files = { 'a.ndjson': works(2) };
    const run = await on.run({ collection: 'Again', mapping }, files);
    const before = await on.entities(run.collection.id);
    // Twice, since the second import brings back what it has not made itself.
    for (let round = 1; round < 3; round++) {
      const { id } = round === 1 ? run : await on.run({ collection: 'Again', mapping }, files);
      expect(await made(id)).toMatchObject({ untouched: 4, collection_goes: true });
      expect(await undo(id)).toMatchObject({ deleted: 4, collection_deleted: true });
    }
    const again = await on.run({ collection: 'Again', mapping }, files);
    expect(again).toMatchObject({ created: 4, collection: { ...run.collection, created: true } });
    const ids = (found: Map<string, Entity>) => [...found].map(([label, { id }]) => `${label} ${id}`).sort();
    expect(ids(await on.entities(again.collection.id))).toEqual(ids(before));
    // One that somebody deletes stays so.
    expect(await undo(again.id)).toMatchObject({ collection_deleted: true });
    const tip = async () => ((await on.ask('GET', `/entities/${run.collection.id}/tip`)).body as { cid: string }).cid;
    const back = await on.ask('POST', `/entities/${run.collection.id}/restore`, { expect_tip: await tip() });
    expect(back.status, back.text).toBe(200);
    const gone = await on.ask('DELETE', `/entities/${run.collection.id}`, { expect_tip: await tip() });
    expect(gone.status, gone.text).toBe(200);
    const other = await on.run({ collection: 'Again', mapping }, files);
    expect(other).toMatchObject({ created: 4, collection: { created: true } });
    expect(other.collection.id).not.toBe(run.collection.id);
  });

  test('keeps what was changed since, and says so; what was there before is none of it', async () => {
    const before = await on.run({ collection: 'Second', mapping }, { 'a.ndjson': works(3) });
    const run = await on.run({ collection: 'Second', mapping }, { 'b.ndjson': works(6) });
    const entities = await on.entities(run.collection.id);
    await edit(entities.get('Work 4') as Entity);
    const state = await made(run.id);
    expect(state).toMatchObject({ made: 3, untouched: 2, changed: 1, collection_goes: false });
    expect(state.changed_examples).toMatchObject([{ label: 'Work 4' }]);
    expect(await undo(run.id)).toMatchObject({
      deleted: 2,
      kept: 1,
      kept_examples: [{ id: entities.get('Work 4')?.id }],
      collection_deleted: false,
    });
    const labels = [...(await on.entities(run.collection.id)).keys()].sort();
    expect(labels).toEqual(['Artist 0', 'Artist 1', 'Work 0', 'Work 1', 'Work 2', 'Work 4']);
    expect(await made(before.id)).toMatchObject({ made: 5, untouched: 5, collection_goes: false });
  });

  test('counts a mention that became a record as what the import made, and a later import as a change', async () => {
    const both = {
      records: [
        { match: { field: 'title' }, ...mapping.records[0] },
        { type: 'artist', id: 'name', label: 'name' },
      ],
    };
    const files = { 'w.ndjson': works(2), 'artists.ndjson': ndjson([{ name: 'Artist 0', born: 1775 }]) };
    const run = await on.run({ collection: 'Third', mapping: both }, files);
    expect(run).toMatchObject({ created: 4, updated: 1 });
    expect(await made(run.id)).toMatchObject({ made: 4, untouched: 4 });
    await on.run({ collection: 'Third', mapping: both }, { 'w.ndjson': works(1, 'Renamed') });
    expect(await made(run.id)).toMatchObject({ made: 4, untouched: 3, changed: 1 });
  });

  test('of one that is open takes no file after it, so that nothing of it comes back or stays', async () => {
    const { id, collection } = await on.start({ collection: 'Between files', mapping });
    expect((await on.put(id, 'a.ndjson', works(600))).lines.at(-1)).toMatchObject({ done: { created: 602 } });
    const undoing = undo(id);
    for (let deleted = 0; deleted === 0; ) ({ deleted } = await made(id));
    const second = await on.put(id, 'b.ndjson', works(700));
    expect(await undoing).toMatchObject({ deleted: 602, kept: 0, collection_deleted: true });
    const third = await on.put(id, 'c.ndjson', works(2, 'Late'));
    for (const { status, text } of [second, third]) {
      expect(status, text).toBe(409);
      expect(text).toContain('This import was undone and takes no more files: start another import.');
    }
    const state = { files: ['a.ndjson'], state: 'broken_off' };
    expect(await made(id)).toMatchObject({ import: state, made: 602, untouched: 0, changed: 0, deleted: 602 });
    expect((await on.ask('GET', `/node/imports/${id}`)).body).toMatchObject({ collection, created: 602 });
    expect((await on.ask('DELETE', `/node/imports/${id}`)).status).toBe(204);
    expect((await on.ask('DELETE', `/node/imports/${id}`)).status).toBe(404);
  });

  test.each([
    ['has not begun', false],
    ['waits for its file', true],
  ])(
    'has ended before the same records are read again, by an import that %s, so that none of them is gone',
    async (_how, isOpen) => {
      const body = { collection: `Once more ${isOpen}`, mapping };
      const files = { 'a.ndjson': works(300) };
      const run = await on.run(body, files);
      // It lies in the collection, which therefore stays.
      await on.run({ collection: run.collection.id }, { 'b.ndjson': ndjson([{ id: 'other' }]) });
      const open = isOpen ? await on.start(body) : null;
      const undoing = node.ctx.imports.undos.undo(operatorOf(node), run.id);
      // A hundred are deleted.
      await undoing.next();
      const again = open ? on.put(open.id, 'a.ndjson', files['a.ndjson']) : on.run(body, files);
      // So that it reads them before the others are, where it does not wait for that.
      await Promise.race([again, setTimeout(2000)]);
      await toItsEnd(undoing);
      await again;
      expect((await on.entities(run.collection.id)).size).toBe(303);
      expect(await made(run.id)).toMatchObject({ untouched: 0 });
    },
  );

  test('says what is deleted where the disk ends it, and is gone on with', async () => {
    await using other = await startNode();
    const there = importer(other);
    const { id } = await there.run({ collection: 'Broken off', mapping }, { 'a.ndjson': works(150) });
    const undoing = other.ctx.imports.undos.undo(operatorOf(other), id);
    await undoing.next();
    const file = databaseFile(other.data, 'main');
    await rename(file, `${file}.away`);
    await expect(undoing.next()).rejects.toMatchObject({
      reason: expect.stringMatching(/^100 were deleted and stay so; undo the import again to go on\. /),
    });
    await rename(`${file}.away`, file);
    expect((await there.ask('POST', `/node/imports/${id}/undo`)).text).toContain('"deleted":52');
  });

  test('has deleted the collection before that is looked for, and so its records lie in it again', async () => {
    const body = { collection: 'Gone and back', mapping };
    const files = { 'a.ndjson': works(300) };
    const run = await on.run(body, files);
    const undoing = node.ctx.imports.undos.undo(operatorOf(node), run.id);
    await undoing.next();
    const again = on.run(body, files);
    await Promise.race([again, setTimeout(2000)]);
    await toItsEnd(undoing);
    expect(await again).toMatchObject({ created: 302, collection: { id: run.collection.id, created: true } });
    expect((await on.entities(run.collection.id)).size).toBe(302);
  });

  test('is refused while another one reads into its collection, and not while one does into another', async () => {
    const run = await on.run({ collection: 'Read into', mapping }, { 'a.ndjson': works(3) });
    const other = await on.run({ collection: 'Not read into', mapping }, { 'a.ndjson': works(3) });
    const { id } = await on.start({ collection: 'Read into', mapping });
    const { source, come } = held(works(3));
    const reading = node.ctx.imports.imports.receive(operatorOf(node), id, 'a.ndjson', source);
    const read = toItsEnd(reading);
    await expect.poll(async () => (await on.ask('GET', `/node/imports/${id}`)).body).toHaveProperty('reading');
    expect(await on.ask('POST', `/node/imports/${run.id}/undo`)).toMatchObject({
      status: 409,
      body: {
        error: 'Another import, which may bring the same, is under way: undo this one when that has ended.',
        details: { under_way: 'other_import' },
      },
    });
    expect(await on.ask('POST', `/node/imports/${id}/undo`)).toMatchObject({
      ...{ status: 409, body: { details: { under_way: 'import' } } },
    });
    expect(await undo(other.id)).toMatchObject({ deleted: 5 });
    come();
    await read;
    expect(await undo(run.id)).toMatchObject({ deleted: 5 });
  });

  test('of one that was broken off deletes what had come', async () => {
    const { id, collection } = await on.start({ collection: 'Broken', mapping });
    const put = await on.put(id, 'bad.ndjson', `${works(40)}{"id":`);
    // What takes longer than half a second has told of its progress by then, and ends with the error.
    expect(put.text).toContain('bad.ndjson, line 41');
    expect(await made(id)).toMatchObject({ made: 42, untouched: 42, import: { files: ['bad.ndjson'] } });
    expect(await undo(id)).toMatchObject({ deleted: 42, collection_deleted: true });
    expect((await on.ask('GET', `/entities/${collection.id}`)).status).toBe(404);
  });

  test('leaves the deletions in the history, with why', async () => {
    const run = await on.run({ collection: 'Noted', mapping }, { 'a.ndjson': works(1) });
    const work = (await on.entities(run.collection.id)).get('Work 0') as Entity;
    await undo(run.id);
    const versions = (await on.ask('GET', `/versions/${work.id}`)).body as { versions: { note?: string }[] };
    expect(versions.versions[0]).toMatchObject({ note: 'Import undone' });
    expect((await on.ask('GET', `/versions/${work.id}`)).text).toContain(work.cid);
  });

  test('is asked of an import by its id, and imports are listed', async () => {
    const run = await on.run({ collection: 'Listed', mapping }, { 'a.ndjson': works(1) });
    const { imports } = (await on.ask('GET', '/node/imports')).body as { imports: Made['import'][] };
    expect(imports[0]).toMatchObject({ id: run.id, files: ['a.ndjson'], collection: { label: 'Listed' } });
    const older = (await on.ask('GET', `/node/imports?before=${run.id}`)).body as { imports: { id: string }[] };
    expect(older.imports.map(({ id }) => id)).not.toContain(run.id);
    for (const before of ['none', '', run.collection.id])
      expect(await on.ask('GET', `/node/imports?before=${before}`)).toMatchObject({
        status: 400,
        body: invalid(['before'], expect.stringMatching(/next/)),
      });
    for (const [method, path] of [
      ['GET', '/node/imports/none/made'],
      ['POST', '/node/imports/none/undo'],
    ] as const) {
      expect((await on.ask(method, path)).status).toBe(404);
      expect((await node.fetch(path, { method })).status).toBe(401);
    }
  });
});

describe('the undo of an archive', () => {
  /** An archive of so many people. */
  const people = (count: number) => {
    const state = new SampleState();
    for (let i = 0; i < count; i++) state.write(`person ${i}`);
    return state.export();
  };

  test('deletes what it brought, keeps what was here or has changed since, and its collections last', async () => {
    const source = await on.run({ collection: 'Sent', mapping }, { 'a.ndjson': works(30) });
    const { car } = await exported(node, `?collection=${source.collection.id}`);
    await using other = await startNode();
    const there = importer(other);
    const post = async (query = '') => {
      const headers = { ...operator(other).headers, 'Content-Type': 'application/octet-stream' };
      const answer = await other.fetch(`/node/import-car${query}`, { method: 'POST', headers, body: car });
      expect(answer.status, answer.text).toBe(200);
      return (JSON.parse(answer.text.trim().split('\n').at(-1) ?? '') as { done: { run: string } }).done;
    };
    const state = async (run: string) => (await there.ask('GET', `/node/imports/${run}/made`)).body;
    const taken = async (run: string) => {
      const answer = await there.ask('POST', `/node/imports/${run}/undo`);
      return (JSON.parse(answer.text.trim().split('\n').at(-1) ?? '') as { done: Undone }).done;
    };
    const { run } = await post('?name=sent.car');
    expect(await state(run)).toMatchObject({
      import: { collection: null, files: ['sent.car'], counts: { records: 33, created: 33 } },
      ...{ made: 33, untouched: 33, changed: 0, collection_goes: false },
    });
    const again = await post();
    expect(await state(again.run)).toMatchObject({
      import: { files: [], counts: { created: 0, unchanged: 33 } },
      made: 0,
    });
    expect(await taken(again.run)).toMatchObject({ deleted: 0 });

    const [touched] = (await there.entities(source.collection.id)).values();
    const edited = await there.ask('PUT', `/entities/${touched?.id}`, {
      expect_tip: touched?.cid,
      properties: { a: 1 },
    });
    expect(edited.status, edited.text).toBe(200);
    // The collection stays: something lies in it.
    expect(await taken(run)).toMatchObject({ deleted: 31, total: 32, kept: 2 });
    expect((await there.entities(source.collection.id)).size).toBe(1);
    const now = edited.body as Entity;
    expect((await there.ask('DELETE', `/entities/${now.id}`, { expect_tip: now.cid })).status).toBe(200);
    expect(await taken(run)).toMatchObject({ deleted: 1, kept: 0 });
    expect((await there.ask('GET', `/entities/${source.collection.id}`)).status).toBe(404);
    expect(await state(run)).toMatchObject({ untouched: 0, changed: 0, deleted: 33 });
    const list = (await there.ask('GET', '/node/imports')).body as { imports: { collection: unknown }[] };
    expect(list.imports.map(({ collection }) => collection)).toEqual([null, null]);
  });

  test('deletes what may be deleted, and then says how much may not', async () => {
    await using from = await startNode();
    const there = operator(from);
    const curator = await user(from, 'curator');
    const [open, closed] = [await collection(from, there), await collection(from, there)];
    await enrol(from, there, open.id, curator, 'editor');
    await using to = await startNode();
    const here = importer(to);
    await addRemote(to, operator(to), { url: from.url, key: keyOf(curator) });
    await sync(to, operator(to));
    const works: { id: string; home: string }[] = [];
    for (const { id: home } of [open, closed, open, closed, closed]) {
      const { id } = await create(from, there, { collection: home });
      works.push({ id, home });
    }
    const { run } = await imported(to, (await exported(from, '')).car);
    const undone = async () => {
      const { text } = await here.ask('POST', `/node/imports/${run}/undo`);
      return JSON.parse(text.trim().split('\n').at(-1) ?? '') as object;
    };
    const refusal = 'Action not allowed: entity:delete';
    expect(await undone()).toMatchObject({ status: 403, error: `2 were deleted, 3 stay: ${refusal}` });
    for (const { id, home } of works)
      expect((await here.ask('GET', `/entities/${id}`)).status).toBe(home === open.id ? 404 : 200);
    expect((await here.ask('GET', `/node/imports/${run}/made`)).body).toMatchObject({ untouched: 3, deleted: 2 });
    expect(await undone()).toMatchObject({ status: 403, error: refusal });
  });

  test('keeps in memory nothing of each entity that may not be deleted', async () => {
    await using from = await startNode();
    const closed = await collection(from, operator(from));
    await using to = await startNode();
    await addRemote(to, operator(to), { url: from.url });
    await sync(to, operator(to));
    const entities = Array.from({ length: 80 }, () => ({ type: 'document', collection: closed.id }));
    for (let n = 0; n < 3; n++) ok(await ask(from, operator(from), 'POST /entities/batch', { entities }));
    const { run } = await imported(to, (await exported(from, '')).car);
    const { id } = operator(to);
    const actor = { kind: 'user' as const, id, ids: [id], operator: true };
    const kept: number[] = [];
    const undoing = async () => {
      for await (const _ of to.ctx.imports.undos.undo({ actor, network: 'main' }, run))
        kept.push(Number(queryObjects(ForbiddenError)));
    };
    await expect(undoing()).rejects.toThrow(ForbiddenError);
    expect(kept).toHaveLength(3);
    expect(Math.max(...kept)).toBeLessThan(50);
  });

  test('is refused while it is being taken in', async () => {
    const state = new SampleState();
    for (let i = 0; i < 3000; i++) state.write(`person ${i}`);
    const car = await state.export();
    await using other = await startNode();
    const store = await other.ctx.networks.get('main');
    const importing = imported(other, car);
    while (store.read(archiveTasks).unfinished.length === 0) await new Promise(setImmediate);
    const [task] = store.read(archiveTasks).unfinished;
    const run = task?.run.id ?? '';
    expect(await importer(other).ask('POST', `/node/imports/${run}/undo`)).toMatchObject({ status: 409 });
    expect(await importing).toMatchObject({ run, created: 3000 });
    expect(await importer(other).ask('POST', `/node/imports/${run}/undo`)).toMatchObject({ status: 200 });
  });

  test('is refused while another archive is taken in, or records are read, which may bring the same', async () => {
    await using other = await startNode();
    const there = importer(other);
    const { run } = await imported(other, await people(3));
    const undone = async () => (await there.ask('POST', `/node/imports/${run}/undo`)).status;
    const { signal } = new AbortController();
    const receiving = other.ctx.archives.carImports.receive(
      operatorOf(other),
      inChunks(await people(5), 65_536),
      signal,
    );
    await receiving.next();
    expect(await undone()).toBe(409);
    await toItsEnd(receiving);
    const { id } = await there.start({ collection: 'Any' });
    const { source, come } = held(ndjson([{ id: 1 }]));
    const read = toItsEnd(other.ctx.imports.imports.receive(operatorOf(other), id, 'a.ndjson', source));
    await expect.poll(async () => (await there.ask('GET', `/node/imports/${id}`)).body).toHaveProperty('reading');
    expect(await undone()).toBe(409);
    come();
    await read;
    expect(await undone()).toBe(200);
  });

  test('has ended before the same archive is taken in again, so that all of it comes back', async () => {
    const car = await people(300);
    await using other = await startNode();
    const { run } = await imported(other, car);
    const undoing = other.ctx.imports.undos.undo(operatorOf(other), run);
    // A hundred are deleted.
    await undoing.next();
    const again = imported(other, car);
    // So that it begins before the others are, where it does not wait for that.
    await Promise.race([again, setTimeout(2000)]);
    while (!(await undoing.next()).done);
    expect(await again).toMatchObject({ created: 300, unchanged: 0 });
    expect((await importer(other).ask('GET', `/node/imports/${(await again).run}/made`)).body).toMatchObject({
      ...{ untouched: 300, deleted: 0 },
    });
  });

  test('does not begin while another archive is taken in, which would bring back a part of what it deletes', async () => {
    const car = await people(300);
    await using other = await startNode();
    const { run } = await imported(other, car);
    const { signal } = new AbortController();
    const again = other.ctx.archives.carImports.receive(operatorOf(other), inChunks(car, 65_536), signal);
    // From here on it is at work.
    await again.next();
    const refused = await importer(other).ask('POST', `/node/imports/${run}/undo`);
    while (!(await again.next()).done);
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('Another import') } });
    expect((await importer(other).ask('GET', `/node/imports/${run}/made`)).body).toMatchObject({ untouched: 300 });
    expect(await importer(other).ask('POST', `/node/imports/${run}/undo`)).toMatchObject({ status: 200 });
  });

  test('is offered of one that says how much it has made so far, while it is being taken in', async () => {
    const car = await people(600);
    await using other = await startNode();
    const { signal } = new AbortController();
    const receiving = other.ctx.archives.carImports.receive(operatorOf(other), inChunks(car, 65_536), signal);
    const come = async () => {
      const { value } = await receiving.next();
      return value && 'progress' in value ? (value.progress?.entities ?? 0) : 600;
    };
    while ((await come()) === 0);
    const list = (await importer(other).ask('GET', '/node/imports')).body as {
      imports: { state: string; counts: { created: number } }[];
    };
    expect(list.imports).toMatchObject([{ state: 'open', counts: { created: expect.any(Number) } }]);
    expect(list.imports[0]?.counts.created).toBeGreaterThan(0);
    while ((await come()) < 600);
    await receiving.return();
  });

  test('is taken back by taking in the archive again, but for what somebody has deleted', async () => {
    const source = await on.run({ collection: 'Twice sent', mapping }, { 'a.ndjson': works(4) });
    const { car } = await exported(node, `?collection=${source.collection.id}`);
    await using other = await startNode();
    const there = importer(other);
    const taken = await imported(other, car);
    const [first] = (await there.entities(source.collection.id)).values();
    expect((await there.ask('DELETE', `/entities/${first?.id}`, { expect_tip: first?.cid })).status).toBe(200);
    expect(await imported(other, car)).toMatchObject({ created: 0, unchanged: 7 });
    expect((await there.ask('POST', `/node/imports/${taken.run}/undo`)).text).toContain('"deleted":6');
    const again = await imported(other, car);
    expect(again).toMatchObject({ entities: 7, versions: 6, created: 6, unchanged: 1, forks: 0 });
    const back = await there.entities(source.collection.id);
    expect(back.size).toBe(5);
    for (const { ver, edited_by } of back.values()) expect([ver, edited_by.method]).toEqual([3, 'import']);
    expect(await imported(other, car)).toMatchObject({ versions: 0, created: 0, unchanged: 7 });
    // The second import has made it, so that its undo deletes it again.
    expect((await there.ask('GET', `/node/imports/${again.run}/made`)).body).toMatchObject({ made: 6, untouched: 6 });
    expect((await there.ask('POST', `/node/imports/${again.run}/undo`)).text).toContain('"deleted":6');
  });

  test('deletes collections that lie in each other, in whichever order they were made', async () => {
    await using from = await startNode();
    const who = operator(from);
    const first = await collection(from, who, { label: 'Whatever lies in no other' });
    // It names its collection before that comes, and that one the outer collection.
    const work = await create(from, who, { collection: first.id });
    const inner = await collection(from, who);
    const outer = await collection(from, who);
    await update(from, who, work, { relationships_add: [{ predicate: 'collection', peer: inner.id }] });
    await update(from, who, inner, { relationships_add: [{ predicate: 'collection', peer: outer.id }] });
    const { car } = await exported(from, '');
    await using to = await startNode();
    const headers = { ...operator(to).headers, 'Content-Type': 'application/octet-stream' };
    const answer = await to.fetch('/node/import-car', { method: 'POST', headers, body: car });
    const { done } = JSON.parse(answer.text.trim().split('\n').at(-1) ?? '') as { done: { run: string } };
    const undone = await importer(to).ask('POST', `/node/imports/${done.run}/undo`);
    const last = JSON.parse(undone.text.trim().split('\n').at(-1) ?? '') as { done: Undone };
    expect(last.done).toMatchObject({ deleted: 4, kept: 0 });
    for (const { id } of [first, work, inner, outer])
      expect((await importer(to).ask('GET', `/entities/${id}`)).status).toBe(404);
  });
});
