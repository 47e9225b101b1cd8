import { describe, expect, test } from 'vitest';
import { JobError, NodeCallError } from '../../src/server/kit/job-error.ts';
import { jsonIssues } from '../../src/server/model/json-value.ts';
import { end, MemoryRun, type Worker } from './memory-run.ts';

const F = (n: number) => `01JQZ3M4N5P6Q7R8S9T0V1W2F${n}`;
const K = {
  split: '01JQZ3M4N5P6Q7R8S9T0V1W2K1',
  work: '01JQZ3M4N5P6Q7R8S9T0V1W2K2',
  join: '01JQZ3M4N5P6Q7R8S9T0V1W2K3',
};
const R = '01JQZ3M4N5P6Q7R8S9T0V1W2R1';
const R2 = '01JQZ3M4N5P6Q7R8S9T0V1W2R2';

type Step = { klados: string; then: object; input?: object; type?: string };

/** A run with these steps in its rhiza, and what the workers do. */
function run(steps: Record<string, Step>, workers: Record<string, Worker>): MemoryRun {
  const node = new MemoryRun(workers);
  for (const id of Object.keys(workers)) node.put(id, 'klados');
  node.put(R, 'rhiza', { entry: Object.keys(steps)[0], flow: flowOf(steps) });
  return node;
}

function flowOf(steps: Record<string, Step>): object {
  return Object.fromEntries(
    Object.entries(steps).map(([name, { klados, type = 'klados', ...rest }]) => [
      name,
      { klados: { id: klados, type }, ...rest },
    ]),
  );
}

async function begin(node: MemoryRun, ids: string[], more: object = {}): Promise<void> {
  const step = (node.entities.get(R)?.properties.entry as string) ?? '';
  for (const id of ids) node.put(id, 'file');
  const targets = ids.length === 1 ? { target_entity: ids[0] as string } : { target_entities: ids };
  node.start(K.split, { ...targets, rhiza: { id: R, path: [step], parent_logs: [] }, ...more });
  await node.settle();
}

/** Gives on what it got. */
const same: Worker = async ({ targets }) => targets;
/** Makes one entity a target. */
const make: Worker = async ({ targets, api, job }) => {
  const made = [];
  for (const target of targets) {
    const { id } = await api.create({
      type: 'document',
      collection: job.target_collection,
      properties: { of: target },
    });
    made.push(id);
  }
  return made;
};

const threeSteps = {
  split: { klados: K.split, then: { scatter: 'work' } },
  work: { klados: K.work, input: { quality: 'draft' }, then: { gather: 'join' } },
  join: { klados: K.join, then: { done: true } },
};
const files = [F(1), F(2), F(3)];

