import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RhizaPreviewView } from '../../src/server/resources/rhiza-jobs/wire.ts';
import { ask, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, invalid, ok, read } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

const iso = (ms: number) => new Date(ms).toISOString();
const role = (id: string) => `klados_${id.toLowerCase()}`;
interface Preview {
  grants: { already_granted: boolean; expired: boolean; current_expires_at?: string; actions: string[] }[];
  can_proceed: boolean;
  grants_needed: boolean;
  expires_at: string;
}

const preview = async (id: string, more: object = {}) =>
  ok<Preview>(
    await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke`, scene.invocation({ confirm: false, ...more })),
  );

describe('the grant of an invocation', () => {
  test('is a role on the target that ends, told as it is', async () => {
    const { id, self } = await scene.klados('accept');
    const begun = scene.clock.ms;
    const { grants, target_cid, expires_at } = await scene.invoke(id, { expires_in: 600 });
    expect(grants).toEqual([{ klados_id: id, role: role(id), expires_at: iso(begun + 600_000), was_update: false }]);
    expect(expires_at).toBe(iso(begun + 600_000));
    const target = await read(scene.node, scene.who, scene.target.id);
    expect(target.cid).toBe(target_cid);
    expect(target.properties.roles).toMatchObject({ [role(id)]: ['entity:view', 'entity:create'] });
    expect(target.relationships.find(({ peer }) => peer === id)).toEqual({
      predicate: role(id),
      peer: id,
      peer_type: 'klados',
      properties: { granted_at: iso(begun), granted_by: scene.who.id, expires_at: iso(begun + 600_000) },
    });
    expect(scene.endpoint.received[0]?.body).toMatchObject({ expires_at: iso(begun + 600_000) });
    const output = { type: 'document', collection: scene.target.id };
    expect((await ask(scene.node, self, 'POST /entities', output)).status).toBe(201);
  });

  test('stays as it is while it covers nine tenths of the wanted time, then it is prolonged', async () => {
    const { id } = await scene.klados('accept');
    const first = await scene.invoke(id);
    scene.clock.ms += 360_000;
    const second = await scene.invoke(id);
    expect(second.target_cid).toBe(first.target_cid);
    expect(second.grants).toEqual(first.grants);
    expect(second.expires_at).toBe(first.expires_at);
    scene.clock.ms += 1000;
    expect(await preview(id)).toMatchObject({
      grants: [{ already_granted: true, expired: false, current_expires_at: first.expires_at }],
      grants_needed: true,
      expires_at: iso(scene.clock.ms + 3_600_000),
    });
    const third = await scene.invoke(id);
    expect(third.target_cid).not.toBe(first.target_cid);
    expect(third.grants).toMatchObject([{ was_update: true, expires_at: iso(scene.clock.ms + 3_600_000) }]);
    // A shorter wish is covered by it, and its own job ends sooner.
    const short = await scene.invoke(id, { expires_in: 60 });
    expect(short.grants).toEqual([{ ...third.grants[0], was_update: false }]);
    expect(short.expires_at).toBe(iso(scene.clock.ms + 60_000));
  });

  test('that has ended is made anew', async () => {
    const { id } = await scene.klados('accept');
    const { expires_at } = await scene.invoke(id);
    scene.clock.ms += 4_000_000;
    expect(await preview(id)).toMatchObject({
      grants: [{ already_granted: false, expired: true, current_expires_at: expires_at }],
    });
    expect((await scene.invoke(id)).grants).toMatchObject([
      { was_update: true, expires_at: iso(scene.clock.ms + 3_600_000) },
    ]);
  });

  test('gives no more than the invoker holds, and says whom to ask', async () => {
    const { id } = await scene.klados('accept', { actions_required: ['entity:view', 'entity:update'] });
    const viewer = await user(scene.node, 'viewer');
    const invoke = (confirm: boolean) =>
      ask(scene.node, viewer, `POST /kladoi/${id}/invoke`, scene.invocation({ confirm }));
    expect((await invoke(false)).body).toMatchObject({ can_proceed: false, grants_needed: true });
    const refused = await invoke(true);
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: expect.stringMatching(/^Action not allowed: entity:update\..*ask an owner/) },
    ]);
    expect((await read(scene.node, scene.who, scene.target.id)).cid).toBe(scene.target.cid);
    expect(scene.endpoint.received).toEqual([]);
    await enrol(scene.node, scene.who, scene.target.id, viewer, 'editor');
    expect((await invoke(true)).body).toMatchObject({ status: 'started', grants: [{ was_update: false }] });
  });

  test('that an owner gave without an end stays as it is, and says how it gets more', async () => {
    const { id } = await scene.klados('accept');
    const change = async (more: object) => {
      const { cid } = await read(scene.node, scene.who, scene.target.id);
      ok(await ask(scene.node, scene.who, `PUT /collections/${scene.target.id}`, { expect_tip: cid, ...more }));
      return read(scene.node, scene.who, scene.target.id);
    };
    const given = await change({
      properties: { roles: { [role(id)]: ['entity:view', 'entity:delete'] } },
      relationships_add: [{ predicate: role(id), peer: id, peer_type: 'klados' }],
    });
    const wayOut = expect.stringMatching(/without an end, which lacks entity:create, .*ask an owner/);
    expect(await preview(id)).toMatchObject({ can_proceed: false, grants_needed: false, message: wayOut });
    const refused = await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke`, scene.invocation());
    expect([refused.status, refused.body]).toEqual([403, { error: wayOut }]);
    expect((await read(scene.node, scene.who, scene.target.id)).cid).toBe(given.cid);
    const more = await change({ properties: { roles: { [role(id)]: ['entity:view', 'entity:create'] } } });
    const started = await scene.invoke(id, { expires_in: 60 });
    expect(started).toMatchObject({ status: 'started', target_cid: more.cid });
    expect(started.expires_at).toBe(iso(scene.clock.ms + 60_000));
  });

  test('takes nothing away from another run, nor prolongs what only that could give', async () => {
    const { id, self } = await scene.klados('accept', { actions_required: ['entity:view', 'entity:update'] });
    const editor = await user(scene.node, crypto.randomUUID());
    await enrol(scene.node, scene.who, scene.target.id, editor, 'editor');
    // Its logs lie in the target, which the editor may not give.
    const { expires_at } = await scene.invoke(id, { job_collection: scene.target.id, expires_in: 3000 });
    const body = scene.invocation({ expires_in: 7200, confirm: false });
    const told = ok<object>(await ask(scene.node, editor, `POST /kladoi/${id}/invoke`, body));
    expect(told).toMatchObject({ can_proceed: true, expires_at, message: expect.stringContaining(expires_at) });
    const second = await scene.invoke(id, { expires_in: 7200 }, editor);
    expect(second).toMatchObject({ status: 'started', expires_at, grants: [{ expires_at, was_update: false }] });
    const { cid } = await read(scene.node, scene.who, scene.target.id);
    const update = { expect_tip: cid, properties: { note: 'written by the first run' } };
    expect((await ask(scene.node, self, `PUT /collections/${scene.target.id}`, update)).status).toBe(200);
  });

  test('that ends within a minute and cannot be prolonged is waited for', async () => {
    const { id } = await scene.klados('accept', { actions_required: ['entity:view', 'entity:update'] });
    const editor = await user(scene.node, crypto.randomUUID());
    await enrol(scene.node, scene.who, scene.target.id, editor, 'editor');
    await scene.invoke(id, { job_collection: scene.target.id, expires_in: 60 });
    scene.clock.ms += 55_000;
    const invoke = (confirm: boolean) =>
      ask(scene.node, editor, `POST /kladoi/${id}/invoke`, scene.invocation({ confirm }));
    const wayOut = expect.stringMatching(/from another run, .*ends in 5 seconds.*Try again then/);
    expect((await invoke(false)).body).toMatchObject({ can_proceed: false, message: wayOut });
    const refused = await invoke(true);
    expect([refused.status, refused.headers['retry-after'], refused.body]).toMatchObject([
      503,
      '5',
      { details: { reason: wayOut } },
    ]);
    expect(scene.endpoint.received).toHaveLength(1);
    scene.clock.ms += 5000;
    const expires_at = iso(scene.clock.ms + 3_600_000);
    expect((await invoke(true)).body).toMatchObject({ status: 'started', expires_at });
  });

  test('by somebody whose role ends lasts for the stated time all the same', async () => {
    const { id, self } = await scene.klados('accept');
    const editor = await user(scene.node, crypto.randomUUID());
    await enrol(scene.node, scene.who, scene.target.id, editor, 'editor', 60);
    const { expires_at } = await scene.invoke(id, { expires_in: 600 }, editor);
    expect(expires_at).toBe(iso(scene.clock.ms + 600_000));
    scene.clock.ms += 60_000;
    const output = { type: 'document', collection: scene.target.id };
    expect((await ask(scene.node, editor, 'POST /entities', output)).status).toBe(403);
    expect((await ask(scene.node, self, 'POST /entities', output)).status).toBe(201);
    const refused = await ask(scene.node, editor, `POST /kladoi/${id}/invoke`, scene.invocation({ expires_in: 6000 }));
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('you can only grant what you hold there (a processor, while it holds it itself)'),
    ]);
  });

  test('by a processor ends with its own, and does not prolong that', async () => {
    const { id, self } = await scene.klados('accept');
    const other = await scene.klados('accept');
    const { expires_at, target_cid } = await scene.invoke(id, { expires_in: 600 });
    scene.clock.ms += 300_000;
    const again = await scene.invoke(id, { expires_in: 86_400 }, self);
    expect(again).toMatchObject({ status: 'started', expires_at, target_cid, grants: [{ expires_at }] });
    const given = await scene.invoke(other.id, { expires_in: 86_400 }, self);
    expect(given).toMatchObject({ status: 'started', expires_at, grants: [{ expires_at }] });
    scene.clock.ms += 300_000;
    for (const one of [self, other.self]) {
      const output = { type: 'document', collection: scene.target.id };
      expect((await ask(scene.node, one, 'POST /entities', output)).status).toBe(403);
      expect((await ask(scene.node, one, `POST /kladoi/${id}/invoke`, scene.invocation())).status).toBe(403);
    }
  });

  test('needs no right to manage the collection, and gives none', async () => {
    const { id, self } = await scene.klados('accept');
    const editor = await user(scene.node, crypto.randomUUID());
    await enrol(scene.node, scene.who, scene.target.id, editor, 'editor');
    const { job_collection } = await scene.invoke(id, {}, editor);
    const { cid } = await read(scene.node, editor, scene.target.id);
    const roles = { properties: { roles: { [role(id)]: ['*:update'] } }, expect_tip: cid };
    for (const person of [editor, self])
      expect((await ask(scene.node, person, `PUT /collections/${scene.target.id}`, roles)).status).toBe(403);
    const jobs = await read(scene.node, editor, job_collection);
    expect(jobs.properties).toMatchObject({ label: expect.stringMatching(/^Pipeline Job: job_/) });
    expect(jobs.relationships).toMatchObject([
      { predicate: 'owner', peer: editor.id },
      { predicate: role(id), peer: id },
    ]);
  });

  test('of many at once is one version', async () => {
    const { id } = await scene.klados('accept');
    const all = await Promise.all(Array.from({ length: 20 }, () => scene.invoke(id)));
    expect(new Set(all.map(({ job_id }) => job_id)).size).toBe(20);
    expect((await read(scene.node, scene.who, scene.target.id)).ver).toBe(2);
    expect(scene.endpoint.received).toHaveLength(20);
  });

  test('for a job collection that is given is written there', async () => {
    const { id, self } = await scene.klados('accept');
    const jobs = await collection(scene.node, scene.who, { label: 'jobs' });
    const { job_collection } = await scene.invoke(id, { job_collection: jobs.id });
    expect(job_collection).toBe(jobs.id);
    const granted = await read(scene.node, scene.who, jobs.id);
    expect(granted.properties.roles).toMatchObject({
      [role(id)]: ['entity:create', 'entity:view', 'entity:update', 'collection:view', 'collection:update'],
    });
    const log = { type: 'klados_log', collection: jobs.id, properties: {} };
    expect((await ask(scene.node, self, 'POST /entities', log)).status).toBe(201);
    // The target itself may be where the logs go.
    const both = await scene.invoke(id, { job_collection: scene.target.id });
    expect(both.job_collection).toBe(scene.target.id);
  });

  test('is told for as many processors as get one', async () => {
    const kladoi = [await scene.klados('accept'), await scene.klados('accept'), await scene.klados('accept')];
    for (const { id } of kladoi.slice(1)) await scene.invoke(id);
    const steps = kladoi.map(({ id }, i) => {
      const then = i < 2 ? { pass: `${i + 1}` } : { done: true };
      return [i, { klados: { id, type: 'klados' }, then }];
    });
    const body = { label: 'r', version: '1', entry: '0', collection: scene.home.id, flow: Object.fromEntries(steps) };
    const { id } = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
    const asked = scene.invocation({ confirm: false });
    const told = ok<RhizaPreviewView>(await ask(scene.node, scene.who, `POST /rhizai/${id}/invoke`, asked));
    expect(told.message).toMatch(/^Starting r gives one processor temporary permissions/);
  });

  test('of a rhiza reaches the kladoi of the workflows within it', async () => {
    const [outer, inner] = [await scene.klados('accept'), await scene.klados('accept')];
    const rhiza = async (flow: object, entry: string) => {
      const body = { label: 'r', version: '1', entry, flow, collection: scene.home.id };
      const { id, cid } = ok<{ id: string; cid: string }>(await ask(scene.node, scene.who, 'POST /rhizai', body));
      ok(await ask(scene.node, scene.who, `PUT /rhizai/${id}`, { expect_tip: cid, status: 'active' }));
      return id;
    };
    const within = await rhiza(
      { in: { klados: { id: inner.id, type: 'klados' }, input: { a: 1, b: 1 }, then: { done: true } } },
      'in',
    );
    const whole = await rhiza(
      {
        first: { klados: { id: within, type: 'rhiza' }, input: { b: 2, c: 2 }, then: { pass: 'then' } },
        then: { klados: { id: outer.id, type: 'klados' }, then: { done: true } },
      },
      'first',
    );
    const body = scene.invocation({ input: { c: 3, steps: { first: { d: 4 } } } });
    const answer = ok<{ job_id: string }>(await ask(scene.node, scene.who, `POST /rhizai/${whole}/invoke`, body));
    const { relationships } = await read(scene.node, scene.who, scene.target.id);
    expect(relationships.map(({ peer }) => peer)).toEqual(expect.arrayContaining([outer.id, inner.id]));
    // The entry of a workflow within is called as workers call it (processors.md 3.5), with all levels of input.
    expect(scene.endpoint.received[0]?.body).toMatchObject({
      job_id: answer.job_id,
      input: { a: 1, b: 2, c: 3, d: 4, steps: { first: { d: 4 } } },
      rhiza: { id: within, path: ['in'], parent_logs: [] },
    });
  });
});

