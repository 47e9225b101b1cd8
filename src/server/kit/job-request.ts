import { z } from 'zod';
import type { JobRequest, RhizaContext } from '../model/job-request.ts';
import { jsonMap } from '../model/json-map.ts';

/** What a klados is sent to `/process` (processors.md, 2.1); members that are not named are kept. */
export interface KladosJob extends JobRequest {
  target_collection: string;
}

/** A klados's job in a workflow. */
export interface WorkflowJob extends KladosJob {
  rhiza: RhizaContext;
}

const count = z.number().int().min(0);
const batch = z.looseObject({ id: z.string(), index: count, total: count.min(1) });
const rhiza = z.looseObject({
  id: z.string().min(1),
  path: z.array(z.string()).min(1),
  parent_logs: z.array(z.string()).default([]),
  batch: batch.optional(),
  scatter_total: count.optional(),
  recurse_depth: count.optional(),
});
const request = z
  .looseObject({
    job_id: z.string().regex(/^job_[A-Za-z0-9_-]{1,60}$/, 'must be job_ and an identifier'),
    target_entity: z.string().min(1).optional(),
    target_entities: z.array(z.string().min(1)).min(1).optional(),
    target_collection: z.string().min(1),
    job_collection: z.string().min(1),
    input: jsonMap.optional(),
    api_base: z.url({ protocol: /^https?$/ }),
    expires_at: z.iso.datetime({ offset: true }),
    network: z.enum(['test', 'main']),
    rhiza: rhiza.optional(),
  })
  .refine((job) => job.target_entity !== undefined || job.target_entities !== undefined, {
    path: ['target_entity'],
    message: 'target_entity or target_entities is needed',
  });

/** A job's body that cannot be used; the message says what is wrong with it. */
export class BadJobError extends Error {
  override readonly name = 'BadJobError';
}

/** The job in a parsed JSON body. @throws BadJobError */
export function readJob(body: unknown): KladosJob {
  const parsed = request.safeParse(body);
  if (parsed.success) return parsed.data as KladosJob;
  const issue = parsed.error.issues[0];
  throw new BadJobError(`The job cannot be read: ${issue?.path.join('.') || 'the body'}: ${issue?.message}.`);
}

/** The entities that a job is about, in order. */
export function targetsOf({ target_entity, target_entities }: KladosJob): string[] {
  return target_entities ?? (target_entity === undefined ? [] : [target_entity]);
}
