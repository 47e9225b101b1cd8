import { describe, expect, test } from 'vitest';
import type { components } from '../../src/renderer/src/api/schema.d.ts';
import {
  accessChanges,
  isExpired,
  membershipsOf,
  rolesOf,
  sameActions,
} from '../../src/renderer/src/views/members/access.ts';
import { abilities, allowsOf, extent, grantsByType, sourceOf } from '../../src/renderer/src/views/members/grants.ts';
import { actions, implies, isKnownAction } from '../../src/server/model/actions.ts';
import { momentOf } from '../../src/server/model/moments.ts';

type CollectionView = components['schemas']['CollectionView'];

const collection = (roles: unknown, relationships: object[] = []) =>
  ({ id: 'c', cid: 'v', properties: { roles }, relationships }) as unknown as CollectionView;
const usual = { public: ['*:view'], viewer: ['*:view'], owner: ['*:update', 'collection:manage'] };
const owner = { predicate: 'owner', peer: 'ada', peer_type: 'user', peer_label: 'Ada' };

describe('roles and memberships of a collection', () => {
  test('are read whatever stands there, the usual ones first and public last', () => {
    const job = 'klados_01j00000000000000000000000';
    const odd = { ...usual, [job]: ['*:view'], Archivist: ['*:view', 7], broken: 'no list' };
    expect(Object.entries(rolesOf(collection(odd)))).toEqual([
      ['owner', ['*:update', 'collection:manage']],
      ['viewer', ['*:view']],
      ['Archivist', ['*:view']],
      [job, ['*:view']],
      ['public', ['*:view']],
    ]);
    for (const none of [undefined, null, 'text', ['owner']]) expect(rolesOf(collection(none))).toEqual({});
    const named = JSON.parse('{"__proto__":["*:view"],"constructor":["*:view"]}');
    expect(Object.keys(rolesOf(collection(named)))).toEqual(['__proto__', 'constructor']);
  });

  test('are the relationships that are called like a role', () => {
    const until = '2026-03-01T00:00:00.000Z';
    const members = membershipsOf(
      collection(usual, [
        owner,
        { predicate: 'author', peer: 'bob' },
        { predicate: 'viewer', peer: '*', properties: { expires_at: until, granted_at: 5 } },
      ]),
    );
    expect(members.map(({ role, peer, expiresAt, grantedAt }) => [role, peer, expiresAt, grantedAt])).toEqual([
      ['owner', 'ada', undefined, undefined],
      ['viewer', '*', until, undefined],
    ]);
    const [first, second] = members;
    const at = Date.parse(until);
    expect([first, second].map((one) => one && isExpired(one, at))).toEqual([false, true]);
    expect(second && isExpired(second, at - 1)).toBe(false);
    expect(second && isExpired({ ...second, expiresAt: 'some day' }, 0)).toBe(true);
  });

  test('end when the node takes them to end, wherever the browser is', () => {
    const ends = ['2026-03-01T00:00:00', '2026-03-01 00:00', '2026-03-01T00:00:00+02:00', 'some day'];
    const members = membershipsOf(
      collection(
        usual,
        ends.map((expires_at, i) => ({ predicate: 'viewer', peer: `p${i}`, properties: { expires_at } })),
      ),
    );
    expect(members.map(({ expiresAt }) => expiresAt)).toEqual([
      '2026-03-01T00:00:00Z',
      '2026-03-01T00:00Z',
      ...ends.slice(2),
    ]);
    expect(members.map(({ expiresAt }) => Date.parse(expiresAt ?? ''))).toEqual(ends.map(momentOf));
  });

  test('tell what somebody else has changed', () => {
    const before = collection(usual, [owner, { predicate: 'viewer', peer: 'bob' }]);
    expect(accessChanges(before, before)).toEqual([]);
    const shuffled = { ...usual, owner: ['collection:manage', '*:update'] };
    expect(accessChanges(before, collection(shuffled, before.relationships))).toEqual([]);
    const { viewer: _, ...others } = usual;
    const end = { expires_at: '2026-03-01T00:00:00.000Z' };
    const after = collection({ ...others, public: ['*:view', 'graph:query'], reader: ['*:view'] }, [
      { ...owner, properties: end },
      { predicate: 'reader', peer: 'eve', peer_label: 'Eve' },
    ]);
    expect(accessChanges(before, after)).toEqual([
      { kind: 'dropped', role: 'viewer' },
      { kind: 'altered', role: 'public' },
      { kind: 'made', role: 'reader' },
      { kind: 'extended', role: 'owner', peer: 'ada', label: 'Ada' },
      { kind: 'left', role: 'viewer', peer: 'bob', label: undefined },
      { kind: 'joined', role: 'reader', peer: 'eve', label: 'Eve' },
    ]);
    expect(sameActions(['a', 'b'], ['b', 'a'])).toBe(true);
    expect(sameActions(['a', 'b'], ['a', 'c'])).toBe(false);
  });
});

describe('what a role allows', () => {
  const names = ['*:view', '*:update', 'file:*', ...actions].filter(isKnownAction);
  const grants = {
    actions: [...actions],
    grants: names.map((grant) => ({ grant, allows: actions.filter((action) => implies(grant, action)) })),
  };
  const allows = allowsOf(grants);

  test('names where a permission comes from, itself before what implies it', () => {
    expect(sourceOf('entity:view', ['*:view', 'entity:view'], allows)).toBe('entity:view');
    expect(sourceOf('file:download', ['*:view'], allows)).toBe('*:view');
    expect(sourceOf('entity:restore', ['entity:delete'], allows)).toBe('entity:delete');
    expect(sourceOf('collection:update', ['*:update'], allows)).toBeUndefined();
    expect(sourceOf('entity:view', ['nothing:known'], allows)).toBeUndefined();
  });

  test('says in words what is allowed in full, in part or not', () => {
    const of = (given: string[]) =>
      Object.fromEntries(abilities.map(({ id, actions: needed }) => [id, extent(needed, given, allows)]));
    expect(of(['*:view', 'klados:invoke'])).toMatchObject({ read: 'all', run: 'some', edit: 'none', manage: 'none' });
    expect(of(['collection:manage'])).toMatchObject({ manage: 'all', describe: 'all', dissolve: 'all', read: 'none' });
  });

  test('is shown by what it is of, the wildcards first', () => {
    const groups = grantsByType(grants);
    expect(groups[0]).toEqual(['*', ['*:view', '*:update']]);
    expect(groups.find(([type]) => type === 'file')?.[1][0]).toBe('file:*');
    expect(groups.flatMap(([, list]) => list).sort()).toEqual([...names].sort());
  });
});
