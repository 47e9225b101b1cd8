import type { Caller } from '../../model/caller.ts';
import { registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { Reader } from '../../store/connection.ts';
import { logsOfJob } from '../../store/jobs/job-logs.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import { findJobHead, grantedIn, grantOf, retryOf, type StoredJob } from '../../store/jobs/jobs.ts';
import { askerText } from '../asker.ts';
import { requireCommands } from './flow-commands.ts';
import type { Launch, Launcher } from './launcher.ts';
import { findProcessor, type ProcessorFacts } from './processors.ts';
import { namedCollection } from './targets.ts';
import { endOf, grantsNeeded, openWorkplace, type Workplace, workplaceOf } from './workplace.ts';

/** Failed jobs of one run that begin anew, with grants as the run began with. */
export interface Repetition {
  place: Workplace;
  now: number;
  wantedMs: number;
}

/** The last of the repetitions of a job; the job itself where there is none. */
export function lastRepetition(db: Reader, job: StoredJob): StoredJob {
  let last = job;
  for (let next = retryOf(db, last.id); next; next = retryOf(db, last.id)) last = next;
  return last;
}

/**
 * What all processors of a job's run need for another while, those that it hands on to as well: what the run gave them, which was
 * previewed and confirmed, whatever they ask for by now.
 * @throws ForbiddenError where there is a command among them that whoever asks may not begin
 */
export function repetitionOf(
  launcher: Launcher,
  db: Reader,
  caller: Caller,
  { run, processor, type, target: to, collection }: StoredJob,
  wantedMs: number,
): Repetition {
  const authority = registered(caller);
  const now = launcher.writes.env.now();
  const target = namedCollection(db, caller.network, to, 'target_collection');
  const ids = new Set([processor, ...grantedIn(db, run)]);
  const known = [...ids].map((id) => findProcessor(db, id, type)).filter((one): one is ProcessorFacts => !!one);
  requireCommands(launcher, db, authority, run, known);
  const grantees = known.map((one) => ({ ...one, actions: grantOf(db, run, one.id)?.actions ?? one.actions }));
  const wanted = { target, job_collection: collection, grantees };
  return { place: workplaceOf(launcher, db, caller, wanted, { authority, now, wantedMs }), now, wantedMs };
}

/** The collection whose queue a repetition waits in; null where nothing is granted. */
export function grantingIn({ place }: Repetition): string | null {
  return grantsNeeded(place) ? place.target.id : null;
}

/** The jobs again, each after the log of the one that failed (processors.md 3.10). All are of one run. */
export function repeated(
  launcher: Launcher,
  db: Reader,
  caller: Caller,
  { place, now, wantedMs }: Repetition,
  failed: readonly StoredJob[],
  state: Pick<NewJob, 'state' | 'attempts'>,
): Launch & { jobs: NewJob[] } {
  const expires = endOf(now + wantedMs, place);
  const [first] = failed;
  const run = first?.run ?? '';
  const opened = openWorkplace(launcher, db, caller, place, {
    ...{ run, job: run, end: expires },
    rhiza: findJobHead(db, run)?.rhiza ?? null,
  });
  const asker = askerText(registered(caller));
  const jobs = failed.map((job): NewJob => {
    const { sending: _, ...rest } = job;
    const id = launcher.newJobId();
    const log = logsOfJob(db, job.id, job.processor).at(-1)?.id;
    const { rhiza } = job.request;
    const request = {
      ...job.request,
      job_id: id,
      api_base: launcher.needs.apiBase(),
      expires_at: isoTime(expires),
      ...(rhiza && { rhiza: log === undefined ? rhiza : { ...rhiza, parent_logs: [log] } }),
    };
    return { ...rest, id, rhiza: null, retries: job.id, asker, request, ...state, created: now, expires };
  });
  const { steps, rows, relies } = opened;
  return { steps, rows: [...rows, ...jobs.map((job) => ({ kind: 'job' as const, job }))], relies, jobs };
}
