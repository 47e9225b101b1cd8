import type { InputChecks } from '../../jobs/input-check.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { JobRequest, RhizaContext } from '../../model/job-request.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject } from '../../model/manifest.ts';
import type { Reader } from '../../store/connection.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import type { StoredJob } from '../../store/jobs/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { type Handoff, handedOnBefore, handoffDigest, handoffOf, isUnnumbered } from '../jobs/handoff.ts';
import { inputIssues } from '../jobs/input.ts';
import { defaultSeconds, type Launch, type Launcher, newJob } from '../jobs/launcher.ts';
import { type ProcessorFacts, processorOf, requireActive } from '../jobs/processors.ts';
import { missingTargets, namedCollection, targetsFor } from '../jobs/targets.ts';
import { begunBefore, Unheard } from '../jobs/unheard.ts';
import { kladosGrant, kladosGranted, namedView, previewMessage, rejection } from '../jobs/views.ts';
import { canProceed, endOf, grantsNeeded, openWorkplace, type Workplace, workplaceOf } from '../jobs/workplace.ts';
import type { UsersService } from '../users/service.ts';
import type { InvokeKladosBody, KladosInvokedView, KladosPreviewView } from './wire.ts';

export interface KladosJobsNeeds {
  launcher: Launcher;
  entities: EntitiesService;
  users: UsersService;
  checks: Pick<InputChecks, 'check'>;
}

/** One invocation of a klados, decided on in one read. */
interface Decision {
  klados: ProcessorFacts;
  place: Workplace;
  handoff: Handoff | null;
  /** What is sent, but for the job's id and the collections. */
  request: Pick<JobRequest, 'target_entity' | 'target_entities' | 'input' | 'rhiza'>;
  now: number;
  wantedMs: number;
}

/** An invocation that is to begin. */
interface Confirmed {
  store: NetworkStore;
  caller: Caller;
  decision: Decision;
  /** Decides anew. */
  decide: (db: Reader) => Decision;
}

interface Launched extends Launch {
  job: NewJob;
  place: Workplace;
  targetTip: string;
}

/** Invocations of kladoi: by whoever wants one, and by kladoi that hand on (processors.md, section 2). */
export class KladosJobsService {
  readonly #needs: KladosJobsNeeds;
  /** Handoffs that are being written, so that one that is sent twice is one. */
  readonly #handingOn = new Map<string, Promise<KladosInvokedView>>();
  /** Handoffs of which a second one may be meant as well. */
  readonly #unheard = new Unheard<KladosInvokedView>();

  constructor(needs: KladosJobsNeeds) {
    this.#needs = needs;
  }

  async invoke(caller: Caller, id: string, body: InvokeKladosBody): Promise<KladosPreviewView | KladosInvokedView> {
    registered(caller);
    const rhiza = (body.rhiza ?? body.rhiza_context) as RhizaContext | undefined;
    refuse([...jsonIssues(body.input ?? {}, ['input']), ...jsonIssues(rhiza ?? {}, ['rhiza'])]);
    const wanted = { ...body, rhiza };
    const store = await this.#needs.launcher.writes.store(caller);
    const decide = (db: Reader) => this.#decide(db, caller, id, wanted);
    const decision = store.read(decide);
    refuse(await missingTargets(store, body));
    refuse(await inputIssues(this.#needs.checks, decision.klados, body.input));
    if (body.confirm !== true) return preview(decision);
    if (decision.place.named === undefined && registered(caller).kind !== 'processor')
      await this.#needs.users.present(caller);
    const { handoff, klados, request } = decision;
    const digest = handoff && handoffDigest(handoff.from.run, klados.id, request);
    const confirmed = { store, caller, decision, decide };
    if (handoff === null || digest === null)
      return this.#sent(store, await this.#write(confirmed, { handoff: null, retries: null }));
    const key = `${store.network} ${digest}`;
    if (isUnnumbered(request))
      return this.#unheard.once(key, () => caller.hasLeft?.() ?? false, {
        begin: () => this.#startAnother(confirmed, digest),
        isBegun: ({ status }) => status === 'started',
      });
    const running = this.#handingOn.get(key);
    if (running) return running;
    const started = this.#startOnce(confirmed, handoff.from.run, digest).finally(() => this.#handingOn.delete(key));
    this.#handingOn.set(key, started);
    return started;
  }

