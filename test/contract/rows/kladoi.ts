import { kladosBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { accessRows } from './processor-access.ts';
import { changed, creation, type Kind, made, reading, refusedChange, updating, wrong } from './processors.ts';

const kind: Kind = { path: '/kladoi', type: 'klados', body: kladosBody };
const { collection: _, ...properties } = kladosBody('');

const schemaMessage = 'must be equal to one of the allowed values (by JSON Schema)';
const draftMessage =
  'is a draft that is not read here; these are: http://json-schema.org/draft-06/schema, http://json-schema.org/draft-07/schema, ' +
  'https://json-schema.org/draft/2019-09/schema, https://json-schema.org/draft/2020-12/schema';

export const kladosRows: Row[] = [
  creation(kind, properties, [
    wrong(kind, 'no endpoint', { endpoint: undefined }, ['endpoint'], 'is required'),
    wrong(kind, 'no actions', { actions_required: [] }, ['actions_required'], 'must have at least 1 item'),
    wrong(
      kind,
      'an unknown action',
      { actions_required: ['*:view', 'do:it'] },
      ['actions_required', 1],
      'is no action',
    ),
    wrong(kind, 'a schema that is none', { input_schema: { type: 'thing' } }, ['input_schema', 'type'], schemaMessage),
    wrong(
      kind,
      'a schema of an unknown draft',
      { input_schema: { $schema: 'https://x.test/s' } },
      ['input_schema', '$schema'],
      draftMessage,
    ),
    wrong(
      kind,
      'no types',
      { accepts: { types: [], cardinality: 'one' } },
      ['accepts', 'types'],
      'must have at least 1 item',
    ),
    wrong(
      kind,
      'an unknown cardinality',
      { produces: { types: ['*'], cardinality: 'few' } },
      ['produces', 'cardinality'],
      'must be "one", or must be "many"',
    ),
  ]),
  reading(kind),
  updating(
    kind,
    { accepts: { types: ['*'], cardinality: 'many' } },
    { accepts: { types: ['*'], cardinality: 'many' } },
    [
      changed(
        kind,
        'replaces a schema whole',
        { input_schema: { type: 'object' } },
        { input_schema: { type: 'object' } },
      ),
      changed(
        kind,
        'another endpoint',
        { endpoint: 'http://127.0.0.1:1/' },
        { endpoint: 'http://127.0.0.1:1/', status: 'development' },
      ),
      refusedChange(kind, 'active without verification', { status: 'active' }, [
        ['status'],
        '`active` needs a verified endpoint: verify it first (POST .../verify)',
      ]),
      refusedChange(kind, 'an endpoint that is none', { endpoint: 'ftp://x.test' }, [
        ['endpoint'],
        'INVALID_ENDPOINT: must be an http or https address',
      ]),
      refusedChange(kind, 'a command of the node', { endpoint: 'exec:thumbnail' }, [
        ['endpoint'],
        '`exec:` is for the operator of this node, who makes such a klados here',
      ]),
      {
        name: 'a verification that nobody made',
        status: 403,
        call: async (s) => {
          const { id, cid } = await made(kind, s);
          return {
            path: `/kladoi/${id}`,
            body: { expect_tip: cid, properties: { endpoint_verified_at: '2026-01-01' } },
          };
        },
        body: { error: 'Forbidden: endpoint_verified_at is set by verification only' },
      },
    ],
  ),
  ...accessRows(kind),
];
