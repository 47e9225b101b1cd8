import { expect, test } from 'vitest';
import type { Manifest, Relationship } from '../../src/server/model/manifest.ts';
import { isWithin } from '../../src/server/sync/access-answer.ts';
import { mergeContents } from '../../src/server/sync/merge.ts';
import { requestsFor } from '../../src/server/sync/requests.ts';

const id = (n: number) => `01${String(n).padStart(24, '0')}`;
const by = { method: 'manual', user_id: id(1) } as const;

function collection(relationships: Relationship[], roles: Record<string, string[]> = { owner: ['*:view'] }): Manifest {
  return {
    ...{ schema: 'test', id: id(9), type: 'collection', ver: 1, prev: null, ts: '2026-01-01T00:00:00.000Z' },
    ...{ properties: { label: 'Here', roles }, relationships, edited_by: by, created_at: '2026-01-01T00:00:00.000Z' },
  } as Manifest;
}

test('a new collection goes with as many targets as a remote looks at in one request, and the rest after it', () => {
  const near = Array.from({ length: 501 }, (_, n): Relationship => ({ predicate: 'near', peer: id(100 + n) }));
  const local = collection([{ predicate: 'owner', peer: id(1) }, ...near]);
  const facts = { local, theirs: null, buried: null, self: [id(1)], user: id(2), lacking: new Set<string>(), now: 0 };
  const { requests, whole } = requestsFor('create', {
    ...facts,
    inDoubt: new Set<string>(),
    settable: new Set<string>(),
  });
  const body = requests[0]?.body('') as { relationships: Relationship[] };
  expect([requests.length, body.relationships.length, whole]).toEqual([1, 500, false]);
});

test('a version in which another membership ends at another time is no answer to a request about roles', () => {
  const viewer = (expires_at: string): Relationship => ({
    ...{ predicate: 'viewer', peer: id(3), properties: { expires_at } },
  });
  const [early, late] = ['2027-01-01T00:00:00.000Z', '2028-01-01T00:00:00.000Z'];
  const roles = (viewing: string[]) => ({ owner: ['*:view'], viewer: viewing });
  const before = collection([viewer(late)], roles(['*:view']));
  const meant = collection([viewer(late)], roles(['*:view', '*:create']));
  expect(isWithin({ before, meant, made: collection([viewer(late)], roles(['*:view', '*:create'])) })).toBe(true);
  expect(isWithin({ before, meant, made: collection([viewer(early)], roles(['*:view'])) })).toBe(false);
  // What was sent ends when the remote reckons that it does.
  const given = collection([viewer(early)], roles(['*:view']));
  const made = collection([viewer('2027-01-01T00:00:01.000Z')], roles(['*:view']));
  expect(isWithin({ before: collection([], roles(['*:view'])), meant: given, made })).toBe(true);
});

test('a membership that a remote has taken is not sent once more because it ends a little off there', () => {
  const facts = { buried: null, self: [id(1)], user: id(2), lacking: new Set<string>(), now: 0 };
  const sets = { inDoubt: new Set<string>(), settable: new Set<string>() };
  const ending = (expires_at: string) =>
    collection([{ predicate: 'owner', peer: id(3), peer_type: 'klados', properties: { expires_at } }]);
  const local = ending('2027-01-01T00:00:00.339Z');
  const asked = (there: string) =>
    requestsFor('update', { ...facts, ...sets, local, theirs: ending(there) }).requests.map(({ path }) => path);
  expect(asked('2027-01-01T00:00:00.575Z')).toEqual([]);
  expect(asked('2027-01-01T00:00:05.000Z')).toEqual([`/collections/${id(9)}/members`]);
});

test('a membership that both sides have is no conflict but where it ends at another time', () => {
  const viewer = (granted_at: string, expires_at: string): Relationship => ({
    ...{ predicate: 'owner', peer: id(3), properties: { granted_at, granted_by: id(1), expires_at } },
  });
  const [early, late] = ['2027-01-01T00:00:00.339Z', '2027-01-01T00:00:00.575Z'];
  const merge = (ours: string, theirs: string) =>
    mergeContents({
      ...{ base: collection([]), baseCid: null, theirsCid: '' },
      ours: collection([viewer(early, ours)]),
      theirs: collection([viewer(late, theirs)]),
    });
  const { content, clashes } = merge(early, late);
  expect([content.relationships, clashes]).toEqual([[viewer(late, late)], []]);
  const path = ['relationships', 'owner', id(3), 'properties', 'expires_at'];
  expect(merge(early, '2027-01-01T00:00:05.000Z').clashes).toMatchObject([{ path }]);
});
