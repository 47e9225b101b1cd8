import { expect, test } from 'vitest';
import type { Manifest, Relationship } from '../../src/server/model/manifest.ts';
import { isWithin } from '../../src/server/sync/access-answer.ts';
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
