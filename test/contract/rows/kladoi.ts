import { kladosBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { creation, type Kind, reading, wrong } from './processors.ts';

const kind: Kind = { path: '/kladoi', type: 'klados', body: kladosBody };
const { collection: _, ...properties } = kladosBody('');

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
];
