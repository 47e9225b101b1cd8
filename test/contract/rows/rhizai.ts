import { rhizaBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { creation, type Kind, reading, wrong } from './processors.ts';

const kind: Kind = { path: '/rhizai', type: 'rhiza', body: rhizaBody };
const { collection: _, ...properties } = rhizaBody('');

export const rhizaRows: Row[] = [
  creation(kind, properties, [
    wrong(kind, 'no version', { version: undefined }, ['version'], 'is required'),
    wrong(kind, 'a long version', { version: '1'.repeat(51) }, ['version'], 'must have at most 50 characters'),
    wrong(kind, 'a long entry', { entry: 'x'.repeat(101) }, ['entry'], 'must have at most 100 characters'),
    wrong(kind, 'no flow', { flow: undefined }, ['flow'], 'is required'),
  ]),
  reading(kind),
];
