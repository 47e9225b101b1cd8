import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { Kind, ProcessorsAddress, Status } from './processors-address.ts';

export type ProcessorLine = components['schemas']['ProcessorLineView'];
const pageSize = 100;

/** The processors that fit, by their labels, page by page. */
export function processorsQuery(wanted: ProcessorsAddress) {
  return infiniteQueryOptions({
    queryKey: ['processors', wanted],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET('/node/processors', { params: { query: { ...wanted, limit: pageSize, offset: pageParam } }, signal }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * pageSize < total ? pages.length * pageSize : null),
    placeholderData: keepPreviousData,
  });
}

/** The first of each kind that a text may mean, by their labels; of all kinds together where none are given. */
export function processorChoice(wanted: Omit<ProcessorsAddress, 'type'>, kinds?: readonly Kind[]) {
  return queryOptions({
    queryKey: ['processors', 'choice', wanted, kinds ?? null],
    queryFn: async ({ signal }) => {
      const first = (type?: Kind) =>
        answered(api.GET('/node/processors', { params: { query: { ...wanted, type, limit: 12 } }, signal }));
      const found = await Promise.all(kinds?.map(first) ?? [first()]);
      return found.flatMap(({ processors }) => processors).sort((a, b) => a.label.localeCompare(b.label));
    },
  });
}

/** What kladoi may run on the node. */
export const commandsQuery = queryOptions({
  queryKey: ['commands'],
  queryFn: ({ signal }) => answered(api.GET('/node/commands', { signal })),
});

const paths = { agent: '/agents/{id}', klados: '/kladoi/{id}', rhiza: '/rhizai/{id}' } as const;
type Change = { expect_tip: string; status?: Status } & Record<string, unknown>;

/** Changes a processor. @throws Failure of kind `conflict` where somebody was quicker */
export function changeProcessor(kind: Kind, id: string, body: Change) {
  return answered(api.PUT(paths[kind], { params: { path: { id } }, body }));
}
