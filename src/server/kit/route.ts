import { doneTarget, type Flow, type FlowRoute, routesOf, stepAfter, type Then, type Where } from '../model/flow.ts';

/** Where an item with these properties goes: to the target of the first route that fits, else to the form's own step. */
export function routed(then: Then, own: string, properties: Record<string, unknown>): string {
  return routesOf(then).find(({ where }) => holds(where, properties))?.target ?? own;
}

/** A property that is missing equals nothing, not even null. */
function holds(where: Where, properties: Record<string, unknown>): boolean {
  if ('and' in where) return where.and.every((one) => holds(one, properties));
  if ('or' in where) return where.or.some((one) => holds(one, properties));
  return valueAt(properties, where.property) === where.equals;
}

function valueAt(from: unknown, path: string): unknown {
  let value = from;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * The step that gathers what is scattered to `own`, or by a route elsewhere: the first that a way from there comes to, over
 * passes, recursions and inner scatters that are gathered; of several ways the form's own counts before its routes. Null where
 * none leads to one.
 */
export function gatherBehind(flow: Flow, own: string, routes: readonly FlowRoute[] = []): string | null {
  return firstGather(flow, [own, ...routes.map(({ target }) => target)], new Map());
}

/** `known`: where each step leads that was looked at; null as well while it is, since a flow may come back to a step. */
function firstGather(flow: Flow, steps: readonly string[], known: Map<string, string | null>): string | null {
  for (const step of steps) {
    const gather = known.has(step) ? known.get(step) : gatherFrom(flow, step, known);
    if (gather) return gather;
  }
  return null;
}

function gatherFrom(flow: Flow, step: string, known: Map<string, string | null>): string | null {
  known.set(step, null);
  const then = step === doneTarget ? undefined : flow.get(step)?.then;
  const next = then ? stepAfter(then) : null;
  if (!then || next === null) return null;
  let gather: string | null = next;
  if (!('gather' in then)) {
    gather = firstGather(flow, [next, ...routesOf(then).map(({ target }) => target)], known);
    if ('scatter' in then && gather !== null) gather = firstGather(flow, [gather], known);
  }
  known.set(step, gather);
  return gather;
}
