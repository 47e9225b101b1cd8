import type { Issue } from '../../errors.ts';
import { batchJob } from '../../jobs/batch-job.ts';
import type { InputChecks } from '../../jobs/input-check.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject } from '../../model/manifest.ts';
import type { Row } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import type { NewJobBatch } from '../../store/jobs/job-rows.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { askerText } from '../asker.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { inputsIssues } from '../jobs/input.ts';
import { defaultSeconds, type Launch, type Launcher } from '../jobs/launcher.ts';
import { type ProcessorFacts, processorOf, requireActive } from '../jobs/processors.ts';
import { missingTargets, namedCollection } from '../jobs/targets.ts';
import { kladosGrant, kladosGranted, namedView, previewMessage } from '../jobs/views.ts';
import { canProceed, endOf, grantsNeeded, openWorkplace, type Workplace, workplaceOf } from '../jobs/workplace.ts';
import type { UsersService } from '../users/service.ts';
import type { InvokeBatchBody, KladosBatchPreviewView, KladosDispatchView } from './wire.ts';

export interface BatchJobsNeeds {
  launcher: Launcher;
  entities: EntitiesService;
  users: UsersService;
  checks: Pick<InputChecks, 'check'>;
}

interface Decision {
  klados: ProcessorFacts;
  place: Workplace;
  now: number;
  wantedMs: number;
}

const maxIssues = 100;

/** Many jobs of one klados at once (wire-contract.md 4.4): they are on disk before the answer, and sent a few at a time. */
export class BatchJobsService {
  readonly #needs: BatchJobsNeeds;

  constructor(needs: BatchJobsNeeds) {
    this.#needs = needs;
  }

  async invoke(
    caller: Caller,
    id: string,
    body: InvokeBatchBody,
  ): Promise<KladosBatchPreviewView | KladosDispatchView> {
    const actor = registered(caller);
    const { launcher, users } = this.#needs;
    refuse([
      ...jsonIssues(body.input ?? {}, ['input']),
      ...body.invocations.flatMap(({ input }, i) => jsonIssues(input ?? {}, ['invocations', i, 'input'])),
    ]);
    const store = await launcher.writes.store(caller);
    const decide = (db: Reader) => this.#decide(db, caller, id, body);
    const decision = store.read(decide);
    refuse(await missing(store, body));
    refuse(await this.#inputIssues(decision.klados, body));
    if (body.confirm !== true) return preview(decision, body.invocations.length);
    if (actor.kind !== 'processor') await users.present(caller);
    const granting = grantsNeeded(decision.place) ? decision.place.target.id : null;
    const { batch, place, targetTip } = await launcher.write(store, granting, (db) =>
      this.#launch(db, caller, decide(db), body),
    );
    launcher.needs.queueOf(store).wake();
    return {
      status: 'dispatching',
      job_collection: batch.job.collection,
      klados_id: id,
      dispatch_id: batch.id,
      total: batch.items.length,
      grants: place.plans.map(kladosGranted),
      target_cid: targetTip,
      expires_at: isoTime(batch.job.expires),
    };
  }

  #decide(db: Reader, caller: Caller, id: string, body: InvokeBatchBody): Decision {
    const { launcher, entities } = this.#needs;
    const { env } = launcher.writes;
    const authority = registered(caller);
    const klados = processorOf(entities.viewed(db, caller, id), 'klados');
    env.permissions.require(db, authority, 'klados:invoke', klados.standing);
    requireActive(db, klados, launcher.needs.isVerified);
    const target = namedCollection(db, caller.network, body.target_collection, 'target_collection');
    const now = env.now();
    const wantedMs = (body.expires_in ?? defaultSeconds) * 1000;
    const options = { authority, now, wantedMs };
    return { klados, place: workplaceOf(launcher, db, caller, { target, grantees: [klados] }, options), now, wantedMs };
  }

  async #inputIssues(klados: ProcessorFacts, { input, invocations }: InvokeBatchBody): Promise<Issue[]> {
    const inputs = invocations.map((item) => ({ ...input, ...item.input }));
    const found = await inputsIssues(this.#needs.checks, klados, inputs);
    return found
      .flatMap((issues, i) =>
        issues.map(({ path, message }): Issue => ({ path: ['invocations', i, 'input', ...path], message })),
      )
      .slice(0, maxIssues);
  }

  #launch(
    db: Reader,
    caller: Caller,
    { klados, place, now, wantedMs }: Decision,
    { input, invocations }: InvokeBatchBody,
  ): Launch & { batch: NewJobBatch; place: Workplace; targetTip: string } {
    const { launcher } = this.#needs;
    const id = `dispatch_${launcher.needs.newUlid()}`;
    const expires = endOf(now + wantedMs, place);
    const { steps, rows, relies, collection, targetTip } = openWorkplace(launcher, db, caller, place, {
      ...{ run: id, job: id },
      end: expires,
    });
    const batch: NewJobBatch = {
      id,
      job: {
        ...{ type: 'klados', processor: klados.id, rhiza: null, collection, target: place.target.id },
        ...{ parent: null, retries: null, handoff: null, asker: askerText(registered(caller)) },
        request: {
          target_collection: place.target.id,
          job_collection: collection,
          ...(input && { input: input as JsonObject }),
          api_base: launcher.needs.apiBase(),
          expires_at: isoTime(expires),
          network: caller.network,
        },
        ...{ created: now, expires },
      },
      items: invocations.map(({ target_entity, input: own }) => ({
        target_entity,
        ...(own && { input: own as JsonObject }),
      })),
      ...(klados.cardinality === 'many' && { many: true as const }),
    };
    // The first becomes a job at once, so that whoever lists what was started finds the batch, however long its klados rests.
    const first = batch.items.slice(0, 1).flatMap((item) => batchJob(batch, item, launcher.newJobId()));
    const begun: Row[] = [{ kind: 'job_batch', batch }, ...first, { kind: 'job_batch_step', id, next: 1 }];
    return { steps, rows: [...rows, ...begun], relies, batch, place, targetTip };
  }
}

async function missing(store: NetworkStore, { invocations }: InvokeBatchBody): Promise<Issue[]> {
  const ids = invocations.map(({ target_entity }) => target_entity);
  const issues = await missingTargets(store, { target_entities: ids });
  return issues.map(({ path: [, i = 0], message }) => ({ path: ['invocations', i, 'target_entity'], message }));
}

function preview({ klados, place, now, wantedMs }: Decision, count: number): KladosBatchPreviewView {
  return {
    status: 'pending_confirmation',
    message: previewMessage(`${count} jobs of ${klados.label || klados.id}`, place),
    grants: place.plans.map(kladosGrant),
    target: namedView(place.target),
    expires_at: isoTime(endOf(now + wantedMs, place)),
    invocation_count: count,
    can_proceed: canProceed(place),
    grants_needed: grantsNeeded(place),
  };
}
