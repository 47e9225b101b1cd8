import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultRoles } from '../../src/server/model/actions.ts';
import { grantRole } from '../../src/server/model/collection-rules.ts';
import { type Demand, type GuardOptions, type Refusal, required } from '../../src/server/model/guards.ts';
import type { JsonObject, Manifest, Relationship } from '../../src/server/model/manifest.ts';
import { accessOf } from '../../src/server/model/roles.ts';

const roles = structuredClone(defaultRoles) as unknown as JsonObject;
const lies = (...ids: string[]): Relationship[] => ids.map((peer) => ({ predicate: 'collection', peer }));

function manifest(type: string, content: Partial<Manifest> = {}): Manifest {
  return {
    ...{ schema: 'arke/eidos@v1', id: 'ID', type, created_at: '2026-01-01T00:00:00.000Z', ver: 1, prev: null },
    ...{
      ts: '2026-01-01T00:00:00.000Z',
      properties: {},
      relationships: [],
      edited_by: { user_id: 'U', method: 'manual' },
    },
    ...content,
  };
}

/** The version after `base`: with the properties and relationships given, otherwise the same. */
const successor = (base: Manifest, content: Partial<Manifest> = {}): Manifest => ({
  ...base,
  ver: base.ver + 1,
  prev: 'CID',
  ...content,
});
const grave = (base: Manifest): Manifest => successor(base, { properties: {}, relationships: [], deleted: true });

const say = (d: Demand): string => (d.on === 'entity' ? d.action : `${d.action} on ${d.on.collection}`);
const tell = (r: Refusal): string => (r.kind === 'forbidden' ? 'forbidden' : r.path.join('.'));

function expectStep(base: Manifest | null, next: Manifest, options?: GuardOptions) {
  const { demands, refusals } = required(base, next, options);
  return expect({ demands: demands.map(say).sort(), refusals: refusals.map(tell).sort() });
}
const only = (...demands: string[]) => ({ demands: demands.sort(), refusals: [] });
const refused = (...refusals: string[]) => expect.objectContaining({ refusals: refusals.sort() });

describe('any entity', () => {
  const letter = manifest('letter', { properties: { label: 'x' }, relationships: lies('A') });

  test('creating takes the right to create where it comes to lie', () => {
    expectStep(null, letter).toEqual(only('entity:create on A'));
    expectStep(null, manifest('folder', { properties: { label: 'x' }, relationships: lies('A', 'B') })).toEqual(
      only('folder:create on A', 'folder:create on B'),
    );
    expectStep(null, manifest('letter')).toEqual(only('entity:create'));
  });

  test('an update, with or without changes, takes the right to update', () => {
    expectStep(letter, successor(letter, { properties: {} })).toEqual(only('entity:update'));
    expectStep(letter, successor(letter)).toEqual(only('entity:update'));
    const file = manifest('file');
    expectStep(file, successor(file)).toEqual(only('file:update'));
    expectStep(file, successor(file), { uploading: 'reupload' }).toEqual(only('file:reupload'));
    expectStep(letter, successor(letter), { uploading: 'upload' }).toEqual(only('entity:update'));
  });

  test('deleting and restoring', () => {
    const deleted = grave(letter);
    expectStep(letter, deleted).toEqual(only('entity:delete'));
    const { properties, relationships } = letter;
    const back = successor({ ...deleted, deleted: undefined }, { properties, relationships });
    expectStep(deleted, back, { last: letter }).toEqual(only('entity:restore'));
    const elsewhere = { ...back, relationships: lies('B') };
    expectStep(deleted, elsewhere, { last: letter }).toEqual(
      only('entity:restore', 'entity:update', 'entity:create on B', 'entity:delete on A'),
    );
    expectStep(deleted, back).toEqual(only('entity:restore', 'entity:update', 'entity:create on A'));
    expectStep(deleted, grave(deleted)).toEqual(refused('id'));
  });

  test('a tombstone is empty and never the first version', () => {
    expectStep(letter, { ...grave(letter), properties: { kept: 1 } }).toEqual(refused('deleted'));
    expectStep(null, manifest('letter', { deleted: true })).toEqual(refused('deleted'));
  });

  test.each([
    ['A', 'A B', ['entity:create on B']],
    ['A B', 'A', ['entity:delete on B']],
    ['A', 'B', ['entity:create on B', 'entity:delete on A']],
    ['A B', 'B A', ['entity:create on B', 'entity:delete on A']],
    ['A B', 'B', ['entity:create on B', 'entity:delete on A']],
    ['A', 'B A', ['entity:create on B', 'entity:delete on A']],
    ['A B C', 'A C B', []],
    ['', 'A', ['entity:create on A']],
    ['A', '', ['entity:delete on A']],
  ])('from %j to %j', (from, to, demands) => {
    const place = (text: string) => lies(...text.split(' ').filter((id) => id !== ''));
    const base = manifest('letter', { relationships: place(from) });
    expectStep(base, successor(base, { relationships: place(to) })).toEqual(only('entity:update', ...demands));
  });

  test('nothing lies in itself', () => {
    expectStep(null, manifest('letter', { relationships: lies('ID') })).toEqual(refused('relationships.0.peer'));
    const c = manifest('collection', { properties: { roles } });
    expectStep(c, successor(c, { relationships: lies('ID') })).toEqual(refused('relationships.0.peer'));
  });

  test('what does not change from version to version', () => {
    expectStep(letter, successor(letter, { id: 'OTHER' })).toEqual(refused('id'));
    expectStep(letter, successor(letter, { type: 'note' })).toEqual(refused('type'));
    expectStep(letter, successor(letter, { created_at: '2026-01-02T00:00:00.000Z' })).toEqual(refused('created_at'));
    for (const ver of [1, 3]) expectStep(letter, successor(letter, { ver })).toEqual(refused('ver'));
  });
});

