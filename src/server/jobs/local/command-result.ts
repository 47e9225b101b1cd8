import { z } from 'zod';
import type { IssuePath } from '../../errors.ts';
import { JobError, type JobFailure } from '../../kit/job-error.ts';
import { maxText } from '../../kit/log-limits.ts';
import { beginningOf, endOf } from '../../model/cut-text.ts';
import { fromJson } from '../../model/from-json.ts';
import { isEntityId } from '../../model/ids.ts';
import { lossBeside } from '../../model/json-loss.ts';
import { jsonMap } from '../../model/json-map.ts';
import { isDeeper, jsonIssues } from '../../model/json-value.ts';
import { isCarried } from '../../model/media-type.ts';
import type { LocalCommand } from './command-settings.ts';
import type { CommandOutcome } from './run-command.ts';

const maxOutputs = 10_000;
/** Levels of a result. What only routes look at may have more than what is stored, and none that could not be written down. */
const deepest = 1000;

const id = z.string().refine(isEntityId, 'must be the id of an entity');
const link = z.object({
  predicate: z.string().min(1).max(50),
  peer: id,
  peer_type: z.string().min(1).max(100).optional(),
  properties: jsonMap.optional(),
});
const content = z.object({
  /** In the job's folder. */
  path: z.string().min(1).max(1000),
  key: z.string().min(1).max(128).default('content'),
  /** Without one it is what the bytes look like. */
  content_type: z
    .string()
    .min(1)
    .max(255)
    .refine(isCarried, 'must be a media type, as image/jpeg: no header can carry this one')
    .optional(),
  filename: z.string().min(1).max(255).optional(),
});
const made = z.object({
  type: z.string().min(1).max(100),
  properties: jsonMap.default({}),
  relationships: z.array(link).max(1000).default([]),
  content: z.array(content).max(20).default([]),
  /** What routes of the workflow look at. */
  route: jsonMap.default({}),
});
const existing = z.looseObject({ entity_id: id });
const addition = z.object({
  entity_id: id,
  properties: jsonMap.optional(),
  relationships_add: z.array(link).max(1000).optional(),
});
const note = z.object({
  level: z.enum(['info', 'warning', 'error', 'success']).default('info'),
  message: z.string().max(maxText),
  metadata: jsonMap.optional(),
});

const success = z.object({
  /** Ids of entities, with what routes look at where there is any, or entities to be made. */
  outputs: z
    .array(z.union([id, existing, made]))
    .max(maxOutputs)
    .default([]),
  output_properties: jsonMap.default({}),
  /** Entities to be made that are not handed on. */
  records: z.array(made).max(maxOutputs).default([]),
  /** Additions to entities that are there. */
  updates: z.array(addition).max(maxOutputs).default([]),
  /** One for each output, say; what its log has no room for is counted there. */
  messages: z.array(note).max(maxOutputs).default([]),
});

/** What a command writes to stdout, as one JSON document. */
export type CommandResult = z.infer<typeof success>;
export type NewOutput = z.infer<typeof made>;
type Output = CommandResult['outputs'][number];
export type CommandReply = z.input<typeof success> | { error: JobFailure };

/** @throws JobError for every other end than a usable result */
export function resultOf(outcome: CommandOutcome, { name, timeoutMs, maxOutputBytes }: LocalCommand): CommandResult {
  switch (outcome.ended) {
    case 'not-started':
      throw new JobError('SERVICE_UNAVAILABLE', `The command ${name} could not be started: ${outcome.reason}.`);
    case 'interrupted':
      throw new JobError(
        'TEMPORARY_FAILURE',
        `The command ${name} was interrupted: the process that runs commands was ended, and it with that.`,
      );
    case 'timed-out':
      throw new JobError(
        'TIMEOUT',
        `The command ${name} did not end within ${timeoutMs / 1000} s and was stopped.${lastWords(outcome.errors)}`,
      );
    case 'too-much-output':
      throw new JobError(
        'OUTPUT_TOO_LARGE',
        `The command ${name} wrote more than ${maxOutputBytes} bytes and was stopped.${lastWords(outcome.errors)}`,
      );
    case 'stopped':
      throw new JobError('TIMEOUT', `The command ${name} was stopped: the time of its job was up.`);
    case 'no-input':
      throw outcome.cause;
    case 'exited':
      return read(outcome, name);
  }
}

