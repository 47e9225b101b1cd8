import type { components } from '../../api/schema.d.ts';

export type Grants = components['schemas']['GrantsView'];

/** What each grant of a role allows, by its name. */
export type Allows = ReadonlyMap<string, ReadonlySet<string>>;

export function allowsOf({ grants }: Grants): Allows {
  return new Map(grants.map(({ grant, allows }) => [grant, new Set(allows)]));
}

/** The first of the grants that allows an action, if any does; the action itself before what implies it. */
export function sourceOf(action: string, given: readonly string[], allows: Allows): string | undefined {
  if (given.includes(action)) return action;
  return given.find((grant) => allows.get(grant)?.has(action));
}

/** What people want to know of a role, in words; each is held where all of its actions are allowed. */
export const abilities = [
  { id: 'read', actions: ['entity:view', 'file:download'] },
  { id: 'add', actions: ['entity:create', 'file:create'] },
  { id: 'edit', actions: ['entity:update', 'file:upload'] },
  { id: 'remove', actions: ['entity:delete', 'entity:restore'] },
  { id: 'run', actions: ['agent:invoke', 'klados:invoke', 'rhiza:invoke'] },
  { id: 'describe', actions: ['collection:update'] },
  { id: 'manage', actions: ['collection:manage'] },
  { id: 'dissolve', actions: ['collection:delete'] },
] as const;

/** Whether a role can do all of it, some of it or nothing. */
export function extent(actions: readonly string[], given: readonly string[], allows: Allows): 'all' | 'some' | 'none' {
  const held = actions.filter((action) => sourceOf(action, given, allows) !== undefined).length;
  return held === 0 ? 'none' : held === actions.length ? 'all' : 'some';
}

/** The grants by what they are of: `*` first, then the types in the order of the actions. */
export function grantsByType({ grants }: Grants): [string, string[]][] {
  return [...Map.groupBy(grants, ({ grant }) => grant.split(':')[0] ?? '')].map(([type, list]) => [
    type,
    list.map(({ grant }) => grant),
  ]);
}

export function verbOf(grant: string): string {
  return grant.slice(grant.indexOf(':') + 1);
}
