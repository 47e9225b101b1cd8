import { z } from 'zod';
import { JobError } from '../kit/job-error.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonMap } from '../model/json-map.ts';

const file = z.object({
  /** Null for a file's own bytes. */
  key: z.string().nullable(),
  cid: z.string(),
  size: z.number().nullable(),
  content_type: z.string().nullable(),
  filename: z.string().nullable(),
  /** Where the bytes lie; null where they are not on the node. */
  path: z.string().nullable(),
});
const entity = z.looseObject({
  id: z.string(),
  type: z.string(),
  properties: jsonMap,
  files: z.array(file).default([]),
});
const job = z.looseObject({
  job_id: z.string(),
  input: jsonMap.default({}),
  /** What the job is about. */
  entities: z.array(entity),
  /** Where files can be written that are to become content. */
  folder: z.string(),
});

/** What a local processor reads from stdin, as far as ours need it (docs/processors.md). */
export type CommandJob = z.infer<typeof job>;
export type JobEntity = CommandJob['entities'][number];
export type JobFile = JobEntity['files'][number];

/** @throws JobError */
export function readCommandJob(text: string): CommandJob {
  let json: unknown;
  try {
    json = fromJson(text);
  } catch {
    throw new JobError('INVALID_INPUT', 'stdin is not a job as JSON.');
  }
  const parsed = job.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new JobError('INVALID_INPUT', `stdin is not a job: ${issue?.path.join('.')}: ${issue?.message}.`);
}

/** What to call an entity. */
export function nameOf({ id, properties }: JobEntity): string {
  for (const key of ['label', 'filename', 'name', 'title']) {
    const value = properties[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return id;
}

/** The files of an entity whose bytes are here. @throws JobError where there is none */
export function filesHere(of: JobEntity): (JobFile & { path: string })[] {
  const here = of.files.flatMap((one) => (one.path === null ? [] : [{ ...one, path: one.path }]));
  if (here.length > 0) return here;
  throw new JobError(
    'NOT_FOUND',
    of.files.length === 0
      ? `${nameOf(of)} (${of.id}) has no file content.`
      : `The file content of ${nameOf(of)} (${of.id}) is not on this node.`,
  );
}