describe('two relationships of one predicate and peer', () => {
  const [lasting, ended] = [{}, { properties: { expires_at: '2020-01-01T00:00:00.000Z' } }];
  const owner = (peer: string, more: object): Relationship => ({ predicate: 'owner', peer, ...more });
  const odd = manifest('collection', {
    properties: { roles },
    relationships: [owner('ANN', lasting), owner('BOB', ended), owner('BOB', lasting)],
  });
  const base = { ...odd, relationships: odd.relationships.slice(0, 2) };

  test('are refused, so that none hides behind the other', () => {
    const both = [owner('ANN', lasting), owner('BOB', lasting), owner('BOB', ended)];
    expectStep(base, successor(base, { relationships: both })).toEqual({
      demands: ['collection:manage'],
      refusals: ['relationships'],
    });
  });

  test('stay where a block from elsewhere has them, and removing one is a change of members', () => {
    expectStep(odd, successor(odd, { properties: { roles, label: 'y' } })).toEqual(only('collection:update'));
    expectStep(odd, successor(odd, { relationships: base.relationships })).toEqual(only('collection:manage'));
  });
});

describe('users', () => {
  const user = manifest('user', { properties: { label: 'Ann' } });

  test('come from registration and are never deleted', () => {
    expectStep(null, user, { registering: true }).toEqual(only());
    expectStep(null, user).toEqual(refused('forbidden'));
    expectStep(user, successor(user)).toEqual(only('user:update'));
    expectStep(user, grave(user)).toEqual(refused('forbidden'));
    const letter = manifest('letter');
    expectStep(letter, successor(letter, { type: 'user' })).toEqual(refused('type'));
  });
});

