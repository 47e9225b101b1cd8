import type { Issue, IssuePath } from '../errors.ts';

/**
 * Every permission action (interface.md, Permission actions), with those that its table lacks: `klados:*`, `rhiza:*`,
 * `collection:delete` and `collection:restore` (decisions.md, G5), and `catalog:list` (wire-contract.md 4.4).
 */
const verbsOf: Record<string, readonly string[]> = {
  entity: ['create', 'view', 'tip', 'update', 'delete', 'restore'],
  file: ['create', 'view', 'upload', 'download', 'update', 'reupload'],
  user: ['create', 'view', 'update', 'credentials'],
  collection: ['create', 'view', 'update', 'delete', 'restore', 'manage'],
  folder: ['create', 'view', 'update'],
  agent: ['create', 'view', 'update', 'invoke', 'manage'],
  klados: ['create', 'view', 'update', 'invoke', 'manage'],
  rhiza: ['create', 'view', 'update', 'invoke', 'manage'],
  search: ['query', 'similar', 'execute'],
  query: ['execute'],
  graph: ['query'],
  chat: ['send', 'view', 'delete'],
  attestation: ['view', 'verify'],
  permissions: ['read'],
  events: ['list'],
  catalog: ['list'],
};

const typeNames = Object.keys(verbsOf);
const verbNames = [...new Set(Object.values(verbsOf).flat())];
const actionNames = typeNames.flatMap((type) => actionsOf(type));

/** The types of entity that `entity:<verb>` reaches; of collections it reaches only `collection:view`. */
const specificTypes = new Set(['file', 'user', 'folder', 'agent', 'klados', 'rhiza']);

/** interface.md, Verb implications; whoever may delete may restore (decisions.md, G4). */
const impliedVerbs: Record<string, readonly string[]> = {
  view: ['download'],
  update: ['reupload', 'upload', 'delete', 'restore'],
  delete: ['restore'],
  manage: ['view', 'download', 'create', 'update', 'reupload', 'upload', 'delete', 'restore'],
};

/** interface.md, Default collection roles. */
export const defaultRoles: Readonly<Record<string, readonly string[]>> = {
  owner: ['*:view', '*:update', '*:create', 'collection:update', 'collection:manage'],
  editor: ['*:view', '*:update', '*:create'],
  viewer: ['*:view'],
  public: ['*:view'],
};

/** Every action, without wildcards. */
export const actions: readonly string[] = actionNames;

/** The actions of one type of entity or resource, empty where the table has none of its own. */
export function actionsOf(type: string): string[] {
  return Object.hasOwn(verbsOf, type) ? (verbsOf[type] ?? []).map((verb) => `${type}:${verb}`) : [];
}

/** What may be allowed on an entity of that type: `entity:*` and the type's own actions, without wildcards, sorted. */
export function actionsOn(entityType: string): string[] {
  return [...new Set([...actionsOf('entity'), ...actionsOf(entityType)])].sort();
}

/** The action that writing an entity of that type takes: its own where the table has one, else `entity:<verb>`. */
export function actionFor(type: string, verb: 'create' | 'update' | 'delete' | 'restore'): string {
  return Object.hasOwn(verbsOf, type) && verbsOf[type]?.includes(verb) ? `${type}:${verb}` : `entity:${verb}`;
}

function verbCovers(granted: string, verb: string): boolean {
  return granted === verb || (Object.hasOwn(impliedVerbs, granted) && !!impliedVerbs[granted]?.includes(verb));
}

/** Whether holding `granted` (an action, `*:verb` or `type:*`) allows `action` (interface.md, Permission actions). */
export function implies(granted: string, action: string): boolean {
  const [grantedType = '', grantedVerb = ''] = granted.split(':');
  const [type = '', verb = ''] = action.split(':');
  if (type === 'collection') return impliesCollection(grantedType, grantedVerb, verb);
  const reaches = grantedType === type || grantedType === '*' || (grantedType === 'entity' && specificTypes.has(type));
  if (!reaches) return false;
  return grantedVerb === '*' ? grantedType !== '*' : verbCovers(grantedVerb, verb);
}

function impliesCollection(grantedType: string, grantedVerb: string, verb: string): boolean {
  switch (grantedType) {
    case 'collection':
      return grantedVerb !== '*' && verbCovers(grantedVerb, verb);
    case 'entity':
      return verb === 'view' && (grantedVerb === 'view' || grantedVerb === '*');
    default:
      return grantedType === '*' && grantedVerb === 'view' && verb === 'view';
  }
}

const writingVerbs = new Set(['create', 'update', 'delete', 'restore', 'upload', 'reupload', 'manage', 'credentials']);

/** Whether an action changes something stored, rather than reading it or making it run. */
export function isWrite(action: string): boolean {
  return writingVerbs.has(action.slice(action.indexOf(':') + 1));
}

/** Whether a role or a processor may name it: an action of the table, `*:verb` or `type:*`, but never `collection:*`. */
export function isKnownAction(action: string): boolean {
  if (actionNames.includes(action)) return true;
  const [type = '', verb = '', ...rest] = action.split(':');
  if (rest.length > 0) return false;
  if (type === '*') return verbNames.includes(verb);
  return verb === '*' && type !== 'collection' && typeNames.includes(type);
}

/** What is wrong with a list of actions as a body or a manifest carries it (decisions.md, Permissions and writes). */
export function actionListIssues(value: unknown, path: IssuePath): Issue[] {
  if (!Array.isArray(value) || value.length === 0) return [{ path, message: 'must be a list of at least one action' }];
  return value.flatMap((action, i) =>
    typeof action === 'string' && isKnownAction(action)
      ? []
      : [{ path: [...path, i], message: action === 'collection:*' ? '`collection:*` is not allowed' : 'is no action' }],
  );
}

/** The body of GET /permissions (wire-contract.md, Appendix A). */
export interface PermissionMetadata {
  actions: string[];
  verbs: string[];
  types: string[];
  implications: Record<string, string[]>;
  type_hierarchy: {
    base_type: string;
    description: string;
    restrictions: { type: string; allowed_verbs: string[]; description: string }[];
  };
  wildcards: Record<'verb' | 'type', { pattern: string; example: string; description: string }>;
  restrictions: string[];
  default_roles: Record<string, string[]>;
}

const copies = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]]));

export const permissionMetadata: Readonly<PermissionMetadata> = {
  actions: [...actionNames],
  verbs: [...verbNames],
  types: [...typeNames],
  implications: copies(impliedVerbs),
  type_hierarchy: {
    base_type: 'entity',
    description: 'entity:<verb> implies <type>:<verb> for every specific type of entity, except as restricted here',
    restrictions: [
      {
        type: 'collection',
        allowed_verbs: ['view'],
        description: 'Of the collection actions, entity:view and entity:* imply only collection:view',
      },
    ],
  },
  wildcards: {
    verb: {
      pattern: '*:<verb>',
      example: '*:view',
      description: 'That verb on every type, without collection operations; *:view also matches collection:view',
    },
    type: { pattern: '<type>:*', example: 'file:*', description: 'Every verb of that type; not for collection' },
  },
  restrictions: [
    'collection:* is not allowed',
    'A public role with *:view is always present',
    'Whoever may delete an entity may restore it',
    'The creator of an agent, klados or rhiza may manage and invoke it',
    'Only users can create collections, manage roles and members, and manage keys and verification of processors',
  ],
  default_roles: copies(defaultRoles),
};