describe('a scatter that is gathered', () => {
  test('is the worked example: five logs, a batch, one final output', async () => {
    const node = run(threeSteps, { [K.split]: same, [K.work]: make, [K.join]: make });
    await begin(node, files, { input: { lang: 'en', steps: { work: { quality: 'final' } } } });
    expect(node.jobs()).toEqual([
      `split: ${files.join(' ')}`,
      ...files.map((id) => `split/work: ${id}`),
      expect.stringMatching(/^split\/work\/join:(?: [0-9A-Z]{26}){3}$/),
    ]);
    expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(node.started[1]?.job.input).toEqual({ lang: 'en', quality: 'final', steps: { work: { quality: 'final' } } });
    const [batch] = node.ofType('batch');
    expect(batch?.properties).toMatchObject({
      ...{ rhiza_id: R, target_step: 'work', gather_step: 'join', gather_klados: K.join, total: 3, completed: 3 },
      status: 'complete',
      slots: [0, 1, 2].map((index) => ({ index, status: 'complete', output_ids: [expect.any(String)] })),
    });
    const joined = node.started.at(-1)?.job;
    const slots = batch?.properties.slots as { output_ids: string[] }[];
    expect(joined?.target_entities).toEqual(slots.flatMap(({ output_ids }) => output_ids));
    expect(joined?.rhiza?.batch).toBeUndefined();
    const [root, first] = node.logs();
    expect(first?.links).toContainEqual({ predicate: 'received_from', peer: root?.id });
    expect(root?.links.filter(({ predicate }) => predicate === 'sent_to')).toHaveLength(3);
    const collection = node.entities.get('JOBS')?.relationships ?? [];
    expect(collection.filter(({ predicate }) => predicate === 'log_started')).toHaveLength(5);
    expect(collection.filter(({ predicate }) => predicate === 'log_done')).toHaveLength(5);
    expect(collection.filter(({ predicate }) => predicate === 'final_output').map(({ peer }) => peer)).toEqual([
      node.logs().at(-1)?.id,
    ]);
  });

  test('stops at a slot that fails, and goes on when that job is run again', async () => {
    let broken = true;
    const work: Worker = async (given) => {
      if (broken && given.targets[0] === F(2)) throw new JobError('TIMEOUT', 'too slow');
      return make(given);
    };
    const node = run(threeSteps, { [K.split]: same, [K.work]: work, [K.join]: make });
    await begin(node, files);
    expect(node.ofType('batch')[0]?.properties).toMatchObject({ status: 'error', completed: 2 });
    expect(node.started).toHaveLength(4);
    const failed = node.logs().find(({ status }) => status === 'error');
    expect(failed?.error).toEqual({ code: 'TIMEOUT', message: 'too slow', retryable: true });
    expect(node.entities.get('JOBS')?.relationships).toContainEqual(
      expect.objectContaining({ predicate: 'final_error', peer: failed?.id }),
    );
    broken = false;
    const old = node.started.find(({ job }) => job.target_entity === F(2))?.job;
    if (!old?.rhiza) throw new Error('no job');
    const { job_id: _, ...request } = old;
    node.start(K.work, { ...request, rhiza: { ...old.rhiza, parent_logs: [failed?.id ?? ''] } });
    await node.settle();
    expect(node.ofType('batch')[0]?.properties).toMatchObject({ status: 'complete', completed: 3 });
    expect(node.jobs().at(-1)).toMatch(/^split\/work\/join/);
    expect(node.started.at(-1)?.job.target_entities).toHaveLength(3);
  });

  test('tells equal outputs apart', async () => {
    const node = run(threeSteps, { [K.split]: async () => [F(1), F(1)], [K.work]: make, [K.join]: make });
    await begin(node, [F(1)]);
    expect(node.ofType('batch')[0]?.properties).toMatchObject({ total: 2, completed: 2, status: 'complete' });
  });

  test('goes straight on where a route says that every item is done', async () => {
    const split = {
      klados: K.split,
      then: { scatter: 'work', route: [{ where: { property: 'skip', equals: true }, target: 'done' }] },
    };
    const skip: Worker = async ({ targets }) => targets.map((id) => ({ entity_id: id, skip: true }));
    const node = run({ ...threeSteps, split }, { [K.split]: skip, [K.work]: make, [K.join]: make });
    await begin(node, files);
    expect(node.jobs()).toEqual([`split: ${files.join(' ')}`, `split/work/join: ${files.join(' ')}`]);
  });

  test('counts items that a route says are done as results', async () => {
    const split = {
      klados: K.split,
      then: { scatter: 'work', route: [{ where: { property: 'skip', equals: true }, target: 'done' }] },
    };
    const skip: Worker = async ({ targets }) => targets.map((id, i) => ({ entity_id: id, skip: i === 0 }));
    const node = run({ ...threeSteps, split }, { [K.split]: skip, [K.work]: same, [K.join]: make });
    await begin(node, files);
    expect(node.jobs().at(-1)).toBe(`split/work/join: ${files.join(' ')}`);
  });

  test('waits at the end of passes between', async () => {
    const steps = {
      split: threeSteps.split,
      work: { klados: K.work, then: { pass: 'more' } },
      more: { klados: K.work, then: { gather: 'join' } },
      join: threeSteps.join,
    };
    const node = run(steps, { [K.split]: same, [K.work]: same, [K.join]: make });
    await begin(node, files);
    expect(node.jobs().filter((job) => job.startsWith('split/work/more:'))).toHaveLength(3);
    expect(node.jobs().at(-1)).toBe(`split/work/join: ${files.join(' ')}`);
    expect(node.logs().every(({ status }) => status === 'done')).toBe(true);
  });

  test('waits also where a route between leads to the step that gathers', async () => {
    const route = [{ where: { property: 'kind', equals: 'more' }, target: 'more' }];
    const steps = {
      split: { klados: K.split, then: { scatter: 'work', route } },
      work: { klados: K.work, then: { pass: 'end', route } },
      more: { klados: K.work, then: { gather: 'join' } },
      end: { klados: K.work, then: { done: true } },
      join: threeSteps.join,
    };
    const kinds: Worker = async ({ targets }) =>
      targets.map((id) => ({ entity_id: id, kind: id === F(3) ? 'less' : 'more' }));
    for (const then of [steps.split.then, { scatter: 'work' }, { scatter: 'end', route }]) {
      const node = run(
        { ...steps, split: { klados: K.split, then } },
        { [K.split]: kinds, [K.work]: kinds, [K.join]: make },
      );
      await begin(node, files);
      expect(node.logs().map(({ error }) => error)).toEqual(node.logs().map(() => undefined));
      expect(node.jobs().flatMap((job) => job.split('/join: ')[1] ?? [])).toEqual([files.join(' ')]);
    }
  });

  test('is gathered by the step of its own way, whichever ends last', async () => {
    const route = [{ where: { property: 'kind', equals: 'other' }, target: 'other' }];
    const steps = {
      ...threeSteps,
      split: { klados: K.split, then: { scatter: 'work', route } },
      other: { klados: K.work, then: { gather: 'another' } },
      another: { klados: K.join, then: { done: true } },
    };
    for (const last of files) {
      const kinds: Worker = async ({ targets }) =>
        targets.map((id) => ({ entity_id: id, ...(id === F(2) && { kind: 'other' }) }));
      const node = run(steps, { [K.split]: kinds, [K.work]: same, [K.join]: make });
      node.start(K.split, { target_entities: files, rhiza: { id: R, path: ['split'], parent_logs: [] } });
      await node.run(node.started[0] as (typeof node.started)[number]);
      const some = node.started.slice(1);
      for (const one of some.toSorted(
        (a, b) => Number(a.job.target_entity === last) - Number(b.job.target_entity === last),
      ))
        await node.run(one);
      expect(node.jobs().at(-1)).toBe(`split/work/join: ${files.join(' ')}`);
    }
  });

  test('within another gather goes on with the outer one', async () => {
    const steps = {
      split: { klados: K.split, then: { scatter: 'inner' } },
      inner: { klados: K.split, then: { scatter: 'work' } },
      work: { klados: K.work, then: { gather: 'both' } },
      both: { klados: K.join, then: { gather: 'join' } },
      join: { klados: K.join, then: { done: true } },
    };
    const two: Worker = async ({ targets, job }) => (job.rhiza?.path.length === 1 ? targets : [F(8), F(9)]);
    const node = run(steps, { [K.split]: two, [K.work]: same, [K.join]: make });
    await begin(node, [F(1), F(2)]);
    expect(node.logs().map(({ error }) => error)).toEqual(node.logs().map(() => undefined));
    expect(node.jobs().filter((job) => job.includes('both:'))).toEqual([
      `split/inner/work/both: ${F(8)} ${F(9)}`,
      `split/inner/work/both: ${F(8)} ${F(9)}`,
    ]);
    expect(node.jobs().filter((job) => job.includes('join:'))).toHaveLength(1);
    expect(node.started.at(-1)?.job.target_entities).toHaveLength(4);
    expect(node.ofType('batch').map(({ properties }) => properties.status)).toEqual([
      'complete',
      'complete',
      'complete',
    ]);
  });

  test('through another rhiza comes back to the step that gathers', async () => {
    const steps = { ...threeSteps, work: { klados: R2, type: 'rhiza', then: { gather: 'join' } } };
    const node = run(steps, { [K.split]: same, [K.work]: same, [K.join]: make });
    const inner = { one: { klados: K.work, then: { pass: 'two' } }, two: { klados: K.work, then: { done: true } } };
    node.put(R2, 'rhiza', { entry: 'one', flow: flowOf(inner) });
    await begin(node, files);
    expect(node.jobs().filter((job) => job.startsWith('one/two'))).toHaveLength(3);
    expect(node.jobs().at(-1)).toBe(`split/work/join: ${files.join(' ')}`);
    expect(node.started.at(-1)?.job.rhiza?.id).toBe(R);
  });

  test('gathers what all ways came to that a pass in between takes', async () => {
    const steps = { ...threeSteps, work: { klados: R2, type: 'rhiza', then: { gather: 'join' } } };
    const kinds = ['one', 'two', 'done'];
    const work: Worker = async ({ targets, job }) =>
      job.rhiza?.path.at(-1) === 'in' ? kinds.map((kind, i) => ({ entity_id: F(4 + i), kind })) : targets;
    const node = run(steps, { [K.split]: same, [K.work]: work, [K.join]: make });
    const route = ['two', 'done'].map((kind) => ({ where: { property: 'kind', equals: kind }, target: kind }));
    const end = { klados: K.work, then: { done: true } };
    const inner = { in: { klados: K.work, then: { pass: 'one', route } }, one: end, two: end };
    node.put(R2, 'rhiza', { entry: 'in', flow: flowOf(inner) });
    await begin(node, [F(1), F(2)]);
    const parts = [F(4), F(5), F(6)];
    expect(node.jobs().filter((job) => job.includes('join:'))).toEqual([
      `split/work/join: ${[...parts, ...parts].join(' ')}`,
    ]);
    expect(node.ofType('batch').map(({ properties }) => [properties.total, properties.status])).toEqual([
      [2, 'complete'],
      [3, 'complete'],
      [3, 'complete'],
    ]);
  });

  test('is gathered as deep as it was scattered, however deep a slot goes', async () => {
    const steps = { ...threeSteps, work: { klados: R2, type: 'rhiza', then: { gather: 'join' } } };
    const node = run(steps, { [K.split]: same, [K.work]: same, [K.join]: make });
    node.put(R2, 'rhiza', {
      entry: 'in',
      flow: flowOf({ in: { klados: K.work, then: { recurse: 'in', max_depth: 2 } } }),
    });
    await begin(node, [F(1), F(2)]);
    expect(node.started.slice(-3).map(({ job }) => job.rhiza?.recurse_depth)).toEqual([2, 2, undefined]);
  });

  test('has the error of a way in the slot that the ways fill together', async () => {
    const steps = { ...threeSteps, work: { klados: R2, type: 'rhiza', then: { gather: 'join' } } };
    const work: Worker = async ({ targets, job }) => {
      const step = job.rhiza?.path.at(-1);
      if (step === 'two') throw new Error('no');
      return step === 'in' ? [F(4), { entity_id: F(5), kind: 'two' }] : targets;
    };
    const node = run(steps, { [K.split]: same, [K.work]: work, [K.join]: make });
    const route = [{ where: { property: 'kind', equals: 'two' }, target: 'two' }];
    const end = { klados: K.work, then: { done: true } };
    const inner = { in: { klados: K.work, then: { pass: 'one', route } }, one: end, two: end };
    node.put(R2, 'rhiza', { entry: 'in', flow: flowOf(inner) });
    await begin(node, [F(1), F(2)]);
    expect(node.ofType('batch').map(({ properties }) => [properties.total, properties.status])).toEqual([
      [2, 'error'],
      [2, 'error'],
      [2, 'error'],
    ]);
  });

  test('of thousands writes far fewer versions of the batch than slots', async () => {
    const node = run(threeSteps, { [K.split]: same, [K.work]: same, [K.join]: async () => [] });
    let changes = 0;
    node.onCall = (call) => {
      if (call === 'change') changes++;
    };
    const many = Array.from({ length: 3000 }, (_, i) => `01JQZ3M4N5P6Q7R8S9T0V${String(10_000 + i)}`);
    await begin(node, many);
    expect(node.started.at(-1)?.job.target_entities).toEqual(many);
    expect(changes).toBeLessThan(100);
    expect(JSON.stringify(node.entities.get(node.logs()[0]?.id ?? '')).length).toBeLessThan(1_000_000);
    expect(node.entities.get('JOBS')?.relationships.length).toBeLessThan(10);
  });
});

