import { expect, test } from 'vitest';
import { openReader } from '../../src/server/store/connection.ts';
import { endpointsSince } from '../../src/server/store/jobs/endpoints-since.ts';
import { explaining } from '../helpers/plans.ts';
import { change, commit, first, idOf, next, openStore } from '../helpers/store.ts';

test('the endpoints of a processor since a time, of which it is read once for many jobs', async () => {
  await using opened = await openStore('here');
  const at = (endpoint: string) => ({ type: 'klados', properties: { endpoint } });
  const one = first(idOf(1), at('a'));
  const two = next(one, at('b'));
  const three = next(two, at('c'));
  await opened.store.submit([commit([change(null, one)], { time: 1000 })]);
  await opened.store.submit([commit([change(one, two)], { time: 2000 })]);
  await opened.store.submit([commit([change(two, three)], { time: 3000 })]);
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    const since = endpointsSince(explaining(db, plans), 1500);
    expect(since(idOf(1), 1500)).toEqual(['c', 'a', 'b', 'c']);
    const { length } = plans;
    expect(since(idOf(1), 2500)).toEqual(['c', 'b', 'c']);
    expect(since(idOf(1), 3500)).toEqual(['c']);
    expect(plans).toHaveLength(length);
    expect(since(idOf(2), 500)).toEqual([]);
  } finally {
    db.close();
  }
});
