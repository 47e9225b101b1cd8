import { describe, expect, test } from 'vitest';
import { actions, defaultRoles } from '../../src/server/model/actions.ts';
import type { Actor } from '../../src/server/model/actor.ts';
import type { Json } from '../../src/server/model/manifest.ts';
import { allowed, type Placement } from '../../src/server/model/permissions.ts';
import { accessOf } from '../../src/server/model/roles.ts';

const now = Date.parse('2026-03-01T00:00:00.000Z');
const past = '2026-02-01T00:00:00.000Z';
const [member, expired, stranger, processor] = ['MEMBER', 'EXPIRED', 'STRANGER', 'PROCESSOR'];

const user = (id: string, operator = false): Actor => ({ kind: 'user', id, ids: [id], operator });

/** Who asks, by the letter that the table uses. */
const actors: Record<string, [string, Actor]> = {
  m: ['member', user(member)],
  x: ['expired member', user(expired)],
  n: ['non-member', user(stranger)],
  a: ['anonymous', { kind: 'anonymous' }],
  s: ['service account', { kind: 'service', id: 'SERVICE', onBehalfOf: null }],
  b: ['service on behalf of a member', { kind: 'service', id: 'SERVICE', onBehalfOf: { id: member, ids: [member] } }],
  p: ['processor with that role', { kind: 'processor', id: processor, type: 'klados', owner: stranger }],
  o: ['operator', user('OPERATOR', true)],
};

/** What the specification says of an entity in a collection with the default roles (interface.md, Permission actions). */
const table = `
action               | owner    | editor   | viewer   | public
entity:view          | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
entity:tip           | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
entity:create        | msbpo    | msbpo    | so       | so
entity:update        | msbpo    | msbpo    | so       | so
entity:delete        | msbpo    | msbpo    | so       | so
entity:restore       | msbpo    | msbpo    | so       | so
file:view            | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
file:download        | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
file:create          | msbpo    | msbpo    | so       | so
file:upload          | msbpo    | msbpo    | so       | so
file:update          | msbpo    | msbpo    | so       | so
file:reupload        | msbpo    | msbpo    | so       | so
folder:view          | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
folder:create        | msbpo    | msbpo    | so       | so
folder:update        | msbpo    | msbpo    | so       | so
user:view            | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
user:create          | msbo     | msbo     | so       | so
user:update          | msbo     | msbo     | so       | so
user:credentials     | so       | so       | so       | so
collection:view      | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
collection:create    | mxnsbo   | mxnsbo   | mxnsbo   | mxnsbo
collection:update    | msbpo    | so       | so       | so
collection:delete    | msbpo    | so       | so       | so
collection:restore   | msbpo    | so       | so       | so
collection:manage    | msbo     | so       | so       | so
agent:view           | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
agent:create         | msbpo    | msbpo    | so       | so
agent:update         | msbpo    | msbpo    | so       | so
agent:invoke         | so       | so       | so       | so
agent:manage         | so       | so       | so       | so
klados:view          | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
klados:create        | msbpo    | msbpo    | so       | so
klados:update        | msbpo    | msbpo    | so       | so
klados:invoke        | so       | so       | so       | so
klados:manage        | so       | so       | so       | so
rhiza:view           | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
rhiza:create         | msbpo    | msbpo    | so       | so
rhiza:update         | msbpo    | msbpo    | so       | so
rhiza:invoke         | so       | so       | so       | so
rhiza:manage         | so       | so       | so       | so
search:query         | mxnsbpo  | mxnsbpo  | mxnsbpo  | mxnsbpo
search:similar       | mxnsbpo  | mxnsbpo  | mxnsbpo  | mxnsbpo
search:execute       | mxnsbpo  | mxnsbpo  | mxnsbpo  | mxnsbpo
query:execute        | mxnsbpo  | mxnsbpo  | mxnsbpo  | mxnsbpo
graph:query          | mxnsbpo  | mxnsbpo  | mxnsbpo  | mxnsbpo
chat:send            | mxnsbo   | mxnsbo   | mxnsbo   | mxnsbo
chat:view            | mxnsbo   | mxnsbo   | mxnsbo   | mxnsbo
chat:delete          | mxnsbo   | mxnsbo   | mxnsbo   | mxnsbo
attestation:view     | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
attestation:verify   | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
permissions:read     | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
events:list          | mxnasbpo | mxnasbpo | mxnasbpo | mxnasbpo
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
    { predicate: role, peer: processor, peer_type: 'klados' },
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
