import type { JsonObject } from './manifest.ts';
import { isObject } from './objects.ts';

/** A step, and those above it that name the workflow which it begins: the innermost first. */
export interface StepLevels {
  names: readonly string[];
  /** What those say that say something. */
  inputs: readonly JsonObject[];
}

/**
 * What a step is given (processors.md 3.6): its own input, below what the step before it was given, below what that has in `steps`
 * for it. `steps` travels along. Undefined where nobody says anything.
 */
export function stepInput({ names, inputs }: StepLevels, given: JsonObject | undefined): JsonObject | undefined {
  if (given === undefined && inputs.length === 0) return undefined;
  const { steps } = given ?? {};
  const own = names.map((name) => (isObject(steps) && Object.hasOwn(steps, name) ? steps[name] : undefined));
  // Not assigned: a member may have the name `__proto__`.
  const merged: JsonObject = Object.fromEntries(
    [...inputs, given ?? {}, ...own.filter(isObject)].flatMap(Object.entries),
  );
  return steps === undefined ? merged : { ...merged, steps };
}
