import { createHash } from 'node:crypto';
import type { InputChecks } from '../../jobs/input-check.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { orderedJson } from '../../model/properties.ts';
import type { Reader } from '../../store/connection.ts';
import type { EntityRow } from '../../store/entities.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { type Handoff, handoffOf } from '../jobs/handoff.ts';
import { inputIssues } from '../jobs/input.ts';
import { defaultSeconds, type Launch, type Launcher, newJob } from '../jobs/launcher.ts';
import { type ProcessorFacts, processorOf, requireActive } from '../jobs/processors.ts';
import { type SubAgentWarning, subAgents } from '../jobs/sub-agents.ts';
import { namedCollection } from '../jobs/targets.ts';
import { begunBefore, Unheard } from '../jobs/unheard.ts';
import { grantedFacts, grantFacts, namedView, previewMessage, rejection } from '../jobs/views.ts';
import { canProceed, endOf, grantsNeeded, openWorkplace, type Workplace, workplaceOf } from '../jobs/workplace.ts';
import type { UsersService } from '../users/service.ts';
import type { AgentInvokedView, AgentPreviewView, InvokeAgentBody } from './wire.ts';

export interface AgentJobsNeeds {
  launcher: Launcher;
  entities: EntitiesService;
  users: UsersService;
  checks: Pick<InputChecks, 'check'>;
}

interface Decision {
  agent: ProcessorFacts;
  /** Where an agent begins the job of one that it uses. */
  handoff: Handoff | null;
  place: Workplace;
  warnings: SubAgentWarning[];
  /** The collection within which the job's own one comes to lie. */
  within: EntityRow | null;
  now: number;
  wantedMs: number;
}

interface Launched extends Launch {
  job: NewJob;
  place: Workplace;
  targetTip: string;
}

/** Invocations of agents (processors.md, section 4). */
export class AgentJobsService {
  readonly #needs: AgentJobsNeeds;
  /** Of agents that begin jobs of those that they use. */
  readonly #unheard = new Unheard<AgentInvokedView>();

  constructor(needs: AgentJobsNeeds) {
    this.#needs = needs;
  }

  async invoke(caller: Caller, id: string, body: InvokeAgentBody): Promise<AgentPreviewView | AgentInvokedView> {
    const actor = registered(caller);
    refuse(jsonIssues(body.input ?? {}, ['input']));
    const { launcher, checks, users } = this.#needs;
    const store = await launcher.writes.store(caller);
    const decide = (db: Reader) => this.#decide(db, caller, id, body);
    const decision = store.read(decide);
    refuse(await inputIssues(checks, decision.agent, body.input));
    if (body.confirm !== true) return preview(decision);
    if (actor.kind !== 'processor') await users.present(caller);
    const begin = (digest: string | null) =>
      this.#begin(store, decision, (db) => this.#launch(db, caller, decide(db), body, digest));
    const { handoff } = decision;
    if (!handoff) return begin(null);
    const { target, job_collection, input = {}, expires_in } = body;
    const asked = [handoff.from.id, id, target, job_collection, expires_in, orderedJson(input as JsonObject)];
    const digest = createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
    const hasLeft = () => caller.hasLeft?.() ?? false;
    return this.#unheard.once(digest, hasLeft, {
      begin: async () => (await this.#begunBefore(store, decision, digest)) ?? begin(digest),
      isBegun: ({ status }) => status === 'started',
    });
  }

  /** What was begun for an agent that had no answer before the node stopped; it is told of that once. */
  async #begunBefore(store: NetworkStore, { place }: Decision, digest: string): Promise<AgentInvokedView | null> {
    const job = await begunBefore(this.#needs.launcher, store, digest);
    if (!job) return null;
    const { id, collection, expires } = job;
    return {
      ...{ status: 'started', job_id: id, job_collection: collection },
      ...{ grants: grantsOf(place), target_cid: place.target.cid, expires_at: isoTime(expires) },
    };
  }

  async #begin(store: NetworkStore, decision: Decision, launch: (db: Reader) => Launched): Promise<AgentInvokedView> {
    const { launcher } = this.#needs;
    const granting = grantsNeeded(decision.place) ? decision.place.target.id : null;
    const { job, place, targetTip } = await launcher.write(store, granting, launch);
    const sending = await launcher.deliver(store, job);
    const head = { grants: grantsOf(place), target_cid: targetTip, expires_at: isoTime(job.expires) };
    const refused = rejection(sending);
    if (refused) return { ...refused, ...head };
    return { status: 'started', job_id: job.id, job_collection: job.collection, ...head };
  }

  #decide(db: Reader, caller: Caller, id: string, body: InvokeAgentBody): Decision {
    const { launcher, entities } = this.#needs;
    const { env } = launcher.writes;
    const actor = registered(caller);
    const agent = processorOf(entities.viewed(db, caller, id), 'agent');
    const { agents, warnings } = subAgents(db, agent);
    const { job_collection } = body;
    const all = [agent, ...agents];
    const handoff = handoffOf(launcher, db, actor, { grantees: all, target: body.target, job_collection });
    if (!handoff) env.permissions.require(db, actor, 'agent:invoke', agent.standing);
    requireActive(db, agent, launcher.needs.isVerified);
    const target = namedCollection(db, caller.network, body.target, 'target');
    const within =
      job_collection === undefined ? null : namedCollection(db, caller.network, job_collection, 'job_collection');
    if (within) env.permissions.require(db, actor, 'entity:create', within);
    const now = env.now();
    const askedMs = (body.expires_in ?? defaultSeconds) * 1000;
    const wantedMs = handoff ? Math.min(askedMs, handoff.until - now) : askedMs;
    const { authority, grantees } = handoff ?? { authority: actor, grantees: all };
    const place = workplaceOf(launcher, db, caller, { target, grantees }, { authority, now, wantedMs });
    return { agent, handoff, place, warnings, within, now, wantedMs };
  }

  #launch(
    db: Reader,
    caller: Caller,
    { agent, handoff, place, within, now, wantedMs }: Decision,
    { input }: InvokeAgentBody,
    digest: string | null,
  ): Launched {
    const { launcher } = this.#needs;
    const id = launcher.newJobId();
    const run = handoff?.from.run ?? id;
    const expires = endOf(now + wantedMs, place);
    const opening = { run: handoff ? null : run, job: id, end: expires, within: within?.id ?? null };
    const { steps, rows, relies, collection, targetTip } = openWorkplace(launcher, db, caller, place, opening);
    const target = place.target.id;
    const asker = handoff?.authority ?? registered(caller);
    const job = newJob(launcher, {
      ...{ id, run, parent: handoff?.from.id ?? null, handoff: digest, processor: agent, asker, collection, target },
      ...{ request: { target, ...(input && { input: input as JsonObject }) }, created: now, expires },
    });
    return { steps, rows: [...rows, { kind: 'job', job }], relies, job, place, targetTip };
  }
}

function grantsOf({ plans }: Workplace) {
  return plans.map((plan) => ({ agent_id: plan.grantee.id, ...grantedFacts(plan) }));
}

function preview({ agent, place, warnings, now, wantedMs }: Decision): AgentPreviewView {
  return {
    status: 'pending_confirmation',
    message: previewMessage(agent.label || agent.id, place),
    grants: place.plans.map((plan) => ({
      agent: namedView(plan.grantee),
      ...grantFacts(plan),
      missing_actions: plan.missingActions,
    })),
    target: namedView(place.target),
    expires_at: isoTime(endOf(now + wantedMs, place)),
    can_proceed: canProceed(place),
    grants_needed: grantsNeeded(place),
    ...(warnings.length > 0 && { warnings }),
  };
}
