import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type CollectionLine = components['schemas']['CollectionLineView'];

/** The newest thousand collections. */
export const collectionsQuery = queryOptions({
  queryKey: ['collections'],
  queryFn: () => answered(api.GET('/node/collections', { params: { query: { limit: 1000 } } })),
});

/** Which collections are listed, as the address has it: a part of their names. */
export function collectionsAddress({ q }: Record<string, unknown>): { q?: string } {
  return q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) };
}
