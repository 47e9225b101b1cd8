import { ValidationError } from '../../errors.ts';
import type { InputChecks } from '../../jobs/input-check.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { Network } from '../../model/ids.ts';
import { isoTime } from '../../model/iso-time.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { stepInput } from '../../model/step-input.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { forbiddenCommands } from '../jobs/flow-commands.ts';
import { type FlowKladoi, flowKladoi, readinessIssues } from '../jobs/flow-kladoi.ts';
import { inputIssues } from '../jobs/input.ts';
import { defaultSeconds, type Launch, type Launcher, newJob } from '../jobs/launcher.ts';
import type { ProcessorFacts } from '../jobs/processors.ts';
import { missingTargets, namedCollection, targetsFor } from '../jobs/targets.ts';
import { kladosGrant, namedView, previewMessage, rejection } from '../jobs/views.ts';
import { endOf, grantsNeeded, openWorkplace, type Workplace, workplaceOf } from '../jobs/workplace.ts';
import type { UsersService } from '../users/service.ts';
import { inUse } from './in-use.ts';
import type { InvokeRhizaBody, RhizaInvokedView, RhizaPreviewView } from './wire.ts';

export interface RhizaJobsNeeds {
  launcher: Launcher;
  entities: EntitiesService;
  users: UsersService;
  checks: Pick<InputChecks, 'check'>;
}

/** One invocation of a rhiza, decided on in one read. */
interface Decision {
  rhiza: Standing;
  flow: FlowKladoi;
  place: Workplace;
  now: number;
  wantedMs: number;
}

/** Starts workflows: all their kladoi are granted what they need, and the entry step begins (processors.md, section 3). */
export class RhizaJobsService {
  readonly #needs: RhizaJobsNeeds;

  constructor(needs: RhizaJobsNeeds) {
    this.#needs = needs;
  }

  async invoke(caller: Caller, id: string, body: InvokeRhizaBody): Promise<RhizaPreviewView | RhizaInvokedView> {
    const actor = registered(caller);
    refuse(jsonIssues(body.input ?? {}, ['input']));
    const { launcher, checks, users } = this.#needs;
    const store = await launcher.writes.store(caller);
    const decide = (db: Reader) => this.#decide(db, caller, id, body);
    const decision = store.read(decide);
    refuse(await missingTargets(store, body));
    decision.flow.issues.push(...(await this.#unready(caller.network, decision.flow)));
    if (body.confirm !== true) return preview(decision);
    const { klados } = readyEntry(decision);
    refuse(await inputIssues(checks, klados, inputOf(decision, body)));
    if (actor.kind !== 'processor') await users.present(caller);
    const granting = grantsNeeded(decision.place) ? decision.place.target.id : null;
    const { job } = await launcher.write(store, granting, (db) => this.#launch(db, caller, decide(db), body));
    const refused = rejection(await launcher.deliver(store, job));
    if (refused) return refused;
    const { id: job_id, collection: job_collection, expires } = job;
    return { status: 'started', job_id, job_collection, rhiza_id: id, expires_at: isoTime(expires) };
  }

  /** Kladoi of which their dispatcher knows that they cannot work, such as commands that are not allowed. */
  async #unready(network: Network, { kladoi }: FlowKladoi): Promise<FlowKladoi['issues']> {
    const { sender } = this.#needs.launcher.needs;
    const issues: FlowKladoi['issues'] = [];
    for (const { id, standing, status } of kladoi) {
      const { endpoint } = standing.manifest.properties;
      if (status !== 'active' || typeof endpoint !== 'string') continue;
      const reason = await sender.unready(network, id, endpoint);
      if (reason !== null) issues.push({ id, reason });
    }
    return issues;
  }

  #decide(db: Reader, caller: Caller, id: string, body: InvokeRhizaBody): Decision {
    const { launcher, entities } = this.#needs;
    const { env } = launcher.writes;
    const authority = registered(caller);
    const row = entities.viewedRow(db, caller, id, 'rhiza');
    env.permissions.require(db, authority, 'rhiza:invoke', row);
    const rhiza = inUse({ entities, permissions: env.permissions }, db, caller, id);
    const target = namedCollection(db, caller.network, body.target_collection, 'target_collection');
    const flow = flowKladoi(db, rhiza, launcher.needs.isVerified);
    flow.issues.push(...forbiddenCommands(launcher, db, authority, flow));
    targetsFor(flow.entry?.klados?.cardinality, body);
    const now = env.now();
    const wantedMs = (body.expires_in ?? defaultSeconds) * 1000;
    const options = { authority, now, wantedMs };
    const place = workplaceOf(launcher, db, caller, { target, grantees: flow.kladoi }, options);
    return { rhiza, flow, place, now, wantedMs };
  }

  #launch(db: Reader, caller: Caller, decision: Decision, body: InvokeRhizaBody): Launch & { job: NewJob } {
    const { launcher } = this.#needs;
    const { rhiza, place, now, wantedMs } = decision;
    const { entry, klados } = readyEntry(decision);
    const id = launcher.newJobId();
    const expires = endOf(now + wantedMs, place);
    const { steps, rows, relies, collection } = openWorkplace(launcher, db, caller, place, {
      ...{ run: id, job: id, end: expires },
      rhiza: rhiza.id,
    });
    const input = inputOf(decision, body);
    const target = place.target.id;
    const job = newJob(launcher, {
      ...{ id, run: id, processor: klados, rhiza: rhiza.id, asker: registered(caller), collection, target },
      request: {
        ...targetsFor(klados.cardinality, body),
        target_collection: target,
        ...(input && { input }),
        rhiza: { id: entry.rhiza, path: [entry.step], parent_logs: [] },
      },
      ...{ created: now, expires },
    });
    return { steps, rows: [...rows, { kind: 'job', job }], relies, job };
  }
}

const noEntry = 'the entry of the workflow leads to no klados';

/** @throws ValidationError where a klados of the workflow cannot work */
function readyEntry({ flow }: Decision): { entry: NonNullable<FlowKladoi['entry']>; klados: ProcessorFacts } {
  refuse(readinessIssues(flow.issues));
  const { entry } = flow;
  if (!entry?.klados) throw ValidationError.at(['id'], noEntry);
  return { entry, klados: entry.klados };
}

function inputOf({ flow }: Decision, { input }: InvokeRhizaBody): JsonObject | undefined {
  return flow.entry ? stepInput(flow.entry.levels, input as JsonObject | undefined) : undefined;
}

function preview({ rhiza, flow, place, now, wantedMs }: Decision): RhizaPreviewView {
  const name = rhiza.label || rhiza.id;
  const leadsNowhere = flow.issues.length === 0 && flow.entry?.klados === undefined;
  const issues = leadsNowhere ? [{ id: rhiza.id, reason: `no_entry: ${noEntry}` }] : flow.issues;
  const ready = issues.length === 0;
  const count = place.plans.length;
  return {
    status: 'pending_confirmation',
    message: ready ? previewMessage(name, place) : `${name} cannot be started: see klados_issues.`,
    grants: place.plans.map(kladosGrant).map(({ klados, actions, role, already_granted }) => {
      return { klados, actions, role, already_granted };
    }),
    target: namedView(place.target),
    expires_at: isoTime(endOf(now + wantedMs, place)),
    kladoi_count: count,
    all_ready: ready,
    ...(!ready && { klados_issues: issues }),
  };
}
