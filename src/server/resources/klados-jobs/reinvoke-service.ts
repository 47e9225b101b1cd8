import { ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { phaseOf } from '../../model/run-status.ts';
import type { Reader } from '../../store/connection.ts';
import { findLog, speaksFor } from '../../store/jobs/job-logs.ts';
import { findJob, runJob, type StoredJob } from '../../store/jobs/jobs.ts';
import type { EntitiesService } from '../entities/service.ts';
import { aboutToBeSent, defaultSeconds, type Launcher } from '../jobs/launcher.ts';
import { processorOf, requireActive } from '../jobs/processors.ts';
import { grantingIn, lastRepetition, repeated, repetitionOf } from '../jobs/repetition.ts';
import { missingTargets } from '../jobs/targets.ts';
import { rejection } from '../jobs/views.ts';
import type { ReinvokeBody, ReinvokedView } from './wire.ts';

/** Repeats single failed jobs (processors.md 3.10). */
export class ReinvokeService {
  readonly #launcher: Launcher;
  readonly #entities: EntitiesService;

  constructor({ launcher, entities }: { launcher: Launcher; entities: EntitiesService }) {
    this.#launcher = launcher;
    this.#entities = entities;
  }

  async reinvoke(caller: Caller, id: string, { log_id, expires_in }: ReinvokeBody): Promise<ReinvokedView> {
    registered(caller);
    const { writes } = this.#launcher;
    const wantedMs = (expires_in ?? defaultSeconds) * 1000;
    const store = await writes.store(caller);
    const { run, request } = store.read((db) => this.#failed(db, caller, id, log_id));
    // Of several the others may still be worked on.
    const [missing] = await missingTargets(store, { target_entity: request.target_entity });
    if (missing) throw ValidationError.at(['log_id'], `the target of its job is not here: ${missing.message}`);
    const job = await writes.queued(store, run, async () => {
      const failed = store.read((db) => this.#failed(db, caller, id, log_id));
      const prepare = (db: Reader) => repetitionOf(this.#launcher, db, caller, failed, wantedMs);
      const { jobs } = await this.#launcher.write(store, grantingIn(store.read(prepare)), (db) =>
        repeated(this.#launcher, db, caller, prepare(db), [failed], aboutToBeSent),
      );
      const [job] = jobs;
      if (!job) throw new Error('nothing was repeated');
      return job;
    });
    const refused = rejection(await this.#launcher.deliver(store, job));
    if (!refused) return { accepted: true, job_id: job.id, original_log_id: log_id };
    const { status: _, ...words } = refused;
    return { accepted: false, ...words, original_log_id: log_id };
  }

  /** The failed job of a log, or the last repetition of it. */
  #failed(db: Reader, caller: Caller, id: string, logId: string): StoredJob {
    const { env } = this.#launcher.writes;
    const klados = processorOf(this.#entities.viewed(db, caller, id), 'klados');
    env.permissions.require(db, registered(caller), 'klados:invoke', klados.standing);
    requireActive(klados, this.#launcher.needs.isVerified);
    const log = findLog(db, logId);
    if (!log) throw ValidationError.at(['log_id'], 'is not the log of a job');
    if (log.klados !== id) throw ValidationError.at(['log_id'], 'is the log of another klados');
    const job = findJob(db, log.job);
    if (job?.processor !== id || !speaksFor(db, log.author, id))
      throw ValidationError.at(['log_id'], `this node never sent the job ${log.job}: invoke the klados anew`);
    const last = lastRepetition(db, job);
    const known = runJob(db, last.id);
    const phase = known && phaseOf(known, env.now()).phase;
    if (phase === 'error') return last;
    throw ValidationError.at(
      ['log_id'],
      last.id === job.id ? 'the job has not failed' : `the job has been repeated as ${last.id}, which has not failed`,
    );
  }
}
