import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../../api/client.ts';
import { isEntityId } from '../../../api/entity-id.ts';

/** An entity that can be at the other end of a relationship. */
export interface Peer {
  id: string;
  type: string;
  label: string;
}

const most = 10;

/**
 * Entities that a text may mean: an id is one; else those of the collection whose label has it, then what the search finds
 * anywhere. `predicate`: of the relationship; into a collection only collections are led.
 */
export function peersQuery(text: string, collection: string | undefined, predicate?: string) {
  const part = text.trim();
  const places = predicate === 'collection';
  return queryOptions({
    queryKey: ['peers', part, collection ?? null, places],
    queryFn: ({ signal }) => findPeers(part, collection, places, signal),
    enabled: part !== '',
    staleTime: 30_000,
  });
}

async function findPeers(
  part: string,
  collection: string | undefined,
  places: boolean,
  signal: AbortSignal,
): Promise<Peer[]> {
  if (isEntityId(part)) {
    const { label, type } = await answered(
      api.GET('/entities/{id}/preview', { params: { path: { id: part } }, signal }),
    );
    return [{ id: part, type, label }];
  }
  // The search names collections only where they are asked for.
  if (places) return searched(part, signal, ['collection']);
  const near = collection ? await labelled(part, collection, signal) : [];
  const far = near.length < most ? await searched(part, signal) : [];
  const all = new Map([...near, ...far].map((peer) => [peer.id, peer]));
  return [...all.values()].slice(0, most);
}

async function labelled(part: string, collection: string, signal: AbortSignal): Promise<Peer[]> {
  const path = { id: collection };
  const query = { q: part.slice(0, 500), limit: most };
  const { entities } = await answered(
    api.GET('/collections/{id}/entities/search', { params: { path, query }, signal }),
  );
  return entities.map((one) => ({ id: one.id, type: one.type, label: one.label ?? '' }));
}

/** Where the search's index is not there yet, the labels alone have to do. */
async function searched(part: string, signal: AbortSignal, types?: string[]): Promise<Peer[]> {
  const body = { query: part.slice(0, 500), limit: most, expand: 'none' as const, ...(types && { types }) };
  const { data } = await api.POST('/search/entities', { body, signal });
  return (data?.results ?? []).map(({ id, type, label }) => ({ id, type, label }));
}
