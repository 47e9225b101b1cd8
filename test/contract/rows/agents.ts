import { nowhere } from '../../helpers/entities.ts';
import { agentBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { creation, type Kind, reading, wrong } from './processors.ts';

const kind: Kind = { path: '/agents', type: 'agent', body: agentBody };
const { collection: _, ...properties } = agentBody('');

export const agentRows: Row[] = [
  creation(kind, properties, [
    {
      name: 'warns of sub-agents that cannot be used',
      status: 201,
      call: (s) => ({
        path: '/agents',
        body: agentBody(s.collection.id, { uses_agents: [{ pi: nowhere }, { id: s.collection.id }] }),
      }),
      body: (_call, s) => ({
        properties: { uses_agents: [{ pi: nowhere }, { pi: s.collection.id }] },
        warnings: [
          { sub_agent_id: nowhere, reason: 'not_found' },
          { sub_agent_id: s.collection.id, reason: 'not_an_agent' },
        ],
      }),
    },
    wrong(kind, 'no endpoint', { endpoint: undefined }, ['endpoint'], 'is required'),
    wrong(kind, 'no actions', { actions_required: [] }, ['actions_required'], 'must have at least 1 item'),
    wrong(
      kind,
      'a sub-agent without an id',
      { uses_agents: [{ label: 'l' }] },
      ['uses_agents', 0, 'pi'],
      'is required: the id of an agent',
    ),
  ]),
  reading(kind),
];
