import { describe, expect, test } from 'vitest';
import { planSteps } from '../../src/renderer/src/views/argo/language/plan-steps.ts';
import { parse } from '../../src/server/argo/parser.ts';
import { notation } from '../../src/server/argo/plan.ts';

const steps = (query: string) => planSteps(notation(parse(query))).map(({ read }) => read);
const node = (more: object) => ({ types: [], text: null, id: null, ...more });
const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('a plan that the node wrote', () => {
  test.each([
    ['"ships by the sea"', node({ text: 'ships by the sea' }), null, null],
    [`@${id}`, node({ id }), null, null],
    ['"a ; b \\" c"', node({ text: 'a ; b " c' }), null, null],
    ['@:collections "maps"', node({ text: 'maps' }), null, 'collections'],
    ['@:public "maps" type:map,plan', node({ text: 'maps' }), node({ types: ['map', 'plan'] }), 'public'],
    ['type:"a/b c" ~ "sea"', node({ types: ['a/b c'], text: 'sea' }), null, null],
  ])('is read where it begins: %s', (query, start, filter, scope) => {
    expect(steps(query)[0]).toMatchObject({ kind: 'entry', start, filter, scope });
  });

  test('is read hop by hop', () => {
    expect(steps(`@:collection(${id}) "x" -[by, to]{,4}-> type:person <-[*]- "y" <-[a]{2}-> @${id}`)).toEqual([
      { kind: 'entry', scope: 'collection', collection: id, start: node({ text: 'x' }), filter: null },
      {
        kind: 'hop',
        direction: 'out',
        relations: ['by', 'to'],
        least: 1,
        most: 4,
        target: node({ types: ['person'] }),
      },
      { kind: 'hop', direction: 'in', relations: null, least: 1, most: 1, target: node({ text: 'y' }) },
      { kind: 'hop', direction: 'both', relations: ['a'], least: 2, most: 2, target: node({ id }) },
    ]);
  });

  test('that is written otherwise is shown as it is', () => {
    const plan = 'scope moon; sem("x") ; sideways * 1 types(a)';
    expect(planSteps(plan)).toEqual([
      { notation: 'scope moon; sem("x")', read: null },
      { notation: 'sideways * 1 types(a)', read: null },
    ]);
    expect(planSteps('')).toEqual([]);
  });
});
