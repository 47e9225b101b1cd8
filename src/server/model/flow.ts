import { z } from 'zod';
import { isEntityId } from './ids.ts';
import { jsonMap } from './json-map.ts';
import { isWithin } from './json-value.ts';
import type { JsonObject } from './manifest.ts';

/** What a route asks of one item (processors.md 3.4): a property by its dotted path, or several conditions. */
export type Where = { property: string; equals: string | number | boolean | null } | { and: Where[] } | { or: Where[] };

/** Where an item goes that meets the condition: a step, or `done` for an item that is finished. */
export interface FlowRoute {
  where: Where;
  target: string;
}

/** What follows a step (processors.md 3.3). `done` ends the branch; every other form names the step to go on to. */
export type Then =
  | { done: true }
  | { pass: string; route?: FlowRoute[] | undefined }
  | { scatter: string; route?: FlowRoute[] | undefined }
  | { gather: string; route?: FlowRoute[] | undefined }
  | { recurse: string; max_depth?: number | undefined; route?: FlowRoute[] | undefined };

export type ThenForm = 'done' | 'pass' | 'scatter' | 'gather' | 'recurse';
export const thenForms: readonly ThenForm[] = ['done', 'pass', 'scatter', 'gather', 'recurse'];

/** What a step runs; `type` undefined: what the entity says that it is. */
export interface StepReference {
  id: string;
  type?: 'klados' | 'rhiza' | undefined;
  label?: string | undefined;
  description?: string | undefined;
}

export interface FlowStep {
  klados: StepReference;
  /** The step's own input, below that of the invocation (processors.md 3.6). */
  input?: JsonObject | undefined;
  then: Then;
}

/** Steps by name. A map, since a name may be any text, `__proto__` too. */
export type Flow = ReadonlyMap<string, FlowStep>;

/** A target that no step has: the item is finished (processors.md 3.4). */
export const doneTarget = 'done';

/** So many workflows may begin with one another. */
export const maxNested = 20;

/** How many steps a flow may have, and how much they may say: values, and characters of texts and names. */
export const maxSteps = 2000;
export const flowSize = { values: 40_000, characters: 400_000 };

const where: z.ZodType<Where> = z.lazy(() =>
  z.union([
    z.object({ property: z.string(), equals: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
    z.object({ and: z.array(where).min(1) }),
    z.object({ or: z.array(where).min(1) }),
  ]),
);
const target = z.string().min(1);
const route = z.array(z.object({ where, target })).optional();
const id = z.string().refine(isEntityId);
const text = z.string().optional().catch(undefined);
const named = { type: z.enum(['klados', 'rhiza']).optional(), label: text, description: text };

const step = z.object({
  klados: z.union([
    z.object({ id, ...named }),
    z.object({ pi: id, ...named }).transform(({ pi, ...reference }) => ({ id: pi, ...reference })),
  ]),
  input: jsonMap.optional(),
  then: z.union([
    z.object({ done: z.literal(true) }),
    z.object({ pass: target, route }),
    z.object({ scatter: target, route }),
    z.object({ gather: target, route }),
    z.object({ recurse: target, max_depth: z.int().min(1).optional(), route }),
  ]),
});

/**
 * A stored `flow` as steps; null where it is none. A flow that was written here has passed flow-check.ts, but one of a
 * mirror or an archive may be anything.
 */
export function readFlow(value: unknown): Flow | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (!isWithin(value, flowSize)) return null;
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > maxSteps) return null;
  const steps = new Map<string, FlowStep>();
  for (const [name, one] of entries) {
    const read = step.safeParse(one);
    if (!read.success) return null;
    steps.set(name, read.data as FlowStep);
  }
  return steps;
}

/** The form of a `then`. */
export function formOf(then: Then): ThenForm {
  return thenForms.find((form) => form in then) ?? 'done';
}

/** The step that a `then` goes on to where no route says otherwise; null for `done`. */
export function stepAfter(then: Then): string | null {
  if ('pass' in then) return then.pass;
  if ('scatter' in then) return then.scatter;
  if ('gather' in then) return then.gather;
  return 'recurse' in then ? then.recurse : null;
}

/** The routes of a `then`, none for `done`. */
export function routesOf(then: Then): readonly FlowRoute[] {
  return 'done' in then ? [] : (then.route ?? []);
}
