import { createHash } from 'node:crypto';
import { ForbiddenError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { type Grantee, grantedUntil } from '../../model/grants.ts';
import type { JobRequest } from '../../model/job-request.ts';
import { equalJson, orderedJson } from '../../model/properties.ts';
import type { Reader } from '../../store/connection.ts';
import { findEntity } from '../../store/entities.ts';
import { findLog, speaksFor } from '../../store/jobs/job-logs.ts';
import {
  findJobHead,
  grantOf,
  type JobHead,
  jobByHandoff,
  liveJobIn,
  retryOf,
  type StoredGrant,
  type StoredJob,
} from '../../store/jobs/jobs.ts';
import type { PermissionsService } from '../permissions/service.ts';
import type { Launcher } from './launcher.ts';

/** A call by which a processor hands on to the next one within its run. */
export interface Handoff {
  /** The job that hands on. */
  from: JobHead;
  /** Those handed on to, who are granted what the run granted them, whatever they ask for by now. */
  grantees: Grantee[];
  /** With whose permissions they are granted it: of whoever began the run, or repeated the job of which this came. */
  authority: RegisteredActor;
  /**
   * When the first of the permissions ends that the run gave the one who asks and those handed on to, and not after the job that
   * hands on, epoch milliseconds: what is handed on ends with them, or a run could prolong itself for ever.
   */
  until: number;
}

interface Wanted {
  /** Those who would be granted something. */
  grantees: readonly Grantee[];
  /** The collection to work in. */
  target: string;
  job_collection: string | undefined;
  /** Logs of the job that hands on, where it names some. */
  logs?: readonly string[] | undefined;
}

/**
 * Whether an invocation is a handoff: a processor with a job whose time is not up asks, within that job's collection and on
 * that job's target, for others that were granted what they need when the run began (decisions.md, Processors). All of them,
 * and the one who asks, must hold it in the target still: whoever takes a role away there has stopped them. For a klados
 * whoever made it may ask with their own key, where they have also written its log.
 * @throws ForbiddenError where who began it is no longer good
 */
export function handoffOf(
  launcher: Launcher,
  db: Reader,
  actor: RegisteredActor,
  { grantees, target, job_collection, logs = [] }: Wanted,
): Handoff | null {
  const { env } = launcher.writes;
  const now = env.now();
  const asking = job_collection === undefined ? null : askingProcessor(db, actor, logs);
  if (asking === null || job_collection === undefined) return null;
  const from = handingOn(db, { processor: asking.id, collection: job_collection, target }, logs, now);
  const own = from && liveGrant(env.permissions, db, from, asking, now);
  if (!own) return null;
  const granted: Grantee[] = [];
  let until = Math.min(from.expires, own.expires);
  for (const one of grantees) {
    const grant = liveGrant(env.permissions, db, from, one, now);
    if (!grant) return null;
    granted.push({ ...one, actions: grant.actions });
    until = Math.min(until, grant.expires);
  }
  return { from, grantees: granted, authority: launcher.askerOf(db, begunAs(db, from)), until };
}

/** The job of which one came by handoffs, which somebody asked for: jobs of earlier versions say who handed on to them. */
function begunAs(db: Reader, from: JobHead): JobHead {
  let job = from;
  while (job.parent !== null && job.retries === null) {
    const parent = findJobHead(db, job.parent);
    if (!parent) return job;
    job = parent;
  }
  return job;
}

/** Who hands on: a processor, or the klados whose worker has the key of whoever made it and wrote its log with that. */
function askingProcessor(
  db: Reader,
  actor: RegisteredActor,
  logs: readonly string[],
): Pick<Grantee, 'id' | 'type'> | null {
  if (actor.kind === 'processor') return actor;
  if (actor.kind !== 'user') return null;
  for (const id of logs.slice(0, maxLogs)) {
    const log = findLog(db, id);
    if (log && actor.ids.includes(log.author) && speaksFor(db, log.author, log.klados))
      return { id: log.klados, type: 'klados' };
  }
  return null;
}

const maxLogs = 10;

/**
 * The processor's own job in the collection: the one whose log it names, else its newest.
 * @throws ForbiddenError where that one has been repeated: the repetition hands on, and the next step is not to begin twice
 */
function handingOn(
  db: Reader,
  place: Pick<JobHead, 'processor' | 'collection' | 'target'>,
  logs: readonly string[],
  nowMs: number,
): JobHead | undefined {
  const { processor, collection, target } = place;
  for (const id of logs.slice(0, maxLogs)) {
    const log = findLog(db, id);
    if (log?.klados !== processor || !speaksFor(db, log.author, processor)) continue;
    const job = findJobHead(db, log.job);
    if (job?.processor !== processor || job.collection !== collection || job.target !== target) continue;
    const again = retryOf(db, job.id);
    if (again) throw new ForbiddenError(`The job has been repeated as ${again.id}, which hands on in its place.`);
    return job.expires > nowMs ? job : undefined;
  }
  return liveJobIn(db, place, nowMs);
}

/** What a run granted a processor, and for how long it holds all of it in the target; null where it does not now. */
function liveGrant(
  permissions: PermissionsService,
  db: Reader,
  { run, target }: JobHead,
  { id, type }: Pick<Grantee, 'id' | 'type'>,
  nowMs: number,
): StoredGrant | null {
  const grant = grantOf(db, run, id);
  if (!grant || grant.expires <= nowMs) return null;
  // In a mirror the grant stands nowhere but in the table.
  if (findEntity(db, target)?.mirror != null) return grant;
  const access = permissions.accessIn(db, target);
  const { actions } = grant;
  const expires = Math.min(grant.expires, access ? grantedUntil(access, { id, type, actions }, nowMs) : 0);
  return expires > nowMs ? { actions, expires } : null;
}

type HandedRequest = Pick<JobRequest, 'rhiza' | 'target_entity' | 'target_entities' | 'input'>;

/**
 * Whether a handoff that is the same as another one is meant as well: where a scatter has no batch, two equal outputs are two jobs,
 * unless the processor numbers them.
 */
export function isUnnumbered({ rhiza }: HandedRequest): boolean {
  return rhiza?.scatter_total !== undefined && rhiza.batch === undefined && rhiza.scatter_index === undefined;
}

/** What makes two handoffs the same one, asked for twice. Null outside of a workflow. */
export function handoffDigest(run: string, klados: string, request: HandedRequest): string | null {
  const { rhiza, target_entity, target_entities, input } = request;
  if (!rhiza) return null;
  const { id, path, parent_logs, batch, recurse_depth, scatter_index } = rhiza;
  const place = batch ? [batch.id, batch.index] : isUnnumbered(request) ? 'one of several' : scatter_index;
  const targets = target_entities ?? [target_entity];
  const given = input === undefined ? [] : [orderedJson(input)];
  const text = JSON.stringify([run, klados, id, path, parent_logs, place, recurse_depth, targets, ...given]);
  return createHash('sha256').update(text).digest('base64url');
}

/** The newest job that came of the same handoff, whose digest is given. */
export function handedOnBefore(
  db: Reader,
  run: string,
  klados: string,
  { input, ...rest }: HandedRequest,
  digest: string,
): StoredJob | undefined {
  const known = jobByHandoff(db, digest);
  if (known || input === undefined) return known;
  // Jobs that were recorded before the input was part of the digest.
  const without = handoffDigest(run, klados, rest);
  const earlier = without === null ? undefined : jobByHandoff(db, without);
  return earlier && equalJson(earlier.request.input, input) ? earlier : undefined;
}
