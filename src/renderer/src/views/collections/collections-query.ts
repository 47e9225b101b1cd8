import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { onceEach } from '../../components/once-each.ts';

export type CollectionLine = components['schemas']['CollectionLineView'];

/** The most that one answer tells. */
const limit = 1000;

/** All collections, newest created first. */
export const collectionsQuery = queryOptions({ queryKey: ['collections'], queryFn: allCollections });

async function allCollections(): Promise<components['schemas']['CollectionLinesView']> {
  const all: CollectionLine[] = [];
  for (;;) {
    const query = { limit, offset: all.length };
    const { collections, total } = await answered(api.GET('/node/collections', { params: { query } }));
    all.push(...collections);
    if (collections.length === 0 || all.length >= total) return { collections: onceEach(all), total };
  }
}

/** Which collections are listed, as the address has it: a part of their names. */
export function collectionsAddress({ q }: Record<string, unknown>): { q?: string } {
  return q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) };
}
