import { NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, operator, registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import { phaseOf, type RunJob } from '../../model/run-status.ts';
import type { Reader } from '../../store/connection.ts';
import { findLog, speaksFor } from '../../store/jobs/job-logs.ts';
import { findJob, runJob, type StoredJob } from '../../store/jobs/jobs.ts';
import type { EntitiesService } from '../entities/service.ts';
import { aboutToBeSent, defaultSeconds, type Launcher } from '../jobs/launcher.ts';
import { processorOf, requireActive } from '../jobs/processors.ts';
import { grantingIn, lastRepetition, repeated, repetitionOf } from '../jobs/repetition.ts';
import { missingTargets } from '../jobs/targets.ts';
import { rejection } from '../jobs/views.ts';
import type { ReinvokeBody, ReinvokedView, RepeatedView } from './wire.ts';

/** Repeats single failed jobs (processors.md 3.10). */
export class ReinvokeService {
  readonly #launcher: Launcher;
  readonly #entities: EntitiesService;

  constructor({ launcher, entities }: { launcher: Launcher; entities: EntitiesService }) {
    this.#launcher = launcher;
    this.#entities = entities;
  }

  /** By the log of the job that failed. */
  async reinvoke(caller: Caller, id: string, { log_id, expires_in }: ReinvokeBody): Promise<ReinvokedView> {
    const wanted = { klados: id, path: ['log_id'], job: (db: Reader) => jobOfLog(db, id, log_id) };
    return { ...(await this.#repeat(caller, wanted, expires_in)), original_log_id: log_id };
  }

  /** For the operator: by the id of the job, also where it never wrote a log. @throws NotFoundError where this node never sent such a job */
  async repeat(caller: Caller, id: string, expiresIn?: number): Promise<RepeatedView> {
    operator(caller);
    const store = await this.#launcher.writes.store(caller);
    const job = (db: Reader) => findJob(db, id);
    const klados = store.read(job)?.processor;
    if (klados === undefined) throw new NotFoundError('Job not found');
    return this.#repeat(caller, { klados, path: ['job_id'], job }, expiresIn);
  }

  async #repeat(caller: Caller, wanted: Wanted, expiresIn = defaultSeconds): Promise<RepeatedView> {
    registered(caller);
    const { writes } = this.#launcher;
    const wantedMs = expiresIn * 1000;
    const store = await writes.store(caller);
    const { run, request } = store.read((db) => this.#failed(db, caller, wanted));
    // Of several the others may still be worked on.
    const [only, ...others] = request.target_entities ?? [];
    const target_entity = request.target_entity ?? (others.length === 0 ? only : undefined);
    const [missing] = await missingTargets(store, { target_entity });
    if (missing) throw ValidationError.at(wanted.path, `the target of its job is not here: ${missing.message}`);
    const job = await writes.queued(store, run, async () => {
      const failed = store.read((db) => this.#failed(db, caller, wanted));
      const prepare = (db: Reader) => repetitionOf(this.#launcher, db, caller, failed, wantedMs);
      const { jobs } = await this.#launcher.write(store, grantingIn(store.read(prepare)), (db) => {
        this.#failed(db, caller, wanted);
        return repeated(this.#launcher, db, caller, prepare(db), [failed], aboutToBeSent);
      });
      const [job] = jobs;
      if (!job) throw new Error('nothing was repeated');
      return job;
    });
    const refused = rejection(await this.#launcher.deliver(store, job));
    if (!refused) return { accepted: true, job_id: job.id };
    const { status: _, ...words } = refused;
    return { accepted: false, ...words };
  }

  /** The failed job that is meant, or the last repetition of it. */
  #failed(db: Reader, caller: Caller, { klados: id, path, job: wantedJob }: Wanted): StoredJob {
    const { env } = this.#launcher.writes;
    const klados = processorOf(this.#entities.viewed(db, caller, id), 'klados');
    env.permissions.require(db, registered(caller), 'klados:invoke', klados.standing);
    requireActive(db, klados, this.#launcher.needs.isVerified);
    const job = wantedJob(db);
    if (job?.processor !== id) throw ValidationError.at(path, 'is no job that this node sent to this klados');
    const last = lastRepetition(db, job);
    const known = runJob(db, last.id);
    const phase = known && phaseOf(known, env.now()).phase;
    if (phase === 'error') return last;
    throw ValidationError.at(
      path,
      `${last.id === job.id ? 'the job' : `the job has been repeated as ${last.id}, which`} has not failed${awaited(last, known)}`,
    );
  }
}

/** Until when a job may not be repeated of which nobody can tell whether it arrived. */
function awaited({ sending, expires }: StoredJob, known: RunJob | undefined): string {
  if (sending.state !== 'unknown' || known?.log) return '';
  return `: nobody can tell whether it arrived, so that its log is waited for until ${isoTime(expires)}; it can be repeated then`;
}

/** The job to be repeated, of which klados it is, and what names it in the request. */
interface Wanted {
  klados: string;
  path: string[];
  job: (db: Reader) => StoredJob | undefined;
}

function jobOfLog(db: Reader, klados: string, id: string): StoredJob {
  const log = findLog(db, id);
  if (!log) throw ValidationError.at(['log_id'], 'is not the log of a job');
  if (log.klados !== klados) throw ValidationError.at(['log_id'], 'is the log of another klados');
  const job = findJob(db, log.job);
  if (job?.processor !== klados || !speaksFor(db, log.author, klados))
    throw ValidationError.at(['log_id'], `this node never sent the job ${log.job}: invoke the klados anew`);
  return job;
}
