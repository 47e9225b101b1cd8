import { nowhere, onTest } from '../../helpers/entities.ts';
import { rhizaBody } from '../../helpers/processors.ts';
import type { Row } from '../row.ts';
import { changed, creation, type Kind, reading, refusedChange, updating, wrong } from './processors.ts';

const kind: Kind = { path: '/rhizai', type: 'rhiza', body: rhizaBody };
const { collection: _, ...properties } = rhizaBody('');

const klados = { id: nowhere, type: 'klados' };
const two = { first: { klados, then: { pass: 'last' } }, last: { klados, then: { done: true } } };
const isText = { property: 'kind', equals: 'text' };

export const rhizaRows: Row[] = [
  creation(kind, properties, [
    wrong(kind, 'no version', { version: undefined }, ['version'], 'is required'),
    wrong(kind, 'a long version', { version: '1'.repeat(51) }, ['version'], 'must have at most 50 characters'),
    wrong(kind, 'a long entry', { entry: 'x'.repeat(101) }, ['entry'], 'must have at most 100 characters'),
    wrong(
      kind,
      'a klados of the other network',
      { flow: { first: { klados: { id: onTest }, then: { done: true } } } },
      ['flow', 'first', 'klados'],
      'MISSING_KLADOS: is not an id of the main network',
    ),
    wrong(kind, 'an empty flow', { flow: {} }, ['flow'], 'EMPTY_FLOW: must have at least one step'),
    {
      name: 'warns of steps that nothing leads to',
      status: 201,
      call: (s) => ({ path: '/rhizai', body: rhizaBody(s.collection.id, { entry: 'last', flow: two }) }),
      body: { warnings: [{ code: 'UNREACHABLE_KLADOS', step: 'first', message: 'is not reached from "last"' }] },
    },
    wrong(
      kind,
      'a route with an odd condition',
      {
        flow: {
          first: { klados, then: { pass: 'last', route: [{ where: { ...isText, type: 'x' }, target: 'last' }] } },
          last: two.last,
        },
      },
      ['flow', 'first', 'then', 'route', 0, 'where', 'type'],
      'INVALID_WHERE_CONDITION: is unknown: a condition is `{property, equals}`, `{and: [...]}` or `{or: [...]}`',
    ),
    wrong(kind, 'no flow', { flow: undefined }, ['flow'], 'is required'),
  ]),
  reading(kind),
  updating(kind, { version: '2.0.0', flow: { first: two.first, last: two.last } }, { version: '2.0.0', flow: two }, [
    changed(kind, 'activates', { status: 'active' }, { status: 'active' }),
    changed(
      kind,
      'replaces the flow whole',
      { entry: 'last', flow: { last: two.last } },
      { entry: 'last', flow: { last: two.last } },
    ),
    refusedChange(kind, 'an entry that is no step', { entry: 'last' }, [
      ['entry'],
      'ENTRY_NOT_IN_FLOW: there is no step "last"',
    ]),
    refusedChange(kind, 'a cycle', { flow: { first: { ...two.last, then: { pass: 'first' } } } }, [
      ['flow', 'first', 'then', 'pass'],
      'CYCLE_DETECTED: first -> first',
    ]),
  ]),
];