type Exited = Extract<CommandOutcome, { ended: 'exited' }>;

function read(outcome: Exited, name: string): CommandResult {
  const text = outputOf(outcome);
  const json = parsed(text);
  const stated = statedError(json);
  if (stated !== null) throw errorOf(stated, outcome, name);
  const words = lastWords(outcome.errors);
  if (outcome.code !== 0) {
    const how = outcome.signal === null ? `ended with code ${outcome.code}` : `was ended by ${outcome.signal}`;
    throw new JobError('PROCESSING_ERROR', `The command ${name} ${how}.${words}`, true);
  }
  if (text === '') throw invalid(name, `wrote nothing to stdout, where its result is expected as JSON.${words}`);
  if (json === undefined)
    throw invalid(name, `wrote no JSON to stdout: it begins with ${JSON.stringify(text.slice(0, 40))}.${words}`);
  const result = checked(json, name);
  const issues = result.success ? jsonIssues(keptOf(result.data), []) : result.error.issues;
  const loss = result.success ? lossBeside(text, (path) => isKeptAt(path, result.data)) : null;
  const issue = issues[0] ?? loss;
  if (result.success && !issue) return result.data;
  throw invalid(
    name,
    `wrote a result that cannot be used: ${issue?.path.join('.') || 'all of it'}: ${issue?.message}.`,
  );
}

/** What a document says of an error, in whatever form; null where it says of none. */
function statedError(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const { error = null } = json as { error?: unknown };
  return error === false ? null : error;
}

/** The error that a command states. Where that is not in the form that has `retryable`, its exit code says whether it may be. */
function errorOf(stated: unknown, outcome: Exited, name: string): JobError {
  const isObject = typeof stated === 'object' && stated !== null;
  const { code, message, retryable } = (isObject ? stated : { message: stated }) as Record<string, unknown>;
  const words = textOf(message);
  const inForm = isObject && words !== '';
  const shownWhole = `The command ${name} reported an error: ${beginningOf(outputOf(outcome), shown)}${lastWords(outcome.errors)}`;
  return new JobError(
    textOf(code) || 'PROCESSING_ERROR',
    words || shownWhole,
    typeof retryable === 'boolean' ? retryable : !inForm && outcome.code !== 0,
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function outputOf({ output }: Exited): string {
  return output.toString('utf8').trim();
}

/** An output that is there already, with what routes look at. */
export function isExisting(one: Exclude<Output, string>): one is z.infer<typeof existing> {
  return 'entity_id' in one && typeof one.entity_id === 'string';
}

/** What of a result is written down: what only routes look at is not. */
function keptOf({ outputs, records, updates, messages }: CommandResult): object {
  const kept = (one: Output): unknown => {
    if (typeof one === 'string') return one;
    return isExisting(one) ? one.entity_id : { ...one, route: null };
  };
  return { outputs: outputs.map(kept), records: records.map(kept), updates, messages };
}

/** Whether something of that is written down which stands at a place of a result. */
function isKeptAt([list, at, member]: IssuePath, { outputs, records }: CommandResult): boolean {
  if (list === 'output_properties') return false;
  const one = list === 'outputs' ? outputs[Number(at)] : list === 'records' ? records[Number(at)] : undefined;
  if (one === undefined || typeof one === 'string' || member === undefined) return true;
  return isExisting(one) ? member === 'entity_id' : member !== 'route';
}

function checked(json: unknown, name: string) {
  if (isDeeper(json, deepest)) throw invalid(name, 'wrote a result that is nested too deeply.');
  return success.safeParse(json);
}

function invalid(name: string, what: string): JobError {
  return new JobError('INVALID_OUTPUT', `The command ${name} ${what}`, false);
}

function parsed(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return undefined;
  }
}

const shown = 1000;

function lastWords(errors: string): string {
  return errors === '' ? '' : ` It said last: ${endOf(errors, shown)}`;
}