describe('collections', () => {
  const owner: Relationship = { predicate: 'owner', peer: 'ANN', peer_type: 'user' };
  const base = manifest('collection', { properties: { label: 'x', roles }, relationships: [owner] });
  const withRoles = (more: JsonObject) => successor(base, { properties: { label: 'x', roles: { ...roles, ...more } } });
  const withPeers = (...more: Relationship[]) => successor(base, { relationships: [owner, ...more] });

  test('creating, deleting and restoring take collection actions', () => {
    expectStep(null, base).toEqual(only('collection:create'));
    expectStep(null, { ...base, relationships: [owner, ...lies('A')] }).toEqual(
      only('collection:create', 'entity:create on A'),
    );
    expectStep(base, grave(base)).toEqual(only('collection:delete'));
    const back = successor({ ...grave(base), deleted: undefined }, base);
    expectStep(grave(base), { ...back, ver: 3 }, { last: base }).toEqual(only('collection:restore'));
    expectStep(
      grave(base),
      { ...back, ver: 3, relationships: [owner, { predicate: 'owner', peer: 'BOB' }] },
      { last: base },
    ).toEqual(only('collection:restore', 'collection:manage'));
    expectStep(grave(base), { ...back, ver: 3 }).toEqual(
      only('collection:restore', 'collection:manage', 'collection:update'),
    );
  });

  test('its content takes collection:update, its access collection:manage', () => {
    expectStep(base, successor(base)).toEqual(only('collection:update'));
    expectStep(base, successor(base, { properties: { label: 'y', roles } })).toEqual(only('collection:update'));
    expectStep(base, withPeers({ predicate: 'root', peer: 'E' })).toEqual(only('collection:update'));
    expectStep(base, withPeers({ predicate: 'contains', peer: 'E' })).toEqual(only('collection:update'));
    expectStep(base, withRoles({ guest: ['*:view'] })).toEqual(only('collection:manage'));
    expectStep(base, withPeers({ predicate: 'viewer', peer: 'BOB' })).toEqual(only('collection:manage'));
    expectStep(base, withPeers({ predicate: 'viewer', peer: 'BOB' }, { predicate: 'root', peer: 'E' })).toEqual(
      only('collection:manage', 'collection:update'),
    );
    const longer = { ...owner, properties: { note: 'for good' } };
    expectStep(base, successor(base, { relationships: [longer] })).toEqual(only('collection:manage'));
  });

  test('a member of a role that comes with the same step', () => {
    const next = { ...withRoles({ guest: ['*:view'] }), relationships: [owner, { predicate: 'guest', peer: 'BOB' }] };
    expectStep(base, next).toEqual(only('collection:manage'));
  });

  test('a new role makes no members of what was there before', () => {
    const dormant = { ...base, relationships: [owner, { predicate: 'guest', peer: 'BOB' }] };
    const next = { ...withRoles({ guest: ['*:update'] }), relationships: dormant.relationships };
    expectStep(dormant, next).toEqual(refused('properties.roles.guest'));
    expectStep(dormant, { ...next, relationships: [owner] }).toEqual(only('collection:manage'));
  });

  test.each([
    ['a reserved name', { root: ['*:view'] }, 'properties.roles.root'],
    ['a name too long', { ['x'.repeat(51)]: ['*:view'] }, `properties.roles.${'x'.repeat(51)}`],
    ['collection:*', { guest: ['collection:*'] }, 'properties.roles.guest.0'],
    ['an unknown action', { guest: ['*:view', 'entity:fly'] }, 'properties.roles.guest.1'],
    ['no actions', { guest: [] }, 'properties.roles.guest'],
    ['a closed public role', { public: ['*:create'] }, 'properties.roles.public'],
  ])('%s is refused', (_what, more, path) => {
    expectStep(base, withRoles(more as JsonObject)).toEqual(refused(path));
  });

  test('without roles it is neither made nor left', () => {
    expectStep(null, manifest('collection')).toEqual(refused('properties.roles', 'properties.label', 'relationships'));
    expectStep(base, successor(base, { properties: { label: 'x' } })).toEqual(
      refused('properties.roles', 'relationships'),
    );
    expectStep(base, successor(base, { properties: { ...base.properties, roles: ['owner'] } })).toEqual(
      refused('properties.roles', 'relationships'),
    );
  });

  test('it begins with an owner', () => {
    const made = (relationships: Relationship[]) =>
      manifest('collection', { properties: { ...base.properties, label: 'l' }, relationships });
    expectStep(null, made([owner])).toEqual(only('collection:create'));
    expectStep(null, made([])).toEqual(refused('relationships'));
    const until = { ...owner, properties: { expires_at: '2030-01-01T00:00:00.000Z' } };
    expectStep(null, made([until])).toEqual(refused('relationships'));
  });

  test('its label, description and picture are as described where they change', () => {
    const odd = manifest('collection', { properties: { ...base.properties, label: 5 }, relationships: [owner] });
    const changed = (properties: JsonObject) =>
      expectStep(odd, successor(odd, { properties: { ...odd.properties, ...properties } }));
    changed({ a: 1 }).toEqual(only('collection:update'));
    changed({ label: '😀'.repeat(200), description: '' }).toEqual(only('collection:update'));
    for (const label of ['', 'x'.repeat(201), null]) changed({ label }).toEqual(refused('properties.label'));
    changed({ description: 'x'.repeat(2001) }).toEqual(refused('properties.description'));
    changed({ display_image_url: 'a.png' }).toEqual(refused('properties.display_image_url'));
  });

  test('odd roles from elsewhere do not stop other changes', () => {
    const odd = manifest('collection', { properties: { roles: { owner: ['x:y'] } }, relationships: [owner] });
    expectStep(odd, successor(odd, { properties: { ...odd.properties, label: 'y' } })).toEqual(
      only('collection:update'),
    );
  });

  test('the last lasting owner stays', () => {
    const until = { expires_at: '2030-01-01T00:00:00.000Z' };
    const { owner: _gone, ...others } = roles;
    const without: [string, Manifest][] = [
      ['removed', successor(base, { relationships: [] })],
      ['made temporary', successor(base, { relationships: [{ ...owner, properties: until }] })],
      ['made a group', successor(base, { relationships: [{ ...owner, peer_type: 'group' }] })],
      ['made a processor', successor(base, { relationships: [{ ...owner, peer_type: 'klados' }] })],
      ['left without the role', successor(base, { properties: { label: 'x', roles: others } })],
    ];
    for (const [, next] of without) expectStep(base, next).toEqual(refused('relationships'));
    expectStep(base, successor(base, { relationships: [{ ...owner, peer: 'BOB' }] })).toEqual(
      only('collection:manage'),
    );
  });

  test('whatever changes who may do what takes collection:manage', () => {
    const names = ['owner', 'guest', 'public', 'root', 'friend'];
    const lists = fc.subarray(['*:view', '*:update', 'collection:manage', 'entity:fly', 'collection:*']);
    const someRoles = fc.oneof(
      { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...names), lists) },
      fc.constantFrom<JsonObject[string]>(null, [], 'x'),
    );
    const peer: fc.Arbitrary<Relationship> = fc.record(
      {
        predicate: fc.constantFrom(...names),
        peer: fc.constantFrom('ANN', 'BOB', '*'),
        peer_type: fc.constantFrom('user', 'group'),
        properties: fc.record({ expires_at: fc.constantFrom(null, '2020-01-01T00:00:00.000Z') }),
      },
      { requiredKeys: ['predicate', 'peer'] },
    );
    const content = fc.record({ roles: someRoles, relationships: fc.array(peer, { maxLength: 5 }) });
    const made = ({ roles, relationships }: { roles: JsonObject[string]; relationships: Relationship[] }) =>
      manifest('collection', { properties: { roles }, relationships });
    const near = content.chain((a) =>
      fc.tuple(
        fc.constant(a),
        fc.record({
          roles: fc.oneof(fc.constant(a.roles), someRoles),
          relationships: fc.oneof(
            fc.constant(a.relationships),
            fc.shuffledSubarray([...a.relationships]),
            fc.array(peer),
          ),
        }),
      ),
    );
    const summary = (m: Manifest) => {
      const { roles, members } = accessOf(m);
      const sorted = (lines: string[]) => lines.sort().join('\n');
      return `${sorted([...roles].map((r) => JSON.stringify(r)))}\n\n${sorted(members.map((r) => JSON.stringify(r)))}`;
    };
    fc.assert(
      fc.property(near, ([a, b]) => {
        const [base, next] = [made(a), successor(made(b))];
        const { demands, refusals } = required(base, next);
        const manages = demands.some((d) => d.action === 'collection:manage');
        return summary(base) === summary(next) || manages || refusals.length > 0;
      }),
      { numRuns: 2000 },
    );
  });

  describe('grants of a job', () => {
    const id = '01HZZZZZZZZZZZZZZZZZZZZZZZ';
    const role = grantRole('klados', id);
    const member = { predicate: role, peer: id, peer_type: 'klados' };
    const granted = { ...withRoles({ [role]: ['entity:update'] }), relationships: [owner, member] };

    test('take no right to manage where the node writes them, and nothing else may come along', () => {
      expectStep(base, granted, { granting: true }).toEqual(only());
      expectStep(base, granted).toEqual(only('collection:manage'));
      const forged = { ...granted, relationships: [owner, member, { predicate: role, peer: 'BOB' }] };
      expectStep(base, forged, { granting: true }).toEqual(only('collection:manage'));
      const edited = { ...granted, properties: { ...granted.properties, label: 'y' } };
      expectStep(base, edited, { granting: true }).toEqual(only('collection:update'));
    });

    test('are no way to a role for who placed a relationship before', () => {
      const planted = { predicate: role, peer: 'BOB' };
      const dormant = { ...base, relationships: [owner, planted] };
      expectStep(dormant, { ...granted, relationships: [owner, planted, member] }, { granting: true }).toEqual(
        refused(`properties.roles.${role}`),
      );
    });
  });
});

