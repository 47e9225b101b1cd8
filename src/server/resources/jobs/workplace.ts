import { ValidationError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { Grantee, GrantPlan } from '../../model/grants.ts';
import type { Precondition, Row } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity, findTip } from '../../store/entities.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import { type GrantOptions, grantStep, loggingActions, planGrants, requireHeld } from './grant-steps.ts';
import { jobCollection } from './job-collection.ts';
import { grantRows, type Launcher } from './launcher.ts';
import { namedCollection } from './targets.ts';

/** Where the processors of an invocation work, and what each needs there. */
export interface Workplace {
  target: EntityRow;
  plans: GrantPlan[];
  /** The collection that the request names for the logs; null where one is to be made, or it is the target. */
  given: { collection: EntityRow; plans: GrantPlan[] } | null;
  /** The collection for the logs as the request names it. */
  named: string | undefined;
  /** With whose permissions. */
  authority: RegisteredActor;
}

/** @throws ValidationError where a collection is not here, or is a mirror in which no log could be written */
export function workplaceOf(
  { writes }: Launcher,
  db: Reader,
  caller: Caller,
  {
    target,
    job_collection: named,
    grantees,
  }: { target: EntityRow; job_collection?: string | undefined; grantees: Grantee[] },
  options: GrantOptions,
): Workplace {
  const { authority } = options;
  if (named === target.id) {
    const logging = grantees.map((one) => ({ ...one, actions: [...one.actions, ...loggingActions] }));
    return { target, plans: planGrants(writes, db, target, logging, options), given: null, named, authority };
  }
  const plans = planGrants(writes, db, target, grantees, options);
  if (named === undefined) return { target, plans, given: null, named, authority };
  const collection = namedCollection(db, caller.network, named, 'job_collection');
  // A grant in a mirror stands in the table of grants, which is about targets.
  if (collection.mirror !== null)
    throw ValidationError.at(
      ['job_collection'],
      `${collection.label || named} is mirrored, and no log could be written there: leave it out, or name a collection of this node`,
    );
  const logging = grantees.map((one) => ({ ...one, actions: loggingActions }));
  const given = { collection, plans: planGrants(writes, db, collection, logging, options) };
  return { target, plans, given, named, authority };
}

export function grantsNeeded(place: Workplace): boolean {
  return plansIn(place).some(({ plan }) => plan.write !== null);
}

export function canProceed(place: Workplace): boolean {
  return plansIn(place).every(({ plan }) => plan.refused.length === 0 && plan.wait === null);
}

/** All plans of a workplace, each with the collection that it is about. */
export function plansIn({ target, plans, given }: Workplace): { plan: GrantPlan; collection: EntityRow }[] {
  const inTarget = plans.map((plan) => ({ plan, collection: target }));
  return given ? [...inTarget, ...given.plans.map((plan) => ({ plan, collection: given.collection }))] : inTarget;
}

/** When the shortest of the grants ends, and not later than was wanted. */
export function endOf(wanted: number, place: Workplace): number {
  return plansIn(place).reduce((end, { plan }) => Math.min(end, plan.expires), wanted);
}

interface OpeningTerms {
  run: string | null;
  job: string;
  end: number;
  within?: string | null;
  rhiza?: string | null;
}

/** What opening a workplace writes. */
export interface Opened {
  steps: Prepared[];
  rows: Row[];
  relies: Precondition[];
  /** Where the logs lie. */
  collection: string;
  /** The target's tip then. */
  targetTip: string;
}

/**
 * The grants, and the collection for the logs where none was named: `within` is the collection that it then lies in. `run` is
 * the run that grants, null for a handoff, whose run has; `job` the job that the new collection is called after, `end` when the
 * grants in it end; `rhiza` the workflow that is started.
 * @throws ForbiddenError where more would be granted than whoever asks holds
 * @throws BusyError where what is granted ends too soon to begin with
 */
export function openWorkplace(
  { writes }: Launcher,
  db: Reader,
  caller: Caller,
  place: Workplace,
  { run, job, end, within = null, rhiza = null }: OpeningTerms,
): Opened {
  const { target, plans, given, named, authority } = place;
  requireHeld(plans, target);
  if (given) requireHeld(given.plans, given.collection);
  const granted = grantStep(writes, db, caller, target, plans);
  const logging = given && grantStep(writes, db, caller, given.collection, given.plans);
  const steps = [granted, logging].filter((step) => step !== null);
  const asked = [...plans.map(({ grantee }) => grantee.id), ...(rhiza === null ? [] : [rhiza])];
  const relies = reliedOn(writes, db, authority, asked, [
    target.id,
    ...(given ? [given.collection.id] : []),
    ...(within === null ? [] : [within]),
  ]);
  const opened = { rows: run === null ? [] : grantRows(run, plans), relies, targetTip: granted?.cid ?? target.cid };
  if (named !== undefined) return { ...opened, steps, collection: named };
  const actor = registered(caller);
  const id = writes.env.newId(caller.network);
  const grantees = plans.map(({ grantee }) => grantee);
  const now = writes.env.now();
  const made = jobCollection(actor, { id, job, grantees, parent: within, now, expires: end }, writes.stamp(actor));
  return { ...opened, steps: [...steps, writes.prepareFirst(db, actor, made)], collection: id };
}

/** What let somebody start processors: these, where they lie and where they work, and the groups through which roles there are held. */
function reliedOn(
  { env }: EntityWrites,
  db: Reader,
  authority: RegisteredActor,
  processors: readonly string[],
  places: readonly string[],
): Precondition[] {
  const homes = processors.flatMap((id) => findEntity(db, id)?.collection ?? []);
  const collections = [...new Set([...places, ...homes])];
  const groups = env.permissions.groupsBehind(db, authority, collections);
  return [...processors, ...collections, ...groups].map((id) => ({ id, tip: findTip(db, id) ?? null }));
}
