import { describe, expect, test } from 'vitest';
import { ForbiddenError, UnauthorizedError } from '../../src/server/errors.ts';
import { actionsOn, defaultRoles } from '../../src/server/model/actions.ts';
import type { Actor } from '../../src/server/model/actor.ts';
import type { Json, Relationship } from '../../src/server/model/manifest.ts';
import {
  allowed,
  allowedUntil,
  type Placement,
  requireAction,
  requireUser,
  roleOf,
  rolesHeld,
} from '../../src/server/model/permissions.ts';
import { accessOf } from '../../src/server/model/roles.ts';

const now = Date.parse('2026-03-01T00:00:00.000Z');
const user = (id: string, operator = false): Actor => ({ kind: 'user', id, ids: [id, `${id}-THERE`], operator });
const [ann, bob, operator] = [user('ANN'), user('BOB'), user('OPERATOR', true)];
const anonymous: Actor = { kind: 'anonymous' };
const system: Actor = { kind: 'service', id: 'SERVICE', onBehalfOf: null };
const forAnn: Actor = { kind: 'service', id: 'SERVICE', onBehalfOf: { id: 'ANN', ids: ['ANN'] } };
const klados: Actor = { kind: 'processor', id: 'KLADOS', type: 'klados', owner: 'ANN' };

const roles = defaultRoles as unknown as { [role: string]: Json };
const access = (relationships: Relationship[], more: { [role: string]: Json } = {}) =>
  accessOf({ properties: { roles: { ...roles, ...more } }, relationships });
const inCollection = (
  relationships: Relationship[],
  more: { roles?: { [role: string]: Json }; mirrored?: boolean; creator?: string } = {},
): Placement => ({
  method: 'collection',
  collection_id: 'COLLECTION',
  access: access(relationships, more.roles),
  ...(more.mirrored && { mirrored: true }),
  ...(more.creator && { creator: more.creator }),
});
const may = (actor: Actor, action: string, placement: Placement | null) => allowed(actor, action, placement, now);

