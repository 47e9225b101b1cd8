import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { subAgentsOf } from '../../src/server/model/sub-agents.ts';

const [a, b] = ['01J0000000000000000000000A', '01J0000000000000000000000B'];

test('the agents that one uses are named by `pi`, else by `id`, each once, whatever else stands there', () => {
  const uses_agents = [
    { id: b },
    { pi: a, id: b },
    { pi: a },
    { pi: null, id: a },
    { label: 'none' },
    'x',
    null,
    { pi: 5 },
  ];
  expect(subAgentsOf({ uses_agents } as JsonObject)).toEqual([b, a]);
  for (const properties of [{}, { uses_agents: { pi: a } }, { uses_agents: [{ pi: 'x' }] }])
    expect(subAgentsOf(properties as JsonObject)).toEqual([]);
});
