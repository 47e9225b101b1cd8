import { describe, expect, test } from 'vitest';
import { type Grantee, planGrant } from '../../src/server/model/grants.ts';
import { allowedUntil } from '../../src/server/model/permissions.ts';
import { accessOf, type CollectionAccess } from '../../src/server/model/roles.ts';

const now = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const id = '01J00000000000000000000000';
const role = `klados_${id.toLowerCase()}`;
const grantee: Grantee = { id, type: 'klados', label: 'Splitter', actions: ['entity:view', 'entity:create'] };
const ever = Number.POSITIVE_INFINITY;
const all = { now, wanted: hour, heldUntil: () => ever };

const access = (actions: string[] | null, expires: number | null): CollectionAccess =>
  accessOf({
    properties: { roles: { public: ['*:view'], ...(actions && { [role]: actions }) } },
    relationships: actions
      ? [
          {
            predicate: role,
            peer: id,
            peer_type: 'klados',
            properties: expires === null ? {} : { expires_at: new Date(expires).toISOString() },
          },
        ]
      : [],
  });

describe('a grant', () => {
  test('is made where there is none', () => {
    expect(planGrant(access(null, null), grantee, all)).toEqual({
      grantee,
      role,
      actions: grantee.actions,
      alreadyGranted: false,
      expired: false,
      missingActions: false,
      currentExpires: null,
      refused: [],
      lastingLacks: [],
      cutShort: false,
      wait: null,
      write: { actions: grantee.actions, expires: now + hour, update: false },
      expires: now + hour,
    });
  });

  test.each([
    ['nine tenths of the wanted time', 0.9, true],
    ['a little less', 0.89, false],
  ])('that covers %s: stays as it is? %s', (_, share, stays) => {
    const plan = planGrant(access([...grantee.actions], now + hour * share), grantee, all);
    expect(plan).toMatchObject({ alreadyGranted: true, expired: false, currentExpires: now + hour * share });
    expect(plan.write === null).toBe(stays);
    expect(plan.expires).toBe(stays ? now + hour * share : now + hour);
  });

  test('of longer than is wanted is not made shorter', () => {
    const plan = planGrant(access(['entity:view'], now + 5 * hour), grantee, all);
    expect(plan).toMatchObject({ alreadyGranted: false, missingActions: true, expires: now + 5 * hour });
    expect(plan.write).toMatchObject({ expires: now + 5 * hour, update: true });
  });

  test('that has ended is made anew, without what it gave beyond', () => {
    const plan = planGrant(access(['entity:view', 'entity:delete'], now), grantee, all);
    expect(plan).toMatchObject({ alreadyGranted: false, expired: true, missingActions: false, currentExpires: now });
    expect(plan.write).toEqual({ actions: grantee.actions, expires: now + hour, update: true });
  });

  test('by somebody who may less neither prolongs what somebody else gave beyond nor takes it away', () => {
    const heldUntil = (action: string) => (action === 'entity:delete' ? 0 : ever);
    const end = now + hour / 2;
    const before = access(['entity:view', 'entity:create', 'entity:delete', 'file:update'], end);
    expect(planGrant(before, grantee, { ...all, heldUntil })).toMatchObject({
      cutShort: true,
      write: null,
      expires: end,
    });
    // What is missing is added, until then.
    const less = access(['entity:view', 'entity:delete'], end);
    expect(planGrant(less, grantee, { ...all, heldUntil })).toMatchObject({
      ...{ refused: [], cutShort: true, expires: end },
      write: { actions: [...grantee.actions, 'entity:delete'], expires: end, update: true },
    });
    // Whoever may give all of it prolongs all of it.
    expect(planGrant(before, grantee, all)).toMatchObject({
      ...{ cutShort: false, expires: now + hour },
      write: { actions: [...grantee.actions, 'entity:delete', 'file:update'], expires: now + hour },
    });
  });

  test('that cannot be prolonged and ends within a minute is waited for', () => {
    const heldUntil = (action: string) => (action === 'entity:delete' ? 0 : ever);
    const plan = (left: number, wanted = hour, has = [...grantee.actions, 'entity:delete']) =>
      planGrant(access(has, now + left), grantee, { now, wanted, heldUntil });
    expect(plan(1)).toMatchObject({ cutShort: true, wait: 1, refused: [] });
    expect(plan(59_999, hour, ['entity:view', 'entity:delete'])).toMatchObject({ cutShort: true, wait: 60 });
    expect(plan(60_000)).toMatchObject({ cutShort: true, wait: null });
    // Nobody wants more of it, or it can be prolonged.
    expect(plan(30_000, 30_000)).toMatchObject({ cutShort: false, wait: null });
    expect(plan(1000, hour, [...grantee.actions])).toMatchObject({ expires: now + hour, wait: null });
  });

  test('with an action that this node does not know is prolonged by whoever sets roles', () => {
    const before = access([...grantee.actions, 'foo:bar'], now + 1000);
    const actions = [...grantee.actions, 'foo:bar'];
    expect(planGrant(before, grantee, all)).toMatchObject({ cutShort: false, write: { actions, expires: now + hour } });
    const heldUntil = (action: string) => (action === 'collection:manage' ? 0 : ever);
    expect(planGrant(before, grantee, { ...all, heldUntil })).toMatchObject({ cutShort: true, wait: 1 });
  });

  test('gives nothing that the invoker does not hold', () => {
    const viewer: CollectionAccess = accessOf({
      properties: { roles: { public: ['*:view'] } },
      relationships: [],
    });
    const user = { kind: 'user' as const, id: 'U', ids: ['U'], operator: false };
    const heldUntil = (action: string) =>
      allowedUntil(user, action, { method: 'collection', collection_id: 'C', access: viewer }, now);
    expect(planGrant(viewer, grantee, { ...all, heldUntil }).refused).toEqual(['entity:create']);
    const wild = { ...grantee, actions: ['*:view', '*:update', 'nonsense:verb'] };
    expect(planGrant(viewer, wild, { ...all, heldUntil }).refused).toEqual(['*:update', 'nonsense:verb']);
  });

  test('by somebody who holds it for a while ends when that does', () => {
    const half = now + hour / 2;
    const plan = planGrant(access(null, null), grantee, { ...all, heldUntil: () => half });
    expect(plan).toMatchObject({ refused: [], expires: half, write: { expires: half } });
    // The shortest counts, and what is seen by all in any case is not among them.
    const views = (action: string) => (action === 'entity:view' ? ever : half);
    expect(planGrant(access(null, null), grantee, { ...all, heldUntil: views }).expires).toBe(half);
    const before = access([...grantee.actions, 'file:update'], now + 1000);
    const some = (action: string) => (action === 'file:update' ? half : ever);
    expect(planGrant(before, grantee, { ...all, heldUntil: some }).write).toMatchObject({
      ...{ actions: [...grantee.actions, 'file:update'], expires: half },
    });
  });

  test('does not prolong itself', () => {
    const end = now + 1000;
    const plan = planGrant(access([...grantee.actions], end), grantee, { ...all, heldUntil: () => end });
    expect(plan).toMatchObject({ alreadyGranted: true, refused: [], write: null, expires: end });
  });

  test('that lasts longer than the invoker holds more gets no more', () => {
    const before = access(['entity:view'], now + 5 * hour);
    const plan = planGrant(before, grantee, { ...all, heldUntil: () => now + hour });
    expect(plan).toMatchObject({ refused: ['entity:create'], expires: now + 5 * hour });
  });

  test('by patterns covers what they stand for', () => {
    expect(planGrant(access(['*:view', '*:create'], now + hour), grantee, all).write).toBeNull();
    expect(planGrant(access(['*:view'], now + hour), grantee, all).missingActions).toBe(true);
  });

  test('that never ends is left alone', () => {
    const plan = planGrant(access([...grantee.actions], null), grantee, all);
    expect(plan).toMatchObject({ alreadyGranted: true, currentExpires: null, write: null, expires: now + hour });
    const lacking = planGrant(access(['entity:view', 'entity:delete'], null), grantee, all);
    expect(lacking).toMatchObject({ missingActions: true, refused: ['entity:create'], write: null });
    expect(lacking.lastingLacks).toEqual(['entity:create']);
  });
});