describe('members', () => {
  test('an alias of the account holds its roles', () => {
    expect(may(ann, 'entity:update', inCollection([{ predicate: 'editor', peer: 'ANN-THERE' }]))).toBe(true);
  });

  test('a membership ends at its expiry, and one that cannot be read has ended', () => {
    const until = (expires_at: Json) =>
      inCollection([{ predicate: 'editor', peer: 'ANN', properties: { expires_at } }]);
    expect(may(ann, 'entity:update', until('2026-03-01T00:00:00.001Z'))).toBe(true);
    expect(may(ann, 'entity:update', until('2026-03-01T00:00:00.000Z'))).toBe(false);
    expect(may(ann, 'entity:update', until('soon'))).toBe(false);
    expect(may(ann, 'entity:update', until(99999999999999))).toBe(false);
    expect(may(ann, 'entity:update', until(null))).toBe(true);
  });

  test('what they allow ends with the last that allows it', () => {
    const end = '2026-03-01T01:00:00.000Z';
    const member = (predicate: string, expires_at: string | null, peer = 'KLADOS', peer_type = 'klados') => ({
      ...{ predicate, peer, peer_type },
      properties: { expires_at },
    });
    const until = (relationships: Relationship[], action = 'entity:update', groups: object = {}) =>
      allowedUntil(klados, action, { ...inCollection(relationships), ...groups }, now) - now;
    const hour = 3_600_000;
    expect(until([member('editor', end)])).toBe(hour);
    expect(until([member('editor', end)], 'entity:view')).toBe(Number.POSITIVE_INFINITY);
    expect(until([member('editor', end)], 'collection:manage')).toBe(-now);
    expect(until([member('editor', end), member('owner', '2026-03-01T02:00:00.000Z')])).toBe(2 * hour);
    expect(until([member('editor', end), member('owner', null)])).toBe(Number.POSITIVE_INFINITY);
    expect(until([member('editor', end), member('editor', null, 'ANN', 'user')])).toBe(hour);
    expect(until([member('editor', end), member('editor', null, '*')])).toBe(Number.POSITIVE_INFINITY);
    const members = new Map([['KLADOS', now + 2 * hour]]);
    const groups = { groups: () => members };
    expect(until([member('editor', null, 'GROUP', 'group')], 'entity:update', groups)).toBe(2 * hour);
    expect(until([member('editor', end, 'GROUP', 'group')], 'entity:update', groups)).toBe(hour);
  });

  test('a wildcard is for every registered actor, a group for its members of now', () => {
    const wildcard = inCollection([{ predicate: 'editor', peer: '*' }]);
    expect([ann, bob, klados, forAnn].map((actor) => may(actor, 'entity:update', wildcard))).toEqual([
      ...[true, true, true, true],
    ]);
    expect(may(anonymous, 'entity:update', wildcard)).toBe(false);
    expect(may(ann, 'entity:update', inCollection([{ predicate: 'editor', peer: 'ANN', peer_type: 'group' }]))).toBe(
      false,
    );
    const crew = inCollection([
      { predicate: 'editor', peer: 'CREW', peer_type: 'group' },
      { predicate: 'owner', peer: 'OTHERS', peer_type: 'group' },
    ]);
    const of =
      (...members: [string, number | null][]) =>
      (id: string) =>
        id === 'CREW' ? new Map(members) : undefined;
    const through = (actor: Actor, ...members: [string, number | null][]) =>
      may(actor, 'entity:update', { ...crew, groups: of(...members) } as Placement);
    expect(through(ann, ['ANN-THERE', null])).toBe(true);
    expect(through(forAnn, ['ANN', now + 1])).toBe(true);
    expect(through(klados, ['KLADOS', null])).toBe(true);
    expect(through(ann, ['ANN', now])).toBe(false);
    expect(through(bob, ['ANN', null])).toBe(false);
    expect(through(anonymous, ['ANN', null], ['', null])).toBe(false);
    expect(may(ann, 'entity:update', crew)).toBe(false);
    const placement = { ...crew, groups: of(['ANN', null]) } as Placement;
    expect([may(ann, 'collection:manage', placement), roleOf(ann, placement, now)]).toEqual([false, 'editor']);
  });

  test('a role that is not defined gives nothing, and a reserved name is no role', () => {
    expect(may(ann, 'entity:update', inCollection([{ predicate: 'curator', peer: 'ANN' }]))).toBe(false);
    const odd = inCollection([{ predicate: 'contains', peer: 'ANN' }], { roles: { contains: ['*:update'] } });
    expect(may(ann, 'entity:update', odd)).toBe(false);
  });

  test('what the role public holds, everyone holds, and always *:view', () => {
    const open = inCollection([], { roles: { public: ['*:invoke'] } });
    expect([ann, anonymous, klados].map((a) => may(a, 'klados:invoke', open))).toEqual([true, true, true]);
    expect(may(anonymous, 'entity:view', open)).toBe(true);
    expect(may(anonymous, 'collection:view', open)).toBe(true);
  });

  test('the role named is the one that allows the most', () => {
    const both = inCollection([
      { predicate: 'viewer', peer: 'ANN' },
      { predicate: 'owner', peer: 'ANN' },
      { predicate: 'editor', peer: 'ANN' },
    ]);
    expect(roleOf(ann, both, now)).toBe('owner');
    expect(roleOf(bob, both, now)).toBe('public');
    expect(roleOf(ann, { method: 'open_season' }, now)).toBeUndefined();
    expect(rolesHeld(ann, access([{ predicate: 'viewer', peer: 'ANN' }]), now)).toEqual(['viewer', 'public']);
  });
});

