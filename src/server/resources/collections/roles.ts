import type { Issue } from '../../errors.ts';
import { actionListIssues, defaultRoles } from '../../model/actions.ts';
import { roleNameIssues, roleSetIssues } from '../../model/roles.ts';
import type { CreateCollectionBody, RolesView } from './wire.ts';

type Given = Pick<CreateCollectionBody, 'roles' | 'properties' | 'use_roles_default'>;

/**
 * The roles of a new collection (interface.md, POST /collections): a given role replaces the default of its name. There is
 * always an owner, since the creator becomes it, and public.
 */
export function initialRoles(body: Given): RolesView {
  const withDefaults = body.use_roles_default ?? true;
  const defaults = Object.entries(defaultRoles).filter(([name]) => withDefaults || name === 'owner');
  const copies = defaults.map(([name, list]): [string, string[]] => [name, [...list]]);
  const roles = Object.fromEntries([...copies, ...Object.entries(givenRoles(body) as RolesView)]);
  return { ...roles, public: withView(Object.hasOwn(roles, 'public') ? roles.public : []) };
}

/** What is wrong with the roles of a body, before `public` is completed. */
export function initialRoleIssues(body: Given): Issue[] {
  const given = givenRoles(body);
  const path = body.roles === undefined ? ['properties', 'roles'] : ['roles'];
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [{ path, message: 'must be an object of roles' }];
  const completed = Object.entries(given).map(([name, list]) => [
    name,
    Array.isArray(list) ? completedRole(name, list) : list,
  ]);
  return roleSetIssues({ public: ['*:view'], ...Object.fromEntries(completed) }, path);
}

/** Those among the properties count where `roles` is not given, as a PUT takes them; they may be anything. */
function givenRoles({ roles, properties = {} }: Given): unknown {
  if (roles !== undefined) return roles;
  return Object.hasOwn(properties, 'roles') ? properties.roles : {};
}

/** A role's actions as they are stored: `public` keeps `*:view` (decisions.md, role names). */
export function completedRole(name: string, actions: string[]): string[] {
  return name === 'public' ? withView(actions) : actions;
}

function withView(actions: string[] | undefined): string[] {
  const list = actions ?? [];
  return list.includes('*:view') ? list : [...list, '*:view'];
}

/** What is wrong with one role of a body, by the body's own names. */
export function roleBodyIssues(role: string, actions: string[]): Issue[] {
  return [...roleNameIssues(role, ['role']), ...actionListIssues(actions, ['actions'])];
}
