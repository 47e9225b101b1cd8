import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  actionFor,
  actionListIssues,
  actions,
  actionsOf,
  defaultRoles,
  implies,
  isKnownAction,
  permissionMetadata,
} from '../../src/server/model/actions.ts';

const action = fc.constantFrom(...actions);
const verbWildcard = action.map((a) => `*:${a.split(':')[1]}`);
const typeWildcard = action.map((a) => `${a.split(':')[0]}:*`);
const granted = fc.oneof(action, verbWildcard, typeWildcard, fc.constantFrom('*:*', 'collection:*', ':', 'view', ''));

describe('implies', () => {
  test.each([
    ['entity:view', 'entity:view'],
    ['*:view', 'collection:view'],
    ['*:view', 'file:download'],
    ['*:update', 'file:reupload'],
    ['*:update', 'entity:delete'],
    ['*:update', 'entity:restore'],
    ['*:manage', 'klados:update'],
    ['file:*', 'file:upload'],
    ['entity:view', 'file:download'],
    ['entity:view', 'collection:view'],
    ['entity:update', 'file:upload'],
    ['entity:create', 'agent:create'],
    ['entity:*', 'collection:view'],
    ['entity:*', 'klados:invoke'],
    ['entity:delete', 'entity:restore'],
    ['collection:update', 'collection:delete'],
    ['collection:delete', 'collection:restore'],
    ['collection:manage', 'collection:update'],
    ['*:invoke', 'rhiza:invoke'],
  ])('%s allows %s', (held, wanted) => expect(implies(held, wanted)).toBe(true));

  test.each([
    ['*:update', 'collection:update'],
    ['*:manage', 'collection:manage'],
    ['*:manage', 'collection:view'],
    ['*:create', 'collection:create'],
    ['*:restore', 'collection:restore'],
    ['entity:*', 'collection:update'],
    ['entity:update', 'collection:update'],
    ['collection:*', 'collection:view'],
    ['*:*', 'entity:view'],
    ['*:*', 'collection:view'],
    ['file:update', 'entity:update'],
    ['file:*', 'folder:view'],
    ['entity:view', 'entity:tip'],
    ['entity:*', 'search:query'],
    ['entity:restore', 'entity:delete'],
    ['*:view', 'entity:update'],
    ['*:update', 'klados:manage'],
    ['constructor:view', 'file:view'],
    ['entity:constructor', 'entity:view'],
  ])('%s does not allow %s', (held, wanted) => expect(implies(held, wanted)).toBe(false));

  test('every action allows itself', () => {
    for (const a of actions) expect(implies(a, a)).toBe(true);
  });

  test('of collections, only collection actions reach beyond collection:view', () => {
    fc.assert(
      fc.property(granted, action, (held, wanted) => {
        if (!wanted.startsWith('collection:') || wanted === 'collection:view') return;
        if (implies(held, wanted)) expect(actionsOf('collection')).toContain(held);
      }),
    );
  });

  test('what is implied is implied further', () => {
    fc.assert(
      fc.property(granted, action, action, (held, between, wanted) => {
        // An entity action reaches more types than a wildcard's own; only chains of plain actions must close.
        if (held.includes('*')) return;
        if (implies(held, between) && implies(between, wanted)) expect(implies(held, wanted)).toBe(true);
      }),
    );
  });

  test('a wildcard of a verb reaches what the plain action of each type reaches, except collections', () => {
    fc.assert(
      fc.property(action, action, (a, wanted) => {
        const [type, verb] = a.split(':');
        if (type === 'collection' || wanted.startsWith('collection:')) return;
        if (implies(a, wanted)) expect(implies(`*:${verb}`, wanted)).toBe(true);
      }),
    );
  });

  test('text that has no colon allows nothing', () => {
    const word = fc.string().filter((text) => !text.includes(':'));
    fc.assert(fc.property(word, action, (held, wanted) => !implies(held, wanted)));
  });
});

describe('the action table', () => {
  test('a write takes the action of its own type where there is one', () => {
    expect(actionFor('folder', 'create')).toBe('folder:create');
    expect(actionFor('klados', 'update')).toBe('klados:update');
    expect(actionFor('klados', 'delete')).toBe('entity:delete');
    expect(actionFor('collection', 'delete')).toBe('collection:delete');
    expect(actionFor('letter', 'update')).toBe('entity:update');
    expect(actionFor('__proto__', 'restore')).toBe('entity:restore');
  });

  test.each(['entity:view', '*:invoke', '*:restore', 'rhiza:*', 'entity:*', 'collection:manage'])(
    '%s may stand in a role',
    (a) => expect(isKnownAction(a)).toBe(true),
  );

  test.each(['collection:*', '*:*', '*', 'entity', 'entity:fly', 'toString:*', '*:toString', 'file:view:x', '', ':'])(
    '%j may not',
    (a) => expect(isKnownAction(a)).toBe(false),
  );

  test('the issues of a list say which action is wrong', () => {
    expect(actionListIssues(['entity:view', 'collection:*', 7], ['actions'])).toEqual([
      { path: ['actions', 1], message: '`collection:*` is not allowed' },
      { path: ['actions', 2], message: 'is no action' },
    ]);
    expect(actionListIssues([], ['actions'])).toHaveLength(1);
    expect(actionListIssues('entity:view', ['actions'])).toHaveLength(1);
    for (const list of Object.values(defaultRoles)) expect(actionListIssues(list, [])).toEqual([]);
  });
});

test('the metadata has the members and the default roles of the specification', () => {
  expect(Object.keys(permissionMetadata).sort()).toEqual(
    [
      ...['actions', 'verbs', 'types', 'implications', 'type_hierarchy'],
      ...['wildcards', 'restrictions', 'default_roles'],
    ].sort(),
  );
  expect(permissionMetadata.default_roles).toEqual({
    owner: ['*:view', '*:update', '*:create', 'collection:update', 'collection:manage'],
    editor: ['*:view', '*:update', '*:create'],
    viewer: ['*:view'],
    public: ['*:view'],
  });
  expect(permissionMetadata.type_hierarchy.base_type).toBe('entity');
  expect(permissionMetadata.type_hierarchy.restrictions[0]).toMatchObject({
    type: 'collection',
    allowed_verbs: ['view'],
  });
  expect(permissionMetadata.implications).toMatchObject({
    view: ['download'],
    manage: expect.arrayContaining(['view', 'download', 'create', 'update', 'reupload', 'upload', 'delete']),
    update: expect.arrayContaining(['reupload', 'upload', 'delete']),
  });
});
