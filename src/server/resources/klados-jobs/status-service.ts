import { NotFoundError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { type RunStatus, runStatus } from '../../model/run-status.ts';
import { batchPlace, batchRest, findJobHead, runJob } from '../../store/jobs/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { type RunWatch, runStatusNow, runView } from '../jobs/run-watch.ts';
import type { KladosStatusView } from '../jobs/wire.ts';

export interface KladosStatusNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  watch: RunWatch;
}

/** How far single jobs of kladoi have come, and batches of them. */
export class KladosStatusService {
  readonly #needs: KladosStatusNeeds;

  constructor(needs: KladosStatusNeeds) {
    this.#needs = needs;
  }

  async status(caller: Caller, id: string, job: string): Promise<KladosStatusView> {
    const { store, collection } = await this.#found(caller, id, job);
    return this.#look(store, id, job, collection);
  }

  /** The same whenever it changes, until it is final. */
  async *follow(caller: Caller, id: string, job: string, gone: AbortSignal): AsyncGenerator<KladosStatusView> {
    const { store, collection } = await this.#found(caller, id, job);
    yield* this.#needs.watch.follow(store, caller, () => this.#look(store, id, job, collection), gone);
  }

  async #look(
    store: NetworkStore,
    klados_id: string,
    job_id: string,
    job_collection: string,
  ): Promise<KladosStatusView> {
    const isBatch = store.look((db) => batchRest(db, job_id)) !== undefined;
    const status = isBatch
      ? await runStatusNow(store, job_id, this.#needs.writes.env.now())
      : this.#ofJob(store, job_id);
    return { job_id, klados_id, job_collection, ...runView(status) };
  }

  #ofJob(store: NetworkStore, job: string): RunStatus {
    const now = this.#needs.writes.env.now();
    return store.read((db) => {
      const found = runJob(db, job);
      // What it handed on to is another job's; whether it came is for the workflow to say.
      const alone = found && { ...found, parent: null, log: found.log && { ...found.log, promised: 0 } };
      return runStatus(alone ? [alone] : [], [], now);
    });
  }

  async #found(caller: Caller, id: string, job: string): Promise<{ store: NetworkStore; collection: string }> {
    const { writes, entities } = this.#needs;
    const store = await writes.store(caller);
    const collection = store.read((db) => {
      const klados = entities.viewedRow(db, caller, id, 'klados');
      writes.env.permissions.require(db, accepted(caller), 'klados:view', klados);
      const found = findJobHead(db, job) ?? batchPlace(db, job);
      if (found?.processor !== id) throw NotFoundError.of('There is no such job');
      return found.collection;
    });
    return { store, collection };
  }
}
