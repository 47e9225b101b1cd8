import { type Flow, routesOf, type Then, type Where } from '../model/flow.ts';

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
 * The step that gathers what is scattered to `step`: the one that it gathers into itself, or at the end of plain passes,
 * and of inner scatters that are gathered, from it on. Null where nothing does.
 */
export function gatherBehind(flow: Flow, step: string, seen = new Set<string>()): string | null {
  for (let name: string | null = step; name !== null && !seen.has(name); ) {
    seen.add(name);
    const then: Then | undefined = flow.get(name)?.then;
    if (then && 'gather' in then) return then.gather;
    if (!then || routesOf(then).length > 0) return null;
    if ('pass' in then) name = then.pass;
    else name = 'scatter' in then ? gatherBehind(flow, then.scatter, seen) : null;
  }
  return null;
}
