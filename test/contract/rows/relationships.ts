import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { conflict, create, type Entity, invalid, notFound, nowhere, onTest } from '../../helpers/entities.ts';
import type { Call, Case, Row, Scene } from '../row.ts';
import { bad, idMessage, placed } from './common.ts';

const path = '/relationships';
const anywhere = { source_id: nowhere, target_id: nowhere, source_predicate: 'has', expect_source_tip: 'x' };

interface Pair {
  source: Entity;
  target: Entity;
}

async function pair(s: Scene): Promise<Pair> {
  return { source: await placed(s), target: await placed(s) };
}

const oneWay = ({ source, target }: Pair) => ({
  source_id: source.id,
  target_id: target.id,
  source_predicate: 'has',
  expect_source_tip: source.cid,
});

const bothWays = (of: Pair) => ({ ...oneWay(of), target_predicate: 'part_of', expect_target_tip: of.target.cid });

/** A call about a fresh pair; `change` alters its body. */
const about =
  (change: (of: Pair, s: Scene) => object, as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const of = await pair(s);
    return { path, body: { ...bothWays(of), ...change(of, s) }, known: of, ...as(s) };
  };

const refusals: Case[] = [
  bad('no source', path, { ...anywhere, source_id: undefined }, [['source_id'], 'is required']),
  bad('a target that is no id', path, { ...anywhere, target_id: '*' }, [['target_id'], idMessage]),
  bad('a predicate in capitals', path, { ...anywhere, source_predicate: 'Has' }, [
    ['source_predicate'],
    'must begin with a small letter and have only such, digits and `_`',
  ]),
  bad('an empty tip', path, { ...anywhere, expect_source_tip: '' }, [
    ['expect_source_tip'],
    'must have at least 1 character',
  ]),
  bad('a source on the other network', path, { ...anywhere, source_id: onTest }, [
    ['source_id'],
    'is not an id of the main network',
  ]),
  bad('one entity as both', path, { ...anywhere, target_predicate: 'of', expect_target_tip: 'x' }, [
    ['target_id'],
    'must be another entity where both sides are written',
  ]),
  {
    name: 'no tip of a protected target',
    status: 400,
    call: about(() => ({ expect_target_tip: undefined })),
    body: invalid(['expect_target_tip'], 'is required where the target changes too'),
  },
  { name: 'an unknown source', status: 404, call: about(() => ({ source_id: nowhere })), body: notFound },
  { name: 'an unknown target', status: 404, call: about(() => ({ target_id: nowhere })), body: notFound },
  {
    name: 'somebody without entity:update',
    status: 403,
    call: about(
      () => ({}),
      (s) => ({ as: s.viewer }),
    ),
    body: { error: 'Action not allowed: entity:update' },
  },
  {
    name: 'a stale source',
    status: 409,
    call: about(() => ({ expect_source_tip: 'stale' })),
    body: ({ known }) => conflict('stale', (known as Pair).source.cid),
  },
  {
    name: 'a stale target',
    status: 409,
    call: about(() => ({ expect_target_tip: 'stale' })),
    body: ({ known }) => conflict('stale', (known as Pair).target.cid),
  },
];

export const relationshipRows: Row[] = [
  {
    route: 'POST /relationships',
    auth: 'required',
    action: 'entity:update',
    wire: '201 400 401 403 404 409',
    cases: [
      {
        name: 'links both ways',
        status: 201,
        call: about(() => ({ note: 'n' })),
        also: ({ body }, { known }) => {
          const { source, target } = known as Pair;
          expect(body).toMatchObject({
            source: { id: source.id, ver: 2, prev_cid: source.cid },
            target: { id: target.id, ver: 2, prev_cid: target.cid },
          });
          const { source: s, target: t } = body as Pair;
          expect(s.relationships.at(-1)).toEqual({
            predicate: 'has',
            peer: target.id,
            peer_type: 'document',
            peer_label: '',
          });
          expect(t.relationships.at(-1)).toMatchObject({ predicate: 'part_of', peer: source.id });
        },
      },
      {
        name: 'links one way',
        status: 201,
        call: about(() => ({ target_predicate: undefined, expect_target_tip: undefined })),
        body: ({ known }) => ({ source: { ver: 2 }, target: (known as Pair).target }),
      },
      ...refusals,
    ],
  },
  {
    route: 'DELETE /relationships',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'unlinks both ways',
        status: 200,
        call: async (s) => {
          const linked = (await ask(s.node, s.owner, 'POST /relationships', bothWays(await pair(s)))).body as Pair;
          return { path, body: bothWays(linked), known: linked };
        },
        also: ({ body }) => {
          const { source, target } = body as Pair;
          for (const { ver, relationships } of [source, target]) {
            expect(ver).toBe(3);
            expect(relationships.map((r) => r.predicate)).toEqual(['collection']);
          }
        },
      },
      {
        name: 'no tip of a target in no collection',
        status: 400,
        call: async (s) => {
          const of = { source: await placed(s), target: await create(s.node, s.owner) };
          return { path, body: { ...bothWays(of), expect_target_tip: undefined } };
        },
        body: invalid(['expect_target_tip'], 'is required where the target changes too'),
      },
      ...refusals,
    ],
  },
];
