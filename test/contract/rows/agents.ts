import { ask } from '../../helpers/callers.ts';
import { nowhere, ok } from '../../helpers/entities.ts';
import { agentBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { accessRows } from './processor-access.ts';
import { changed, creation, type Kind, made, reading, refusedChange, updating, wrong } from './processors.ts';

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
  updating(kind, { uses_agents: [{ id: nowhere }] }, { uses_agents: [{ pi: nowhere }] }, [
    changed(
      kind,
      'another endpoint',
      { endpoint: 'https://b.test' },
      { endpoint: 'https://b.test', status: 'development' },
    ),
    refusedChange(kind, 'active without verification', { status: 'active' }, [
      ['status'],
      '`active` needs a verified endpoint: verify it first (POST .../verify)',
    ]),
    {
      name: 'warns of a sub-agent that is disabled',
      status: 200,
      call: async (s) => {
        const known = await made(kind, s);
        ok(await ask(s.node, s.owner, `PUT /agents/${known.id}`, { expect_tip: known.cid, status: 'disabled' }));
        const { id, cid } = await made(kind, s);
        return { path: `/agents/${id}`, body: { expect_tip: cid, uses_agents: [{ pi: known.id }] }, known: known.id };
      },
      body: ({ known }) => ({
        warnings: [{ sub_agent_id: known, reason: 'disabled', message: `The agent ${known} is disabled.` }],
      }),
    },
  ]),
  ...accessRows(kind),
];
