import { type Issue, ValidationError } from '../../errors.ts';
import { type Flow, type FlowStep, maxNested, readFlow, routesOf, stepAfter } from '../../model/flow.ts';
import { leadingBack, type Workflow } from '../../model/flow-circles.ts';
import { collectionsOf, type JsonObject, type Manifest } from '../../model/manifest.ts';
import { equalJson } from '../../model/properties.ts';
import type { StepLevels } from '../../model/step-input.ts';
import type { Reader } from '../../store/connection.ts';
import { entitySize, findEntity, findStanding, type Standing } from '../../store/entities.ts';
import { writerHere } from '../../store/jobs/made-here.ts';
import { findProcessor, type IsVerified, type ProcessorFacts, unreadiness } from './processors.ts';

/** The kladoi of a workflow with those of the workflows within it, and how it begins. */
export interface FlowKladoi {
  kladoi: ProcessorFacts[];
  /**
   * Who wrote the workflows that lead to one of them, on whatever way: the ids of who wrote last here what they say. Null for a
   * workflow that came from elsewhere, which may say what it likes.
   */
  authorsOf: (klados: string) => (string | null)[];
  issues: { id: string; reason: string }[];
  entry: Entry | null;
}

export interface Entry {
  /** Undefined where it is none that may work. */
  klados: ProcessorFacts | undefined;
  /** The workflow that its step stands in, and the step. */
  rhiza: string;
  step: string;
  /** The step, and those that lead to it. */
  levels: StepLevels;
}

/** More kladoi than this would make a collection's roles hard to read, and slow. */
const maxKladoi = 500;

/** A workflow is read on the event loop. One that was written here is below this by far (flow.ts); others may be anything. */
const maxBytes = 1024 * 1024;
export const tooLarge = 'at most 1 MiB is run, so divide it into several';

const inCircle = 'cycle: its steps lead back to where they came from, by a workflow that they name; only `recurse` may';

const misnamed = 'not_found: it is a workflow, which a step names as a klados';

export function isTooLarge(db: Reader, rhiza: string): boolean {
  return entitySize(db, rhiza) > maxBytes;
}

/** @throws ValidationError where the flow cannot be read, or there are too many */
export function flowKladoi(db: Reader, rhiza: Standing, isVerified: IsVerified): FlowKladoi {
  const seen = new Set([rhiza.id]);
  const kladoi = new Map<string, ProcessorFacts>();
  const writers = new Map<string, string | null>();
  /** The workflows that name each. */
  const naming = new Map<string, Set<string>>();
  const issues: FlowKladoi['issues'] = [];
  const workflows = new Map<string, Workflow>();
  const left = [rhiza];
  for (let workflow = left.pop(); workflow; workflow = left.pop()) {
    const { id: of, manifest } = workflow;
    writers.set(of, writerHere(db, workflow, doesOther));
    const { entry } = manifest.properties;
    const flow = flowOf(workflow);
    workflows.set(of, { entry, flow });
    for (const { klados: reference } of inOrder(flow, entry)) {
      const { id } = reference;
      naming.set(id, (naming.get(id) ?? new Set()).add(of));
      const row = findEntity(db, id);
      const isWorkflow = row?.type === 'rhiza' && !row.deleted;
      // Another step may name it rightly.
      const isMisnamed = isWorkflow && reference.type === 'klados';
      const met = isMisnamed ? `${id} as a klados` : id;
      if (seen.has(met)) continue;
      seen.add(met);
      if (seen.size > maxKladoi)
        throw ValidationError.at(['id'], `the workflow has more than ${maxKladoi} kladoi: divide it into several`);
      if (isMisnamed) {
        issues.push({ id, reason: misnamed });
        continue;
      }
      if (isWorkflow) {
        if (isTooLarge(db, id))
          throw ValidationError.at(['id'], `the workflow ${id} within it is too large: ${tooLarge}`);
        const within = findStanding(db, id) as Standing;
        // One in development may be a part of what its makers try.
        if (within.manifest.properties.status === 'disabled')
          issues.push({ id, reason: 'not_active: the workflow is disabled' });
        left.push(within);
        continue;
      }
      const facts = findProcessor(db, id, 'klados');
      const reason = unreadiness(facts, isVerified);
      if (facts) kladoi.set(id, facts);
      if (reason !== null) issues.push({ id, reason });
    }
  }
  for (const id of leadingBack(workflows, rhiza.id)) issues.push({ id, reason: inCircle });
  const authorsOf = (id: string) => [...leadingTo(id, naming)].map((workflow) => writers.get(workflow) ?? null);
  return { kladoi: [...kladoi.values()], authorsOf, issues, entry: entryOf(db, rhiza, kladoi) };
}

/** Whether two versions of a workflow differ in what it does, or in where it lies, which decides who may start it. */
function doesOther(one: Manifest, other: Manifest): boolean {
  const doing = (of: Manifest) => [of.properties.flow ?? null, of.properties.entry ?? null, collectionsOf(of)];
  return !equalJson(doing(one), doing(other));
}

/** The workflows that name one, those that name these, and so on. */
function leadingTo(id: string, naming: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set(naming.get(id));
  for (const one of found) for (const above of naming.get(one) ?? []) found.add(above);
  return found;
}

/** The steps as they follow each other, those that nothing leads to last. Stored, they are in the order of their names' lengths. */
function inOrder(flow: Flow, entry: unknown): FlowStep[] {
  const names = new Set(typeof entry === 'string' && flow.has(entry) ? [entry] : []);
  for (const name of names) {
    const then = flow.get(name)?.then;
    if (!then) continue;
    for (const next of [stepAfter(then), ...routesOf(then).map(({ target }) => target)])
      if (next !== null && flow.has(next)) names.add(next);
  }
  for (const name of flow.keys()) names.add(name);
  return [...names].map((name) => flow.get(name) as FlowStep);
}

/** A step may name a workflow, whose own entry then begins. */
function entryOf(db: Reader, rhiza: Standing, kladoi: ReadonlyMap<string, ProcessorFacts>): Entry | null {
  const names: string[] = [];
  const inputs: JsonObject[] = [];
  let current: Standing | undefined = rhiza;
  for (let depth = 0; current && depth < maxNested; depth++) {
    const step = entryStep(current);
    if (!step) return null;
    names.unshift(step.name);
    if (step.input) inputs.unshift(step.input);
    const found = findEntity(db, step.klados.id);
    if (found?.type !== 'rhiza')
      return { klados: kladoi.get(step.klados.id), rhiza: current.id, step: step.name, levels: { names, inputs } };
    current = found.deleted ? undefined : findStanding(db, found.id);
  }
  return null;
}

function entryStep(rhiza: Standing): (FlowStep & { name: string }) | undefined {
  const name = rhiza.manifest.properties.entry;
  const step = typeof name === 'string' ? flowOf(rhiza).get(name) : undefined;
  return step && { ...step, name: name as string };
}

function flowOf({ id, manifest }: Standing): Flow {
  const flow = readFlow(manifest.properties.flow);
  if (flow === null) throw ValidationError.at(['id'], `the flow of ${id} cannot be read: PUT /rhizai/{id} a new one`);
  return flow;
}

/** What keeps a workflow from being started. */
export function readinessIssues(issues: FlowKladoi['issues']): Issue[] {
  return issues
    .slice(0, 100)
    .map(({ id, reason }) => ({ path: ['id'], message: `${id} in the workflow cannot work: ${reason}` }));
}