describe('the other forms', () => {
  test('pass groups outputs by route, and drops what is done', async () => {
    const route = [
      { where: { property: 'kind', equals: 'b' }, target: 'other' },
      {
        where: {
          and: [
            { property: 'kind', equals: 'c' },
            { property: 'deep.0', equals: null },
          ],
        },
        target: 'done',
      },
    ];
    const steps = {
      split: { klados: K.split, then: { pass: 'work', route } },
      work: { klados: K.work, then: { done: true } },
      other: { klados: K.join, then: { done: true } },
    };
    const kinds: Worker = async () => [
      F(1),
      { entity_id: F(2), kind: 'b' },
      { entity_id: F(3), kind: 'c', deep: [null] },
      { entity_id: F(4), kind: 'c' },
    ];
    const node = run(steps, { [K.split]: kinds, [K.work]: same, [K.join]: same });
    await begin(node, [F(1)]);
    expect(node.jobs().slice(1)).toEqual([`split/work: ${F(1)} ${F(4)}`, `split/other: ${F(2)}`]);
  });

  test('a step that is a workflow begins with the klados of the innermost, and with what all levels say', async () => {
    const R3 = '01JQZ3M4N5P6Q7R8S9T0V1W2R3';
    const steps = {
      split: { klados: K.split, then: { pass: 'work' } },
      work: { klados: R2, type: 'rhiza', input: { b: 2, c: 2 }, then: { done: true } },
    };
    const node = run(steps, { [K.split]: same, [K.work]: same });
    const inner = { in: { klados: R3, type: 'rhiza', input: { a: 1, b: 1 }, then: { done: true } } };
    node.put(R2, 'rhiza', { entry: 'in', flow: flowOf(inner) });
    const deep = { deep: { klados: K.work, input: { a: 0 }, then: { done: true } } };
    node.put(R3, 'rhiza', { entry: 'deep', flow: flowOf(deep) });
    await begin(node, [F(1)], { input: { c: 3, steps: { work: { d: 4 } } } });
    expect(node.logs().map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(node.started[1]?.job).toMatchObject({
      input: { a: 1, b: 2, c: 3, d: 4, steps: { work: { d: 4 } } },
      rhiza: { id: R3, path: ['deep'] },
    });
  });

  test('workflows that begin with each other are an error of the job', async () => {
    const steps = {
      split: { klados: K.split, then: { pass: 'work' } },
      work: { klados: R2, type: 'rhiza', then: { done: true } },
    };
    const node = run(steps, { [K.split]: same });
    node.put(R2, 'rhiza', { entry: 'in', flow: flowOf({ in: { klados: R2, type: 'rhiza', then: { done: true } } }) });
    await begin(node, [F(1)]);
    expect(node.logs()[0]?.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('no klados'),
    });
  });

  test('recurse ends at its depth', async () => {
    const node = run({ split: { klados: K.split, then: { recurse: 'split', max_depth: 2 } } }, { [K.split]: same });
    await begin(node, [F(1)]);
    expect(node.started.map(({ job }) => job.rhiza?.recurse_depth)).toEqual([undefined, 1, 2]);
    expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  });

  test('a scatter that nobody gathers starts one each', async () => {
    const steps = { split: threeSteps.split, work: { klados: K.work, then: { done: true } } };
    const node = run(steps, { [K.split]: async () => [F(1), F(1)], [K.work]: same });
    await begin(node, [F(1)]);
    expect(node.started.slice(1).map(({ job }) => job.rhiza?.scatter_total)).toEqual([2, 2]);
    expect(node.ofType('batch')).toEqual([]);
  });

  test('nothing to hand on is an end', async () => {
    for (const then of [{ pass: 'work' }, { scatter: 'work' }, { recurse: 'work' }]) {
      const steps = { split: { klados: K.split, then }, work: { klados: K.work, then: { done: true } } };
      const node = run(steps, { [K.split]: async () => [], [K.work]: same });
      await begin(node, [F(1)]);
      expect(node.jobs()).toHaveLength(1);
      expect(node.entities.get('JOBS')?.relationships.map(({ predicate }) => predicate)).toContain('final_output');
    }
  });

  test('a gather without a scatter is an error of the job', async () => {
    const steps = { split: { klados: K.split, then: { gather: 'join' } }, join: threeSteps.join };
    const node = run(steps, { [K.split]: same, [K.join]: same });
    await begin(node, [F(1)]);
    expect(node.logs()[0]?.error).toMatchObject({ code: 'VALIDATION_ERROR', retryable: false });
  });

  test('a job outside of a workflow is done with its log', async () => {
    const node = run(threeSteps, { [K.split]: same });
    node.put(F(1), 'file');
    node.start(K.split, { target_entity: F(1) });
    await node.settle();
    expect(node.logs()).toEqual([expect.objectContaining({ status: 'done', outputs: [F(1)] })]);
  });
});

