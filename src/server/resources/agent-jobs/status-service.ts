import { NotFoundError } from '../../errors.ts';
import type { AgentStatusSource } from '../../jobs/agent-status.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { phaseOf } from '../../model/run-status.ts';
import { findStanding } from '../../store/entities.ts';
import { findJobHead, runJob } from '../../store/jobs/jobs.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { AgentStatusView } from './wire.ts';

export interface AgentStatusNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  source: AgentStatusSource;
}

/** What agents say of their jobs (processors.md 4.3). */
export class AgentStatusService {
  readonly #needs: AgentStatusNeeds;

  constructor(needs: AgentStatusNeeds) {
    this.#needs = needs;
  }

  /**
   * The agent's own answer. Of a job that it refused it is not asked; and when its permissions have ended, the job has as
   * well, whatever it says.
   * @throws NotFoundError, UnreachableError
   */
  async status(
    caller: Caller,
    id: string,
    job: string,
    query: { detail?: 'full' | undefined; errors?: number | undefined },
  ): Promise<AgentStatusView> {
    const { writes, entities, source } = this.#needs;
    const store = await writes.store(caller);
    const now = writes.env.now();
    const { known, endpoint } = store.read((db) => {
      const agent = entities.viewedRow(db, caller, id);
      if (agent.type !== 'agent') throw new NotFoundError();
      writes.env.permissions.require(db, accepted(caller), 'agent:view', agent);
      const found = findJobHead(db, job);
      const known = found?.processor === id ? runJob(db, job) : undefined;
      if (!known) throw NotFoundError.of('There is no such job');
      const endpoint = String(findStanding(db, id)?.manifest.properties.endpoint);
      return { known, endpoint };
    });
    const { phase, error } = phaseOf({ ...known, log: null }, now);
    const own = (): AgentStatusView => ({
      job_id: job,
      status: phase,
      progress: { total: 1, pending: 0, done: 0, error: 1 },
      started_at: new Date(known.created).toISOString(),
      completed_at: new Date(Math.min(known.expires, now)).toISOString(),
      ...(error && { error: { code: error.code, message: error.message } }),
    });
    if (known.state === 'refused') return own();
    const late = now >= known.expires;
    try {
      const said = (await source.ask({ id, endpoint }, job, query)) as unknown as AgentStatusView;
      const open = said.status !== 'done' && said.status !== 'error';
      if (!late || !open) return said;
      return { ...said, status: 'error', error: { code: 'TIMEOUT', message: error?.message ?? '' } };
    } catch (fault) {
      if (late) return own();
      throw fault;
    }
  }
}