describe('placements', () => {
  test('a collection that is not on this node: everyone reads, only the node itself writes', () => {
    const away: Placement = { method: 'collection', collection_id: 'AWAY', access: null };
    expect([ann, anonymous, klados].map((a) => may(a, 'entity:view', away))).toEqual([true, true, true]);
    expect([ann, forAnn, klados, anonymous].some((a) => may(a, 'entity:update', away))).toBe(false);
    expect([operator, system].every((a) => may(a, 'entity:update', away))).toBe(true);
  });

  test('a mirror is written by the operator alone, under the roles that it gives there', () => {
    const members = [
      { predicate: 'editor', peer: 'ANN' },
      { predicate: 'editor', peer: 'OPERATOR-THERE' },
    ];
    const mirror = inCollection(members, { mirrored: true });
    expect(may(operator, 'entity:update', mirror)).toBe(true);
    expect(may(operator, 'collection:manage', mirror)).toBe(false);
    expect(may(operator, 'entity:update', inCollection([], { mirrored: true }))).toBe(false);
    expect([ann, forAnn, system, klados].some((a) => may(a, 'entity:update', mirror))).toBe(false);
    expect([ann, anonymous, system].every((a) => may(a, 'file:download', mirror))).toBe(true);
    expect(may(operator, 'klados:invoke', mirror)).toBe(true);
    expect(
      may(operator, 'entity:update', { method: 'collection', collection_id: 'M', access: null, mirrored: true }),
    ).toBe(false);
  });

  test('open season: users edit, processors and the anonymous only view', () => {
    const open: Placement = { method: 'open_season' };
    expect([ann, forAnn, operator, system].every((a) => may(a, 'entity:delete', open))).toBe(true);
    expect([klados, anonymous].some((a) => may(a, 'entity:update', open))).toBe(false);
    expect([klados, anonymous].every((a) => may(a, 'entity:view', open))).toBe(true);
    expect(may(ann, 'klados:manage', open)).toBe(false);
    expect(may(ann, 'collection:update', open)).toBe(false);
  });

  test('a user: everyone views, that user updates, nobody deletes', () => {
    const self: Placement = { method: 'self', user_id: 'ANN' };
    expect([bob, anonymous, klados].every((a) => may(a, 'user:view', self))).toBe(true);
    expect([ann, forAnn].every((a) => may(a, 'user:update', self))).toBe(true);
    expect([bob, anonymous, klados].some((a) => may(a, 'user:update', self))).toBe(false);
    expect([ann, operator, system, forAnn].some((a) => may(a, 'entity:delete', self))).toBe(false);
    expect([ann, forAnn, operator].map((a) => may(a, 'user:credentials', self))).toEqual([true, false, false]);
  });

  test('the creator manages and invokes a processor, and no more in a mirror than invoking it', () => {
    const made = inCollection([], { creator: 'ANN' });
    expect(may(ann, 'klados:manage', made)).toBe(true);
    expect(may(forAnn, 'rhiza:invoke', made)).toBe(true);
    expect(may(bob, 'klados:invoke', made)).toBe(false);
    expect(may(ann, 'entity:delete', made)).toBe(false);
    expect(may(ann, 'agent:invoke', { method: 'open_season', creator: 'ANN' })).toBe(true);
    const mirrored = inCollection([], { creator: 'ANN', mirrored: true });
    expect([may(ann, 'klados:invoke', mirrored), may(ann, 'klados:manage', mirrored)]).toEqual([true, false]);
    const operators = inCollection([], { creator: 'OPERATOR', mirrored: true });
    expect(may(operator, 'klados:manage', operators)).toBe(false);
    expect(may(klados, 'rhiza:manage', inCollection([], { creator: 'KLADOS' }))).toBe(true);
    expect(may(klados, 'klados:manage', inCollection([], { creator: 'KLADOS' }))).toBe(false);
  });

  test('no entity: searching needs a registered actor, chatting a user', () => {
    expect([ann, klados, system].every((a) => may(a, 'search:query', null))).toBe(true);
    expect(may(anonymous, 'search:query', null)).toBe(false);
    expect([ann, klados, anonymous].map((a) => may(a, 'chat:send', null))).toEqual([true, false, false]);
    expect(may(ann, 'entity:create', null)).toBe(false);
  });
});

test('the actions of an entity are sorted, its type’s, and without wildcards', () => {
  const placement = inCollection([{ predicate: 'editor', peer: 'ANN' }]);
  const listed = (actor: Actor, type: string) => actionsOn(type).filter((action) => may(actor, action, placement));
  expect(listed(ann, 'folder')).toEqual([
    ...['entity:create', 'entity:delete', 'entity:restore', 'entity:tip', 'entity:update', 'entity:view'],
    ...['folder:create', 'folder:update', 'folder:view'],
  ]);
  expect(listed(anonymous, 'letter')).toEqual(['entity:tip', 'entity:view']);
  expect(listed(ann, 'collection')).toEqual([
    ...['collection:create', 'collection:view'],
    ...['entity:create', 'entity:delete', 'entity:restore', 'entity:tip', 'entity:update', 'entity:view'],
  ]);
});

describe('refusing', () => {
  test('nobody signed in is 401, a denied action names itself', () => {
    const closed = inCollection([]);
    expect(() => requireAction(anonymous, 'entity:update', closed, now)).toThrow(UnauthorizedError);
    expect(() => requireAction(ann, 'entity:update', closed, now)).toThrow(
      new ForbiddenError('Action not allowed: entity:update'),
    );
    const owner = inCollection([{ predicate: 'owner', peer: 'KLADOS' }]);
    expect(() => requireAction(klados, 'collection:manage', owner, now)).toThrow(/^Only users can /);
    expect(requireAction(klados, 'collection:update', owner, now)).toBeUndefined();
  });

  test('users pass, services as the user they act for, and keys are for the user alone', () => {
    expect(requireUser(ann, 'chat')).toEqual({ id: 'ANN', ids: ['ANN', 'ANN-THERE'] });
    expect(requireUser(forAnn, 'chat').id).toBe('ANN');
    expect(requireUser(system, 'chat').id).toBe('SERVICE');
    expect(() => requireUser(klados, 'create collections')).toThrow(
      new ForbiddenError('Only users can create collections'),
    );
    expect(() => requireUser(anonymous, 'chat')).toThrow(UnauthorizedError);
    for (const actor of [forAnn, system, klados])
      expect(() => requireUser(actor, 'manage API keys', { credentials: true })).toThrow(ForbiddenError);
    expect(requireUser(ann, 'manage API keys', { credentials: true }).id).toBe('ANN');
  });
});
