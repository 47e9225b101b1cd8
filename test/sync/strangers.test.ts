import { expect, test } from 'vitest';
import type { PeopleView } from '../../src/server/resources/node/people/wire.ts';
import { ask, user } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startCurated } from './nodes.ts';

test('who is registered here alone is said to be unknown to the remote that a collection comes from', async () => {
  await using pair = await startCurated();
  const { mirror, here, place } = pair;
  await user(mirror, 'Bob');
  const own = await collection(mirror, here, { label: 'Of this node' });
  const unknown = async (query: string) =>
    ok<PeopleView>(await ask(mirror, here, `GET /node/people${query}`)).people.map(({ name, unknown_to }) => [
      name,
      unknown_to,
    ]);
  expect(await unknown(`?collection=${place.id}`)).toEqual([
    ['Operator', undefined],
    ['Bob', 'origin'],
  ]);
  for (const query of ['', `?collection=${own.id}`]) expect(await unknown(query)).toContainEqual(['Bob', undefined]);
});
