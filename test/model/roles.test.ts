import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, Relationship } from '../../src/server/model/manifest.ts';
import { accessOf, isExpired, roleIssues, roleNameIssues, roleSetIssues } from '../../src/server/model/roles.ts';

const read = (properties: JsonObject, relationships: Relationship[] = []) => accessOf({ properties, relationships });

describe('reading a collection', () => {
  test('members are relationships whose predicate is a role', () => {
    const { roles, members } = read({ roles: { editor: ['*:view'], public: ['*:view'] } }, [
      {
        predicate: 'editor',
        peer: 'ANN',
        peer_type: 'user',
        peer_label: 'Ann',
        properties: {
          expires_at: '2026-01-01T00:00:00.000Z',
          granted_at: '2025-01-01T00:00:00.000Z',
          granted_by: 'BOB',
        },
      },
      { predicate: 'editor', peer: 'CREW', peer_type: 'group' },
      { predicate: 'editor', peer: '*' },
      { predicate: 'contains', peer: 'FOLDER' },
      { predicate: 'owner', peer: 'BOB' },
    ]);
    expect([...roles]).toEqual([
      ['editor', ['*:view']],
      ['public', ['*:view']],
    ]);
    expect(members).toEqual([
      {
        role: 'editor',
        peer: 'ANN',
        kind: 'member',
        label: 'Ann',
        expires: Date.parse('2026-01-01T00:00:00.000Z'),
        expires_at: '2026-01-01T00:00:00.000Z',
        granted_at: '2025-01-01T00:00:00.000Z',
        granted_by: 'BOB',
      },
      { role: 'editor', peer: 'CREW', kind: 'group', expires: null },
      { role: 'editor', peer: '*', kind: 'wildcard', expires: null },
    ]);
  });

  test('what is no role or no action is left out', () => {
    const roles = { editor: ['*:view', 7, null], odd: 'x', root: ['*:update'], __proto__: ['*:update'] };
    expect([...read({ roles }).roles]).toEqual([['editor', ['*:view']]]);
    for (const none of [null, [], 'x', 3]) expect(read({ roles: none }).roles.size).toBe(0);
    expect(read({}).roles.size).toBe(0);
  });

  test('any JSON is read without an exception', () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonObject[string]>;
    fc.assert(
      fc.property(json, json, (roles, expires_at) => {
        const relationships = [{ predicate: 'editor', peer: 'ANN', properties: { expires_at } }];
        const members = read({ roles: { editor: [], more: roles } }, relationships).members;
        expect(members).toHaveLength(1);
        if (typeof expires_at !== 'string' && expires_at !== null)
          expect(members.every((m) => isExpired(m, 0))).toBe(true);
        read({ roles });
      }),
    );
  });
});

describe('writing roles', () => {
  test.each(['collection', 'root', 'contains', 'in', '', 'x'.repeat(51)])('%j is no name for a role', (name) => {
    expect(roleNameIssues(name, ['role'])).toMatchObject([{ path: ['role'] }]);
  });

  test.each(['x', 'Head curator', 'x'.repeat(50), 'klados_01hzz'])('%j is one', (name) => {
    expect(roleNameIssues(name, ['role'])).toEqual([]);
  });

  test('public with *:view must be among them', () => {
    const closed = [{ path: ['roles', 'public'], message: 'the public role with *:view must stay' }];
    expect(roleSetIssues({ public: ['*:view', '*:invoke'] }, ['roles'])).toEqual([]);
    expect(roleSetIssues({ public: ['entity:view'] }, ['roles'])).toEqual(closed);
    expect(roleSetIssues({}, ['roles'])).toEqual(closed);
  });

  test('every issue of a role is told', () => {
    expect(roleIssues('in', ['x'], ['r']).map((i) => i.path)).toEqual([['r'], ['r', 0]]);
  });
});
