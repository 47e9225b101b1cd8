import type { MessagePort } from 'node:worker_threads';
import type { Ajv, ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { Issue } from '../errors.ts';
import { checkerOf, type Draft, draftOf, pointer, underDraft } from '../model/input-schema.ts';
import type { JsonObject } from '../model/manifest.ts';

/** Inputs to be checked against one schema. */
export interface InputTask {
  schema: JsonObject;
  inputs: unknown[];
}

/** A task as the thread gets it: it says on `begun` when it begins. */
export interface SentTask extends InputTask {
  begun: MessagePort;
}

const maxKept = 50;
const maxIssues = 20;
const kept = new Map<string, ValidateFunction | string>();

// What every compilation needs is not measured as the first schema's own time.
compile({});

/** What is wrong with each input; text where the schema itself cannot be used. */
export function checkInputs({ schema, inputs, begun }: SentTask): Issue[][] | string {
  begun.postMessage(true);
  const check = compiled(schema);
  if (typeof check === 'string') return check;
  return inputs.map((input) => {
    if (check(input)) return [];
    return (check.errors ?? []).slice(0, maxIssues).map(({ instancePath, message }) => ({
      path: pathIn(input, pointer(instancePath)),
      message: message ?? 'is wrong',
    }));
  });
}

/** Each schema is compiled by an instance of its own, so that no `$id` of one is known to another. */
function compiled(schema: JsonObject): ValidateFunction | string {
  const text = JSON.stringify(schema);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const made = compile(schema);
  const [oldest] = kept.size < maxKept ? [] : kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(text, made);
  return made;
}

function compile(schema: JsonObject): ValidateFunction | string {
  const draft: Draft | null = draftOf(schema);
  if (draft === null) return 'it is written in a draft of JSON Schema that is not read here';
  try {
    const ajv = checkerOf(draft, { allErrors: false, addUsedSchema: false }) as Ajv;
    ajvFormats.default(ajv);
    return ajv.compile(underDraft(schema, draft));
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'it cannot be compiled';
  }
}

/** Positions in lists as numbers. */
function pathIn(input: unknown, segments: readonly string[]): (string | number)[] {
  let value = input;
  return segments.map((segment) => {
    const position = Array.isArray(value) ? Number(segment) : segment;
    value = (value as { [name: string]: unknown } | undefined)?.[segment];
    return position;
  });
}
