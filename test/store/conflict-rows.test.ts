import { expect, test } from 'vitest';
import { conflictsOf, listConflicts } from '../../src/server/store/remotes/conflict-rows.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

test('conflicts are listed remote by remote, those without one first, as far as the limit', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(2))), step(null, first(idOf(1)))]);
  const remote = { url: 'https://a.test', secret: null, instance: null, user: null, collections: [] };
  const rows = ['one', 'two'].map((name) => ({ kind: 'remote' as const, remote: name, ...remote }));
  await opened.store.submit([
    {
      changes: [],
      preconditions: [],
      rows: rows.map((row) => ({ ...row, direction: 'pull' as const })),
      origin: 'local',
      time: 0,
    },
  ]);
  opened.meddle(`INSERT INTO sync_conflict (remote, entity, ours, theirs, time)
    SELECT r.key, e.key, '', '', 0 FROM entity e, (SELECT key FROM remote UNION SELECT 0 UNION SELECT -1) r
     WHERE r.key >= 0 OR e.id = '${idOf(2)}'`);
  const both = (name: string) => [2, 1].map((n) => [name, idOf(n)]);
  const all = [...both('car'), ['car:2', idOf(2)], ...both('one'), ...both('two')];
  const listed = (limit: number) =>
    opened.store.read((db) => listConflicts(db, limit)).map((it): unknown => [it.remote, it.id]);
  expect(listed(100)).toEqual(all);
  for (const limit of [1, 2, 4]) expect(listed(limit)).toEqual(all.slice(0, limit));
  const remotesOf = (n: number) => opened.store.read((db) => conflictsOf(db, idOf(n))).map((it) => it.remote);
  expect([remotesOf(1), remotesOf(2), remotesOf(3)]).toEqual([
    ['car', 'one', 'two'],
    ['car', 'car:2', 'one', 'two'],
    [],
  ]);
});
