import { NotFoundError } from '../../errors.ts';
import type { AgentStatusSource } from '../../jobs/agent-status.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import { isObject } from '../../model/objects.ts';
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
   * The agent's own answer, with what every status has. Of a job that it refused it is not asked; and when its permissions have ended, the job has as
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
      const agent = entities.viewedRow(db, caller, id, 'agent');
      writes.env.permissions.require(db, accepted(caller), 'agent:view', agent);
      const found = findJobHead(db, job);
      const known = found?.processor === id ? runJob(db, job) : undefined;
      if (!known) throw NotFoundError.of('There is no such job');
      const endpoint = String(findStanding(db, id)?.manifest.properties.endpoint);
      return { known, endpoint };
    });
    const { phase, error } = phaseOf({ ...known, log: null }, now);
    const began = { job_id: job, started_at: isoTime(known.created) };
    const own = (): AgentStatusView => ({
      ...began,
      status: phase,
      progress: { total: 1, pending: 0, done: 0, error: 1 },
      completed_at: isoTime(Math.min(known.expires, now)),
      ...(error && { error: { code: error.code, message: error.message } }),
    });
    if (known.state === 'refused') return own();
    const late = now >= known.expires;
    try {
      const said = whole(await source.ask({ id, endpoint }, job, query), began);
      const open = said.status !== 'done' && said.status !== 'error';
      if (!late || !open) return said;
      return { ...said, status: 'error', error: { code: 'TIMEOUT', message: error?.message ?? '' } };
    } catch (fault) {
      if (late) return own();
      throw fault;
    }
  }
}

/** What an agent said, with what clients read of every status (wire-contract.md) where it left that out. */
function whole(
  { started_at, progress, ...said }: Awaited<ReturnType<AgentStatusSource['ask']>>,
  began: Pick<AgentStatusView, 'job_id' | 'started_at'>,
): AgentStatusView {
  const counted = isObject(progress) ? progress : {};
  return {
    ...(said as { status: AgentStatusView['status'] }),
    job_id: began.job_id,
    progress: { total: 0, pending: 0, done: 0, error: 0, ...counted },
    started_at: typeof started_at === 'string' ? started_at : began.started_at,
  };
}
