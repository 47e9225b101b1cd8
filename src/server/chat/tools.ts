import { z } from 'zod';
import { DomainError, type Issue, ValidationError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { beginningOf } from '../model/cut-text.ts';
import { networkOf } from '../model/ids.ts';
import type { UnnamedVersions } from '../model/large.ts';
import type { CitationView } from '../resources/chat/wire.ts';

/** What a tool found. */
export interface Finding {
  /** JSON. */
  value: unknown;
  /** The value as the language model gets it, where it has been cut for that already. */
  text?: string;
  /** Entities that it names. */
  named?: CitationView[];
  /** Entities whose content it shows: an answer that uses the tool rests on them. */
  shown?: CitationView[];
}

/** One operation of the node that the language model may use. */
export interface Tool {
  name: string;
  /** For the language model. */
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
  /** @throws DomainError with what the caller would be told, for wrong arguments too */
  run(caller: Caller, args: unknown): Promise<Finding>;
  /** It reads whole entities or versions, which is too much for the event loop where these are large. */
  whole: boolean;
}

/** Uses tools that read whole entities or versions, where these are large. */
export interface LargeTools {
  /** `unnamed`: the versions that it reads besides those that it names. */
  namesLarge(caller: Caller, args: unknown, unnamed?: UnnamedVersions): boolean;
  /** @throws DomainError as the tool does */
  runTool(name: string, caller: Caller, args: unknown): Promise<Finding>;
}

/**
 * A tool whose arguments are checked before it runs. One that it does not take is refused: left out, it would leave a language model
 * to believe that it counted.
 */
export function tool<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  run: (caller: Caller, args: z.infer<S>) => Promise<Finding>,
  { whole = false } = {},
): Tool {
  const strict = schema.strict();
  const { $schema: _, ...parameters } = z.toJSONSchema(strict, { io: 'input' });
  const names = Object.keys(schema.shape).join(', ');
  return {
    name,
    description,
    parameters,
    whole,
    run: (caller, args) => {
      const parsed = strict.safeParse(args);
      if (parsed.success) return run(caller, parsed.data as z.infer<S>);
      throw new ValidationError(parsed.error.issues.flatMap((issue) => wordsOf(issue, names)));
    },
  };
}

/** Refuses ids of the other network by the arguments that they came in, where the node has other names for these. @throws ValidationError */
export function refuseOthers({ network }: Caller, ids: Record<string, string | undefined>): void {
  for (const [name, id] of Object.entries(ids))
    if (id !== undefined && networkOf(id) !== network)
      throw ValidationError.at([name], `is not an id of the ${network} network`);
}

function wordsOf(issue: z.core.$ZodIssue, names: string): Issue[] {
  const path = issue.path.map((part) => plain(part));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const message = path.length === 0 ? `is no argument; there are ${names}` : 'is not taken here';
  return issue.keys.map((key) => ({ path: [...path, key], message }));
}

function plain(part: PropertyKey): string | number {
  return typeof part === 'symbol' ? String(part) : part;
}

/** An error of a tool in words for the language model; undefined for what is no refusal. */
export function refusalOf(error: unknown): string | undefined {
  if (error instanceof ValidationError)
    return `Wrong arguments. ${error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`.slice(
      0,
      1000,
    );
  return error instanceof DomainError ? error.sentence : undefined;
}

const maxResult = 24_000;

/** A result as it goes to the language model and the client; a long one is cut, between the entries where it is a list, and says so. */
export function bounded({ value, text: made }: Finding): { output: unknown; text: string } {
  if (made !== undefined) return { output: value, text: made };
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= maxResult) return { output: value, text };
  const output = firstOf(value) ?? {
    cut: `The result has ${text.length} characters, of which these are the first. Ask for less at a time.`,
    beginning: beginningOf(text, maxResult),
  };
  return { output, text: JSON.stringify(output) };
}

/** What a result says with as many entries of its longest list as there is room for; undefined where that is none. */
function firstOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const [longest] = lists.toSorted(([, a], [, b]) => b.length - a.length);
  if (Array.isArray(value) || longest === undefined) return undefined;
  const [name, list] = longest;
  const told = (entries: unknown[]) => ({
    cut: `Of these ${list.length} ${name} there was room for the first ${entries.length}. Ask for less at a time, or for those after them.`,
    ...value,
    ...(Object.hasOwn(value, 'has_more') && { has_more: true }),
    [name]: entries,
  });
  let left = maxResult - JSON.stringify(told([])).length;
  const past = list.findIndex((entry) => {
    left -= (JSON.stringify(entry) ?? 'null').length + 1;
    return left < 0;
  });
  return past > 0 ? told(list.slice(0, past)) : undefined;
}
