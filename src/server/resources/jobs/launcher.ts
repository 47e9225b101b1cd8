import { BusyError, ConflictError } from '../../errors.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { JobSender } from '../../jobs/sender.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import type { GrantPlan } from '../../model/grants.ts';
import { networkOf } from '../../model/ids.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { JobRequest } from '../../model/job-request.ts';
import { newSending, type Sending } from '../../model/job-state.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { Precondition, Row } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { actorNow, askerText } from '../asker.ts';
import { type EntityWrites, type Prepared, untilCommitted } from '../entities/writes.ts';
import type { IsVerified, ProcessorFacts } from './processors.ts';

export interface LauncherNeeds {
  writes: EntityWrites;
  identity: Pick<Identity, 'accountById'>;
  sender: JobSender;
  queueOf: (store: NetworkStore) => JobQueue;
  apiBase: () => string;
  isVerified: IsVerified;
  newUlid: () => string;
}

/** One invocation, ready to be written. */
export interface Launch {
  /** New versions of collections: grants, and the job collection. */
  steps: Prepared[];
  rows: Row[];
  /** What let whoever asks start it, as it was read: nothing begins once a right is taken away. */
  relies: Precondition[];
}

/** Records jobs in one commit with what they need, and sends them. */
export class Launcher {
  readonly needs: LauncherNeeds;

  constructor(needs: LauncherNeeds) {
    this.needs = needs;
  }

  get writes(): EntityWrites {
    return this.needs.writes;
  }

  newJobId(): string {
    return `job_${this.needs.newUlid()}`;
  }

  /** Who asked for a recorded job, as it is now. @throws ForbiddenError where it is no longer good */
  askerOf(db: Reader, job: Pick<NewJob, 'asker' | 'collection'>): RegisteredActor {
    return actorNow(db, this.needs.identity, networkOf(job.collection), job.asker);
  }

  /**
   * Writes an invocation. It is prepared again when a collection that it grants something in, or what let it be started, has
   * moved meanwhile.
   * `grantsIn`: that collection, in whose queue it then waits; null where nothing is granted there.
   */
  async write<T extends Launch>(store: NetworkStore, grantsIn: string | null, prepare: (db: Reader) => T): Promise<T> {
    const { writes } = this.needs;
    const write = async (): Promise<T> => {
      const prepared = store.read(prepare);
      const outcome = await writes.attempt(store, prepared.steps, prepared.rows, prepared.relies);
      if (outcome.committed) return prepared;
      throw new ConflictError(outcome.expected ?? '', outcome.actual ?? '');
    };
    return unlessBusy(() => (grantsIn === null ? untilCommitted(write) : writes.queued(store, grantsIn, write)));
  }

  /**
   * Sends a job that was written as `sent`. An outcome that the store does not take yet is given all the same. `early`: that it is
   * taken is given at once, so that whoever began what a kill leaves as `sent` has most likely had no answer.
   */
  deliver(store: NetworkStore, job: NewJob, options: { early?: boolean } = {}): Promise<Sending> {
    const { promise: told, resolve } = Promise.withResolvers<Sending>();
    return Promise.race([told, this.#delivered(store, job, resolve, options)]);
  }

  async #delivered(
    store: NetworkStore,
    job: NewJob,
    told: (outcome: Sending) => void,
    options: { early?: boolean },
  ): Promise<Sending> {
    const { state, attempts } = job;
    const { sender, queueOf } = this.needs;
    try {
      return await sender.deliver(store, { ...job, sending: { ...newSending, state, attempts } }, told, options);
    } catch (error) {
      // It may wait to be sent again by now.
      queueOf(store).wake();
      throw error;
    }
  }
}

/** These endpoints take no tip, so nobody can be told of a conflict. */
async function unlessBusy<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ConflictError) throw new BusyError(1, 'The collection changes too fast; try again.');
    throw error;
  }
}

/** For how long processors get their permissions where nobody says it (`PermissionSeconds`). */
export const defaultSeconds = 3600;

/** A job that is sent as soon as it is recorded. */
export const aboutToBeSent = { state: 'sent', attempts: 1 } as const;

/** What a job has of its own that begins. */
interface Beginning
  extends Pick<NewJob, 'id' | 'run' | 'collection' | 'target' | 'created' | 'expires'>,
    Partial<Pick<NewJob, 'rhiza' | 'parent' | 'retries' | 'handoff'>> {
  processor: Pick<ProcessorFacts, 'id' | 'type'>;
  /** With whose permissions. */
  asker: RegisteredActor;
  /** What only its processor is told. */
  request: Omit<JobRequest, 'job_id' | 'job_collection' | 'api_base' | 'expires_at' | 'network'>;
}

/** A job, about to be sent. */
export function newJob({ needs }: Launcher, { processor: of, asker, request, ...own }: Beginning): NewJob {
  return {
    ...{ rhiza: null, parent: null, retries: null, handoff: null, ...own },
    ...{ type: of.type, processor: of.id, asker: askerText(asker) },
    request: {
      job_id: own.id,
      ...request,
      job_collection: own.collection,
      api_base: needs.apiBase(),
      expires_at: isoTime(own.expires),
      network: networkOf(own.collection),
    },
    ...aboutToBeSent,
  };
}

/** What a run's processors are granted, for the record. */
export function grantRows(run: string, plans: readonly GrantPlan[]): Row[] {
  return plans.map(({ grantee, actions, expires }) => ({
    kind: 'job_grant',
    run,
    processor: grantee.id,
    actions,
    expires,
  }));
}