describe('processors', () => {
  const verified = { endpoint_verified_at: '2026-01-01T00:00:00.000Z' };
  const files = { types: ['file'], cardinality: 'one' };
  const profile = { label: 'a', endpoint: 'https://a.example', actions_required: ['entity:view'] };
  const klados = manifest('klados', {
    properties: { ...profile, accepts: files, produces: files, status: 'development' },
    relationships: lies('A'),
  });
  const flow = { a: { klados: { id: '01J00000000000000000000000' }, then: { done: true } } };
  const change = (base: Manifest, properties: JsonObject) =>
    successor(base, { properties: { ...base.properties, ...properties } });
  const active = { ...klados, properties: { ...klados.properties, ...verified, status: 'active' } };

  test.each(['agent', 'klados', 'rhiza'])('%s: its own actions', (type) => {
    const properties = { ...klados.properties, version: '1', entry: 'a', flow };
    const made = manifest(type, { properties, relationships: lies('A') });
    expectStep(null, made).toEqual(only(`${type}:create on A`));
    expectStep(null, { ...made, properties: {} }).toEqual(only(`${type}:create on A`));
    expectStep(made, successor(made)).toEqual(only(`${type}:update`));
    expectStep(made, grave(made)).toEqual(only('entity:delete'));
    expectStep(null, { ...made, properties: { ...properties, status: 'active', ...verified } }).toEqual(
      type === 'rhiza' ? refused('status') : refused('forbidden', 'status'),
    );
    expectStep(made, change(made, { status: 'sleeping' })).toEqual(refused('status'));
    expectStep(null, { ...made, relationships: [] }).toEqual(refused('collection'));
    expectStep(made, successor(made, { relationships: [] })).toEqual(refused('collection'));
  });

  test('active needs a verified endpoint, but not of a rhiza', () => {
    expectStep(klados, change(klados, { status: 'active' })).toEqual(refused('status'));
    expectStep(active, change(active, { status: 'disabled' })).toEqual(only('klados:update'));
    expectStep(active, change(active, { endpoint_verified_at: null })).toEqual(refused('status'));
    const properties = { label: 'l', version: '1', entry: 'a', flow, status: 'development' };
    const rhiza = manifest('rhiza', { properties, relationships: lies('A') });
    expectStep(rhiza, change(rhiza, { status: 'active' })).toEqual(only('rhiza:update'));
  });

  test('active needs all that a job needs to know, and keeps it', () => {
    const draft = manifest('klados', { properties: { status: 'development' }, relationships: lies('A') });
    expectStep(draft, change(draft, { ...verified, status: 'active' }), { verifying: true }).toEqual(
      refused('accepts', 'actions_required', 'endpoint', 'label', 'produces'),
    );
    const { label: _, ...unnamed }: JsonObject = active.properties;
    expectStep(active, successor(active, { properties: unnamed })).toEqual(refused('label'));
  });

  test('a rhiza may be without a flow while it gets another', () => {
    const properties = { label: 'l', version: '1', entry: 'a', flow, status: 'active' };
    const rhiza = manifest('rhiza', { properties, relationships: lies('A') });
    const { flow: _, ...without } = properties;
    const emptied = successor(rhiza, { properties: without });
    expectStep(rhiza, emptied).toEqual(only('rhiza:update'));
    expectStep(emptied, change(emptied, { flow })).toEqual(only('rhiza:update'));
    expectStep(emptied, change(emptied, { flow: { b: {} } })).toEqual(refused('entry', 'flow.b.klados', 'flow.b.then'));
    expectStep(rhiza, change(rhiza, { entry: 'b' })).toEqual(refused('entry'));
  });

  test.each([
    ['klados', { endpoint: 'ftp://a.example' }, 'endpoint'],
    ['klados', { endpoint: 'https://u:p@a.example' }, 'endpoint'],
    ['klados', { endpoint: 'https://a.example?x' }, 'endpoint'],
    ['klados', { endpoint: 5 }, 'endpoint'],
    ['klados', { label: '' }, 'label'],
    ['klados', { description: 'x'.repeat(2001) }, 'description'],
    ['klados', { accepts: { types: [], cardinality: 'one' } }, 'accepts.types'],
    ['klados', { produces: { types: ['*'] } }, 'produces.cardinality'],
    ['klados', { input_schema: 'x' }, 'input_schema'],
    ['klados', { input_schema: { type: 'thing' } }, 'input_schema.type'],
    ['agent', { actions_required: ['*:view'] }, 'actions_required.0'],
    ['agent', { endpoint: 'exec:thumbnail' }, 'endpoint'],
    ['agent', { uses_agents: [{ pi: 'x' }] }, 'uses_agents.0.pi'],
    ['agent', { uses_agents: Array(101).fill({ pi: '01J00000000000000000000000' }) }, 'uses_agents'],
    ['agent', { output_schema: [] }, 'output_schema'],
    ['rhiza', { version: '' }, 'version'],
    ['rhiza', { version: 'x'.repeat(51) }, 'version'],
    ['rhiza', { entry: 'x'.repeat(101) }, 'entry'],
    ['rhiza', { flow: [] }, 'flow'],
  ])('what a special endpoint refuses is refused through every door: %s %o', (type, more, path) => {
    const properties = { label: 'l', status: 'development', ...(type === 'rhiza' && { entry: 'a' }) };
    const made = manifest(type, { properties, relationships: lies('A') });
    const step = required(made, change(made, more as JsonObject));
    expect(step.refusals.map(tell)).toContain(path);
    // From elsewhere it may have come so; then other changes are not refused.
    const odd = change(made, more as JsonObject);
    expectStep(odd, change(odd, { note: 'n' })).toEqual(only(`${type}:update`));
  });

  describe('a command of the node', () => {
    const command = { endpoint: 'exec:thumbnail' };

    test('is named by the operator, by hand', () => {
      const { endpoint_verified_at: _, ...others } = klados.properties;
      const base = { ...klados, properties: others };
      expectStep(base, change(base, command)).toEqual(refused('endpoint'));
      expectStep(base, change(base, command), { operator: true }).toEqual(only('klados:update'));
      const imported = { ...change(base, command), edited_by: { user_id: 'U', method: 'import' } as const };
      expectStep(base, imported, { operator: true }).toEqual(refused('endpoint'));
      expectStep(base, change(base, command), { operator: true, elsewhere: true }).toEqual(refused('endpoint'));
      expectStep(base, change(base, { endpoint: 'exec:../sh' }), { operator: true }).toEqual(refused('endpoint'));
    });

    test('needs no verification where the operator activates it', () => {
      const base = change(klados, command);
      expectStep(base, change(base, { status: 'active' }), { operator: true }).toEqual(only('klados:update'));
      expectStep(base, change(base, { status: 'active' })).toEqual(refused('status'));
    });
  });

  test('one from elsewhere that is active without stays editable', () => {
    const odd = { ...klados, properties: { ...klados.properties, status: 'active' } };
    expectStep(odd, change(odd, { label: 'y' })).toEqual(only('klados:update'));
  });

  test('only the node verifies, for who may manage it', () => {
    expectStep(klados, change(klados, verified)).toEqual(refused('forbidden'));
    expectStep(klados, change(klados, verified), { verifying: true }).toEqual(only('klados:manage', 'klados:update'));
  });

  test('another endpoint must be verified again', () => {
    const endpoint = 'https://b.example';
    expectStep(active, change(active, { endpoint })).toEqual(refused('endpoint_verified_at', 'status'));
    expectStep(active, change(active, { endpoint, status: 'development' })).toEqual(refused('endpoint_verified_at'));
    const { endpoint_verified_at: _cleared, ...properties } = active.properties;
    for (const status of ['development', 'disabled'])
      expectStep(active, successor(active, { properties: { ...properties, endpoint, status } })).toEqual(
        only('klados:update'),
      );
  });

  test('required actions are known ones', () => {
    expectStep(klados, change(klados, { actions_required: ['entity:view', 'collection:*'] })).toEqual(
      refused('actions_required.1'),
    );
    expectStep(klados, change(klados, { actions_required: [] })).toEqual(refused('actions_required'));
  });
});