  #decide(
    db: Reader,
    caller: Caller,
    id: string,
    body: InvokeKladosBody & { rhiza: RhizaContext | undefined },
  ): Decision {
    const { launcher, entities } = this.#needs;
    const { env } = launcher.writes;
    const actor = registered(caller);
    const now = env.now();
    const klados = processorOf(entities.viewed(db, caller, id), 'klados');
    const { rhiza, target_collection, job_collection } = body;
    const asked = { grantees: [klados], target: target_collection, job_collection, logs: rhiza?.parent_logs };
    const handoff = rhiza ? handoffOf(launcher, db, actor, asked) : null;
    if (!handoff) env.permissions.require(db, actor, 'klados:invoke', klados.standing);
    requireActive(db, klados, launcher.needs.isVerified);
    const target = namedCollection(db, caller.network, target_collection, 'target_collection');
    const targets = targetsFor(klados.cardinality, body);
    const askedMs = (body.expires_in ?? defaultSeconds) * 1000;
    const wantedMs = handoff ? Math.min(askedMs, handoff.until - now) : askedMs;
    const { authority, grantees } = handoff ?? { authority: actor, grantees: [klados] };
    const wanted = { target, job_collection, grantees };
    const place = workplaceOf(launcher, db, caller, wanted, { authority, now, wantedMs });
    const { input } = body;
    const request = { ...targets, ...(input && { input: input as JsonObject }), ...(rhiza && { rhiza }) };
    return { klados, place, handoff, request, now, wantedMs };
  }

  /** The same handoff again is answered what the first was, unless that was refused: then it takes the place of that one. */
  async #startOnce(confirmed: Confirmed, run: string, digest: string): Promise<KladosInvokedView> {
    const { store, decision, decide } = confirmed;
    const { klados, request, place } = decision;
    const { writes, needs } = this.#needs.launcher;
    const newest = () => store.read((db) => handedOnBefore(db, run, klados.id, request, digest));
    const known = newest();
    if (!known) return this.#sent(store, await this.#write(confirmed, { handoff: digest, retries: null }));
    const { state } = needs.sender.told(known.id) ?? known.sending;
    if (state !== 'refused') return begunView(known, place);
    // In turn with whoever repeats what failed of the run: it is begun again once, and by nobody who was repeated meanwhile.
    const launched = await writes.queued(store, run, async () => {
      if (newest()?.id !== known.id) return null;
      const anew = { ...confirmed, decision: store.read(decide) };
      return this.#write(anew, { handoff: digest, retries: known.id });
    });
    return launched ? this.#sent(store, launched) : this.#startOnce(confirmed, run, digest);
  }

  /** One of several that may be equal, but for what its worker asks for again that had no answer before the node stopped. */
  async #startAnother(confirmed: Confirmed, digest: string): Promise<KladosInvokedView> {
    const { store, decision } = confirmed;
    const begun = await begunBefore(this.#needs.launcher, store, digest);
    if (begun) return begunView(begun, decision.place);
    const launched = await this.#write(confirmed, { handoff: digest, retries: null });
    return this.#sent(store, launched, { early: true });
  }

  async #write(
    { store, caller, decision, decide }: Confirmed,
    record: Pick<NewJob, 'handoff' | 'retries'>,
  ): Promise<Launched> {
    const granting = grantsNeeded(decision.place) ? decision.place.target.id : null;
    // Since it was decided its targets were looked up and its input was checked, each in its turn.
    return this.#needs.launcher.write(store, granting, (db) => this.#launch(db, caller, decide(db), record));
  }

  async #sent(
    store: NetworkStore,
    { job, place, targetTip }: Launched,
    options: { early?: boolean } = {},
  ): Promise<KladosInvokedView> {
    const sending = await this.#needs.launcher.deliver(store, job, options);
    const grants = place.plans.map(kladosGranted);
    const head = { grants, target_cid: targetTip, expires_at: isoTime(job.expires) };
    const refused = rejection(sending);
    if (refused) return { ...refused, ...head };
    const { id: job_id, collection: job_collection, processor: klados_id } = job;
    return { status: 'started', job_id, job_collection, klados_id, ...head };
  }

  #launch(db: Reader, caller: Caller, decision: Decision, record: Pick<NewJob, 'handoff' | 'retries'>): Launched {
    const { launcher } = this.#needs;
    const { klados, place, request, now, wantedMs } = decision;
    const { from, authority: asker } = decision.handoff ?? { from: null, authority: registered(caller) };
    const id = launcher.newJobId();
    const run = from?.run ?? id;
    const expires = endOf(now + wantedMs, place);
    const opened = openWorkplace(launcher, db, caller, place, { run: from ? null : run, job: run, end: expires });
    const { collection, targetTip } = opened;
    const target = place.target.id;
    const job = newJob(launcher, {
      ...{ id, run, parent: from?.id ?? null, ...record, processor: klados, asker, collection, target },
      ...{ request: { ...request, target_collection: target }, created: now, expires },
    });
    const { steps, rows, relies } = opened;
    return { steps, rows: [...rows, { kind: 'job', job }], relies, job, place, targetTip };
  }
}

/** What was begun before. */
function begunView({ id, collection, processor, expires }: StoredJob, { plans, target }: Workplace): KladosInvokedView {
  return {
    ...{ status: 'started', job_id: id, job_collection: collection, klados_id: processor },
    ...{ grants: plans.map(kladosGranted), target_cid: target.cid, expires_at: isoTime(expires) },
  };
}

function preview({ klados, place, now, wantedMs }: Decision): KladosPreviewView {
  return {
    status: 'pending_confirmation',
    message: previewMessage(klados.label || klados.id, place),
    grants: place.plans.map(kladosGrant),
    target: namedView(place.target),
    expires_at: isoTime(endOf(now + wantedMs, place)),
    can_proceed: canProceed(place),
    grants_needed: grantsNeeded(place),
  };
}
