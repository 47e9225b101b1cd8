import { NotFoundError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { findJobHead } from '../../store/jobs/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { type RunWatch, runStatusNow, runView } from '../jobs/run-watch.ts';
import type { RhizaStatusView } from '../jobs/wire.ts';

export interface RhizaStatusNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  watch: RunWatch;
}

/** How far workflows have come (processors.md 3.9). */
export class RhizaStatusService {
  readonly #needs: RhizaStatusNeeds;

  constructor(needs: RhizaStatusNeeds) {
    this.#needs = needs;
  }

  async status(caller: Caller, id: string, job: string): Promise<RhizaStatusView> {
    return this.#look(await this.#store(caller, id, job), id, job);
  }

  /** The same whenever it changes, until it is final. @throws NotFoundError when the first is asked for */
  async *follow(caller: Caller, id: string, job: string, gone: AbortSignal): AsyncGenerator<RhizaStatusView> {
    const store = await this.#store(caller, id, job);
    yield* this.#needs.watch.follow(store, caller, () => this.#look(store, id, job), gone);
  }

  async #look(store: NetworkStore, rhiza_id: string, job_id: string): Promise<RhizaStatusView> {
    return { job_id, rhiza_id, ...runView(await runStatusNow(store, job_id, this.#needs.writes.env.now())) };
  }

  async #store(caller: Caller, id: string, job: string): Promise<NetworkStore> {
    const { writes, entities } = this.#needs;
    const store = await writes.store(caller);
    store.read((db) => {
      const rhiza = entities.viewedRow(db, caller, id, 'rhiza');
      writes.env.permissions.require(db, accepted(caller), 'rhiza:view', rhiza);
      if (findJobHead(db, job)?.rhiza !== id) throw NotFoundError.of('There is no such job');
    });
    return store;
  }
}
