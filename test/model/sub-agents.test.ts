import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { subAgentsOf } from '../../src/server/model/sub-agents.ts';

const [a, b, c] = ['01J0000000000000000000000A', '01J0000000000000000000000B', '01J0000000000000000000000C'];

test('the agents that one uses are named by `pi`, else by `id`, each once, whatever else stands there', () => {
  const uses_agents = [
    { id: b },
    { pi: a, id: b },
    { pi: a },
    { pi: null, id: a },
    { pi: 'helper', id: c },
    { label: 'none' },
    'x',
    null,
    { pi: 5 },
  ];
  expect(subAgentsOf({ uses_agents } as JsonObject)).toEqual([b, a, c]);
  for (const properties of [{}, { uses_agents: { pi: a } }, { uses_agents: [{ pi: 'x' }] }])
    expect(subAgentsOf(properties as JsonObject)).toEqual([]);
});
