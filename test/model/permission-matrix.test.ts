import { describe, expect, test } from 'vitest';
import { actions, defaultRoles } from '../../src/server/model/actions.ts';
import type { Actor } from '../../src/server/model/actor.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { allowed, type Placement } from '../../src/server/model/permissions.ts';
import { accessOf } from '../../src/server/model/roles.ts';

const now = Date.parse('2026-03-01T00:00:00.000Z');
const past = '2026-02-01T00:00:00.000Z';
const [member, expired, stranger] = ['MEMBER', 'EXPIRED', 'STRANGER'];
const [agent, lapsed, klados] = ['AGENT', 'LAPSED', 'KLADOS'];

const processor = (id: string, type: 'agent' | 'klados' = 'agent'): Actor => ({
  kind: 'processor',
  id,
  type,
  owner: stranger,
});
const user = (id: string, operator = false): Actor => ({ kind: 'user', id, ids: [id], operator });

/** Who asks, by the letter that the table uses. */
const actors: Record<string, [string, Actor]> = {
  m: ['member', user(member)],
  x: ['expired member', user(expired)],
  n: ['non-member', user(stranger)],
  a: ['anonymous', { kind: 'anonymous' }],
  s: ['service account', { kind: 'service', id: 'SERVICE', onBehalfOf: null }],
  b: ['service on behalf of a member', { kind: 'service', id: 'SERVICE', onBehalfOf: { id: member, ids: [member] } }],
  p: ['agent with that role', processor(agent)],
  q: ['agent with an expired grant', processor(lapsed)],
  r: ['agent without a grant', processor('ANOTHER')],
  k: ['klados with that role', processor(klados, 'klados')],
  o: ['operator', user('OPERATOR', true)],
};

/** What the specification says of an entity in a collection with the default roles (interface.md, Permission actions). */
const table = `
action               | owner       | editor      | viewer      | public
entity:view          | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
entity:tip           | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
entity:create        | msbpko      | msbpko      | so          | so
entity:update        | msbpko      | msbpko      | so          | so
entity:delete        | msbpko      | msbpko      | so          | so
entity:restore       | msbpko      | msbpko      | so          | so
file:view            | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
file:download        | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
file:create          | msbpko      | msbpko      | so          | so
file:upload          | msbpko      | msbpko      | so          | so
file:update          | msbpko      | msbpko      | so          | so
file:reupload        | msbpko      | msbpko      | so          | so
folder:view          | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
folder:create        | msbpko      | msbpko      | so          | so
folder:update        | msbpko      | msbpko      | so          | so
user:view            | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
user:create          | msbo        | msbo        | so          | so
user:update          | msbo        | msbo        | so          | so
user:credentials     | so          | so          | so          | so
collection:view      | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
collection:create    | mxnsbo      | mxnsbo      | mxnsbo      | mxnsbo
collection:update    | msbpko      | so          | so          | so
collection:delete    | msbpko      | so          | so          | so
collection:restore   | msbpko      | so          | so          | so
collection:manage    | msbo        | so          | so          | so
agent:view           | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
agent:create         | msbpko      | msbpko      | so          | so
agent:update         | msbpko      | msbpko      | so          | so
agent:invoke         | so          | so          | so          | so
agent:manage         | so          | so          | so          | so
klados:view          | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
klados:create        | msbpko      | msbpko      | so          | so
klados:update        | msbpko      | msbpko      | so          | so
klados:invoke        | so          | so          | so          | so
klados:manage        | so          | so          | so          | so
rhiza:view           | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
rhiza:create         | msbpko      | msbpko      | so          | so
rhiza:update         | msbpko      | msbpko      | so          | so
rhiza:invoke         | so          | so          | so          | so
rhiza:manage         | so          | so          | so          | so
search:query         | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko
search:similar       | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko
search:execute       | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko
query:execute        | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko
graph:query          | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko  | mxnsbpqrko
chat:send            | mxnsbo      | mxnsbo      | mxnsbo      | mxnsbo
chat:view            | mxnsbo      | mxnsbo      | mxnsbo      | mxnsbo
chat:delete          | mxnsbo      | mxnsbo      | mxnsbo      | mxnsbo
attestation:view     | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
attestation:verify   | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
permissions:read     | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
events:list          | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
catalog:list         | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko | mxnasbpqrko
`;

const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
const roles = head.slice(1);
const cells = rows.flatMap(([action = '', ...sets]) => roles.map((role, i) => ({ action, role, may: sets[i] ?? '' })));

function inCollection(role: string): Placement {
  const relationships = [
    { predicate: role, peer: member, peer_type: 'user' },
    { predicate: role, peer: expired, peer_type: 'user', properties: { expires_at: past } },
    { predicate: role, peer: agent, peer_type: 'agent' },
    { predicate: role, peer: lapsed, peer_type: 'agent', properties: { expires_at: past } },
    { predicate: role, peer: klados, peer_type: 'klados' },
  ];
  const access = accessOf({ properties: { roles: defaultRoles as unknown as Json }, relationships });
  return { method: 'collection', collection_id: 'COLLECTION', access };
}

describe('permissions in a collection with the default roles', () => {
  test('the table has every action and every default role, each once', () => {
    expect(rows.map(([action]) => action).sort()).toEqual([...actions].sort());
    expect(roles).toEqual(Object.keys(defaultRoles));
  });

  for (const [letter, [who, actor]] of Object.entries(actors))
    test.each(cells)(`${who}: $action as $role`, ({ action, role, may }) => {
      expect(allowed(actor, action, inCollection(role), now)).toBe(may.includes(letter));
    });
});