describe('what goes wrong', () => {
  test('a job that its processor does not take is an error of its slot, and of nothing else', async () => {
    const node = run(threeSteps, { [K.split]: same, [K.work]: make, [K.join]: make });
    node.refuse = ({ target_entity }) => target_entity === F(2);
    await begin(node, files);
    expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    expect(JSON.stringify(node.entities.get(node.logs()[0]?.id ?? ''))).toContain('has no time');
    expect(node.ofType('batch')[0]?.properties).toMatchObject({
      ...{ status: 'error', completed: 2 },
      slots: [{}, { status: 'error', error: { code: 'REJECTED' } }, {}],
    });
  });

  test('what a processor says where it does not take a job is kept as far as it can be', async () => {
    const node = picky({ [K.split]: same, [K.work]: make, [K.join]: make });
    node.refuse = ({ target_entity }) => target_entity === F(2) && `no \ud83d time ${'🌍'.repeat(3000)}`;
    await begin(node, files);
    expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    const words = 'Step work was refused: no \ufffd time ';
    const message = `${words}${'🌍'.repeat((2000 - words.length) / 2)}`;
    expect(node.ofType('batch')[0]?.properties).toMatchObject({
      ...{ status: 'error', completed: 2 },
      slots: [{}, { status: 'error', error: { code: 'REJECTED', message } }, {}],
    });
  });

  test('what the node does not take of one slot keeps no other out', async () => {
    const work: Worker = async ({ targets }) => (targets[0] === F(3) ? ['half \ud83d'] : targets);
    const node = picky({ [K.split]: same, [K.work]: work, [K.join]: make });
    await begin(node, [F(1), F(2), F(3), F(4), F(5)]);
    expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done', 'error', 'done', 'done']);
    expect(node.ofType('batch')[0]?.properties).toMatchObject({
      ...{ status: 'error', completed: 4 },
      slots: [{}, {}, { status: 'error', error: { code: 'VALIDATION_ERROR' } }, {}, {}],
    });
  });

  test('a handoff that the node refuses is an error of the job and of its slot', async () => {
    const node = run(threeSteps, { [K.split]: same, [K.work]: make, [K.join]: make });
    node.onCall = (call, _, body) => {
      if (call === 'invoke' && (body as { target_entity: string }).target_entity === F(2))
        throw new NodeCallError(400, 'no');
    };
    await begin(node, files);
    expect(node.logs()[0]?.error).toMatchObject({
      code: 'HANDOFF_REFUSED',
      message: expect.stringContaining('1 of 3 outputs could not be handed on'),
      retryable: false,
    });
    expect(node.ofType('batch')[0]?.properties).toMatchObject({ status: 'error', completed: 2 });
  });

  test.each([
    ['passes', { split: { klados: K.split, then: { pass: 'join' } }, join: threeSteps.join }],
    ['scatters', threeSteps],
  ])('a job that %s and of which the node hands on nothing may be resumed', async (_, steps) => {
    const node = run(steps, { [K.split]: same, [K.work]: make, [K.join]: make });
    node.onCall = (call) => {
      if (call === 'invoke') throw new NodeCallError(400, 'the klados is in status disabled');
    };
    await begin(node, files);
    expect(node.logs().map(({ error }) => error)).toMatchObject([{ code: 'HANDOFF_REFUSED', retryable: true }]);
  });

  test('a scatter that a node out of order breaks off hands nothing on after its log says so', async () => {
    const outputs = Array.from({ length: 80 }, (_, n) => `01JQZ3M4N5P6Q7R8S9T0V1WX${10 + n}`);
    const node = run(threeSteps, { [K.split]: async () => outputs, [K.work]: same, [K.join]: same });
    const calls: string[] = [];
    node.onCall = (call, _, body) => {
      const { status } = (body ?? {}) as { status?: string };
      calls.push(status === 'error' ? 'failed' : call);
      if (call === 'invoke' && (body as { target_entity: string }).target_entity === outputs[2])
        throw new NodeCallError(503, 'no room');
    };
    node.put(F(1), 'file');
    // No time is left to ask again.
    node.ms = end;
    node.start(K.split, { target_entity: F(1), rhiza: { id: R, path: ['split'], parent_logs: [] } });
    await node.run(node.started[0] as (typeof node.started)[number]);
    const message = expect.stringMatching(/^no room; what it had handed on by then begins once more/);
    const error = { code: 'SERVICE_UNAVAILABLE', message, retryable: false };
    expect(node.logs()).toMatchObject([{ status: 'error', error }]);
    expect(calls.slice(calls.indexOf('failed'))).not.toContain('invoke');
    expect(node.started.length - 1).toBeLessThan(20);
  });

  test('a job that is run again after a stop in between writes nothing twice', async () => {
    // Stopped at each call to the node in turn.
    for (let stopAt = 1; ; stopAt++) {
      let calls = 0;
      const crash = new Error('stop');
      const node = run(threeSteps, { [K.split]: same, [K.work]: same, [K.join]: same });
      node.onCall = () => {
        if (++calls === stopAt) throw crash;
      };
      for (const id of files) node.put(id, 'file');
      node.start(K.split, { target_entities: files, rhiza: { id: R, path: ['split'], parent_logs: [] } });
      const [root] = node.started;
      if (!root) throw new Error('not started');
      const stopped = await runStopped(node, root, crash);
      if (!stopped) break;
      node.onCall = () => undefined;
      await node.settle();
      expect(node.jobs(), `stopped at call ${stopAt}`).toEqual([
        `split: ${files.join(' ')}`,
        ...files.map((id) => `split/work: ${id}`),
        `split/work/join: ${files.join(' ')}`,
      ]);
      expect(node.logs().map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done']);
      expect(node.ofType('batch')).toHaveLength(1);
    }
  });
});

/** A run of three steps on a node whose batches take only what can be kept. */
function picky(workers: Record<string, Worker>): MemoryRun {
  const node = run(threeSteps, workers);
  node.onCall = (call, _, body) => {
    const [issue] = call === 'change' ? jsonIssues(body, []) : [];
    if (issue) throw new NodeCallError(400, `Validation failed (${issue.path.join('.')}: ${issue.message})`);
  };
  return node;
}

/** Runs one job as a program that dies with the fault: what it would have written afterwards is not. */
async function runStopped(node: MemoryRun, one: MemoryRun['started'][number], crash: Error): Promise<boolean> {
  let dead = false;
  const before = node.onCall;
  node.onCall = (...call) => {
    if (dead) throw crash;
    try {
      before(...call);
    } catch (error) {
      dead = true;
      throw error;
    }
  };
  await node.run(one).catch(() => undefined);
  return dead;
}
