import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatherBehind, routed } from '../../src/server/kit/route.ts';
import { type Flow, readFlow, routesOf } from '../../src/server/model/flow.ts';
import { checkFlow } from '../../src/server/model/flow-check.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import { MemoryRun } from './memory-run.ts';

// Workflows of all forms, one within another, are run by the kit, and again by what processors.md 3.5 says of outputs alone:
// both have to come to the same jobs.

const kladoi = ['1', '2'].map((n) => derivedId('main', 'klados', n));
const rhizai = ['1', '2', '3'].map((n) => derivedId('main', 'rhiza', n));
const file = derivedId('main', 'file');

/** A step in numbers, which name what comes behind it. */
const numbers = fc.record({
  form: fc.constantFrom('done', 'pass', 'scatter', 'scatter', 'gather', 'recurse'),
  next: fc.nat(20),
  routes: fc.array(fc.record({ kind: fc.nat(2), next: fc.nat(20) }), { maxLength: 2 }),
  klados: fc.nat(5),
});
const workflows = fc.array(fc.array(numbers, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 2 });
type Steps = typeof numbers extends fc.Arbitrary<infer S> ? S[] : never;

/** Scatters to the workflow within, gathers what that comes to, and does so once more. */
const whole = {
  '0.0': { klados: { id: kladoi[0], type: 'klados' }, then: { scatter: '0.1' } },
  '0.1': { klados: { id: rhizai[1], type: 'rhiza' }, then: { gather: '0.2' } },
  '0.2': { klados: { id: kladoi[1], type: 'klados' }, then: { recurse: '0.0', max_depth: 1 } },
};

function flowOf(steps: Steps, rhiza: number, count: number): object {
  const names = steps.map((_, i) => `${rhiza}.${i}`);
  return Object.fromEntries(
    steps.map(({ form, next, routes, klados }, i) => {
      const behind = names.slice(i + 1);
      const to = (n: number, of: string[]) => of[n % of.length] ?? '';
      const route = routes.map(({ kind, next: n }) => ({
        where: { property: 'kind', equals: kind },
        target: to(n, form === 'gather' ? behind : [...behind, 'done']),
      }));
      const onward = { [form]: to(next, behind), ...(form !== 'gather' && { route }) };
      const then = form === 'recurse' ? { recurse: to(next, names), max_depth: 1 } : onward;
      const last = form === 'done' || (behind.length === 0 && form !== 'recurse');
      const inner = klados > 3 && rhiza + 1 < count ? rhizai[rhiza + 1] : undefined;
      const reference = inner ? { id: inner, type: 'rhiza' } : { id: kladoi[klados % 2], type: 'klados' };
      return [names[i], { klados: reference, then: last ? { done: true } : then }];
    }),
  );
}

/** What a job makes: none to three entities of some kind. */
function made(step: string, targets: readonly string[], depth: number) {
  const bytes = createHash('sha256')
    .update(JSON.stringify([step, targets, depth]))
    .digest();
  const count = step === '0.0' ? 2 : [1, 2, 2, 3, 0][(bytes[0] ?? 0) % 5];
  return Array.from({ length: count ?? 0 }, (_, i) => {
    return { entity_id: derivedId('main', bytes.toString('hex'), String(i)), kind: (bytes[i + 1] ?? 0) % 3 };
  });
}

const lineOf = (step: string, depth: number, targets: readonly string[]) => `${step} ${depth} ${targets.toSorted()}`;
const most = 200;

/** The jobs of a run; null where it gathers nothing, or is long. */
function expected(flows: ReadonlyMap<string, Flow>): string[] | null {
  const jobs: string[] = [];
  /** Gives what the branch comes to. `scattered`: the workflow in which it was scattered to last, null for none. */
  const branch = (
    rhiza: string,
    step: string,
    targets: string[],
    depth: number,
    inBatch: boolean,
    scattered: string | null = null,
  ): string[] => {
    const flow = flows.get(rhiza);
    const { klados, then } = flow?.get(step) ?? {};
    if (!flow || !klados || !then || jobs.length > most) throw new RangeError('too long');
    if (klados.type === 'rhiza')
      return branch(klados.id, flows.get(klados.id)?.keys().next().value ?? '', targets, depth, inBatch);
    jobs.push(lineOf(step, depth, targets));
    const outputs = made(step, targets, depth).map((one) => ({ id: one.entity_id, one }));
    const all = outputs.map(({ id }) => id);
    const ways = (own: string) => outputs.map(({ id, one }) => ({ id, step: routed(then, own, one) }));
    const on = (own: string, deeper: number) =>
      [...Map.groupBy(ways(own), (way) => way.step)].flatMap(([to, some]) => {
        const ids = some.map(({ id }) => id);
        return to === 'done' ? ids : branch(rhiza, to, ids, deeper, inBatch, scattered);
      });
    if ('pass' in then) return on(then.pass, depth);
    if ('recurse' in then && depth < 1) return on(then.recurse, depth + 1);
    if ('gather' in then && !inBatch && scattered === rhiza) throw new Error(`${step} gathers in vain`);
    if ('gather' in then && !inBatch) throw new RangeError('nothing was scattered');
    if (!('scatter' in then) || all.length === 0) return all;
    const gather = gatherBehind(flow, then.scatter, routesOf(then));
    const results = ways(then.scatter).flatMap(({ id, step: to }) =>
      to === 'done' ? [id] : branch(rhiza, to, [id], depth, gather !== null, rhiza),
    );
    if (gather === null) return all;
    if (results.length === 0) throw new RangeError('nothing to gather');
    return branch(rhiza, gather, results, depth, inBatch);
  };
  try {
    branch(rhizai[0] ?? '', '0.0', [file], 0, false);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return jobs.sort();
}

test('a run comes to the jobs that its workflow says, and gathers once all that was scattered', async () => {
  const run = async (given: Steps[]) => {
    const all = [whole, ...given.map((steps, i) => flowOf(steps, i + 1, given.length + 1))];
    fc.pre(all.every((flow, i) => checkFlow(`${i}.0`, flow).errors.length === 0));
    const flows = new Map(all.map((flow, i) => [rhizai[i] ?? '', readFlow(flow) ?? new Map()]));
    const jobs = expected(flows);
    fc.pre(jobs !== null);
    const node: MemoryRun = new MemoryRun(
      Object.fromEntries(
        kladoi.map((id) => [
          id,
          async ({ job: { rhiza }, targets }) =>
            made(rhiza?.path.at(-1) ?? '', targets, Number(rhiza?.recurse_depth ?? 0)),
        ]),
      ),
    );
    for (const [i, flow] of all.entries()) node.put(rhizai[i] ?? '', 'rhiza', { entry: `${i}.0`, flow });
    const first = { id: rhizai[0] ?? '', path: ['0.0'], parent_logs: [] };
    node.start(kladoi[0] ?? '', { target_entity: file, rhiza: first });
    await node.settle();
    const lines = node.started.map(({ job: { rhiza, target_entity = '', target_entities = [target_entity] } }) =>
      lineOf(rhiza?.path.at(-1) ?? '', Number(rhiza?.recurse_depth ?? 0), target_entities),
    );
    expect(lines.sort()).toEqual(jobs);
    expect(node.logs().map(({ error }) => error)).toEqual(jobs?.map(() => undefined));
    expect(node.ofType('batch').filter(({ properties }) => properties.status !== 'complete')).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(workflows, run), { seed: 20_260_223, numRuns: 150, maxSkipsPerRun: 20 });
});
