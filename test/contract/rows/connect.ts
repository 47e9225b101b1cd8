import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { conflict, type Entity, invalid, notFound, nowhere, onTest } from '../../helpers/entities.ts';
import type { Call, Case, Row, Scene } from '../row.ts';
import { bad, idMessage, placed } from './common.ts';

const anywhere = { source_id: nowhere, target_id: nowhere, expect_tip: 'x' };

/** A call about a fresh pair; `change` alters its body. */
const about =
  (path: string, change: (of: { source: Entity; target: Entity }) => object = () => ({}), as?: 'viewer') =>
  async (s: Scene): Promise<Call> => {
    const of = { source: await placed(s), target: await placed(s, { properties: { label: 'T' } }) };
    const body = { source_id: of.source.id, target_id: of.target.id, expect_tip: of.source.cid, ...change(of) };
    return { path, body, known: of, ...(as && { as: s[as] }) };
  };

const refusals = (path: string): Case[] => [
  bad('no tip', path, { ...anywhere, expect_tip: undefined }, [['expect_tip'], 'is required']),
  bad('a target that is no id', path, { ...anywhere, target_id: '*' }, [['target_id'], idMessage]),
  bad('a predicate in capitals', path, { ...anywhere, predicate: 'Has' }, [
    ['predicate'],
    'must begin with a small letter and have only such, digits and `_`',
  ]),
  bad('a source on the other network', path, { ...anywhere, source_id: onTest }, [
    ['source_id'],
    'is not an id of the main network',
  ]),
  { name: 'an unknown source', status: 404, call: about(path, () => ({ source_id: nowhere })), body: notFound },
  { name: 'an unknown target', status: 404, call: about(path, () => ({ target_id: nowhere })), body: notFound },
  {
    name: 'somebody without entity:update',
    status: 403,
    call: about(path, undefined, 'viewer'),
    body: { error: 'Action not allowed: entity:update' },
  },
  {
    name: 'a stale tip',
    status: 409,
    call: about(path, () => ({ expect_tip: 'stale' })),
    body: ({ known }) => conflict('stale', (known as { source: Entity }).source.cid),
  },
];

export const connectRows: Row[] = [
  {
    route: 'POST /connect',
    auth: 'required',
    action: 'entity:update',
    wire: '201 400 401 403 404 409',
    cases: [
      {
        name: 'links one way',
        status: 201,
        call: about('/connect', () => ({ label: 'L', description: 'D', note: 'n' })),
        also: ({ body }, { known }) => {
          const { source, target } = known as { source: Entity; target: Entity };
          const link = { predicate: 'connects_to', peer: target.id, peer_type: 'document', peer_label: 'T' };
          const properties = { label: 'L', description: 'D' };
          expect(body).toEqual({
            source: expect.objectContaining({
              ...{ id: source.id, ver: 2, prev_cid: source.cid },
              relationships: [...source.relationships, { ...link, properties }],
            }),
          });
        },
      },
      {
        name: 'a label of 201 characters',
        status: 400,
        call: about('/connect', () => ({ label: 'l'.repeat(201) })),
        body: invalid(['label'], 'must have at most 200 characters'),
      },
      ...refusals('/connect'),
    ],
  },
  {
    route: 'POST /connect/disconnect',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'takes the link away',
        status: 200,
        call: async (s) => {
          const { body, known } = await about('/connect', () => ({ predicate: 'has' }))(s);
          const linked = (await ask(s.node, s.owner, 'POST /connect', body)).body as { source: Entity };
          return {
            path: '/connect/disconnect',
            body: { ...(body as object), expect_tip: linked.source.cid },
            known,
          };
        },
        also: ({ body }, { known }) => {
          const { source } = known as { source: Entity };
          expect(body).toMatchObject({ source: { ver: 3, relationships: source.relationships } });
        },
      },
      ...refusals('/connect/disconnect'),
    ],
  },
];