describe('a workflow that cannot be started', () => {
  const preview = async (id: string) =>
    ok<RhizaPreviewView>(
      await ask(scene.node, scene.who, `POST /rhizai/${id}/invoke`, scene.invocation({ confirm: false })),
    );
  const rhiza = async (klados: object, body: object = {}) =>
    ok<Entity>(
      await ask(scene.node, scene.who, 'POST /rhizai', {
        ...{ label: 'r', version: '1', entry: 'only', collection: scene.home.id },
        ...{ flow: { only: { klados, then: { done: true } } }, ...body },
      }),
    );

  test('says so of a workflow within it that is disabled', async () => {
    const within = await rhiza({ id: (await scene.klados('accept')).id, type: 'klados' });
    const { id } = await rhiza({ id: within.id, type: 'rhiza' });
    expect(await preview(id)).toMatchObject({ all_ready: true });
    ok(await ask(scene.node, scene.who, `PUT /rhizai/${within.id}`, { expect_tip: within.cid, status: 'disabled' }));
    const reason = 'not_active: the workflow is disabled';
    expect(await preview(id)).toMatchObject({ all_ready: false, klados_issues: [{ id: within.id, reason }] });
    const begun = await ask(scene.node, scene.who, `POST /rhizai/${id}/invoke`, scene.invocation({ confirm: true }));
    expect(begun.body).toEqual(invalid(['id'], `${within.id} in the workflow cannot work: ${reason}`));
  });

  test('says so of a workflow that one step names as such and a later one as a klados', async () => {
    const within = await rhiza({ id: (await scene.klados('accept')).id, type: 'klados' });
    const step = (type: string, then: object) => ({ klados: { id: within.id, type }, then });
    const flow = { only: step('rhiza', { pass: 'on' }), on: step('klados', { done: true }) };
    const { id } = await rhiza({}, { flow });
    const reason = expect.stringMatching(/^not_found: it is a workflow/);
    expect(await preview(id)).toMatchObject({ all_ready: false, klados_issues: [{ id: within.id, reason }] });
  });

  test.each([
    ['01J40000000000000000000001', 'pass', false],
    ['01J40000000000000000000002', 'recurse', true],
  ])('says so of workflows that lead to each other: %s by %s', async (id, form, all_ready) => {
    const { id: klados } = await scene.klados('accept');
    const back = await rhiza({ id, type: 'rhiza' });
    const flow = {
      only: { klados: { id: klados, type: 'klados' }, then: { [form]: 'on' } },
      on: { klados: { id: back.id, type: 'rhiza' }, then: { done: true } },
    };
    await rhiza({}, { id, flow });
    const shown = await preview(id);
    expect(shown.all_ready).toBe(all_ready);
    if (all_ready) return;
    const reason = expect.stringMatching(/^cycle: /);
    expect(shown.klados_issues).toEqual([{ id: back.id, reason }]);
    const begun = await ask(scene.node, scene.who, `POST /rhizai/${id}/invoke`, scene.invocation());
    expect([begun.status, scene.endpoint.received]).toEqual([400, []]);
  });

  test('is not written where it names itself', async () => {
    const id = '01J40000000000000000000003';
    const { id: klados } = await scene.klados('accept');
    const steps = (last: object) => ({
      only: { klados: { id: klados, type: 'klados' }, then: { pass: 'again' } },
      again: { klados: last, then: { done: true } },
    });
    const body = { label: 'r', version: '1', entry: 'only', collection: scene.home.id, id };
    const flow = steps({ id, type: 'rhiza' });
    const refused = invalid(['flow', 'again', 'klados'], 'CYCLE_DETECTED: only -> again -> only');
    expect((await ask(scene.node, scene.who, 'POST /rhizai', { ...body, flow })).body).toEqual(refused);
    const { cid } = await rhiza({}, { ...body, flow: steps({ id: klados }) });
    const put = await ask(scene.node, scene.who, `PUT /rhizai/${id}`, { expect_tip: cid, flow });
    expect(put.body).toEqual(refused);
  });
});
