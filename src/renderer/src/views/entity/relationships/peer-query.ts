import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../../api/client.ts';
import { isEntityId } from '../../../api/entity-id.ts';
import { folded } from '../../../components/marked-words.ts';

/** An entity that can be at the other end of a relationship. */
export interface Peer {
  id: string;
  type: string;
  label: string;
}

const most = 10;

/**
 * Entities that a text may mean: an id is one; else what the search finds of the collection with it in the label, the others
 * of the collection whose label has it, then what the search finds anywhere. `predicate`: of the relationship; into a collection
 * only collections are led.
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
  if (places) return searched(part, { types: ['collection'] }, signal);
  // Very many labels may have a short text, of which the newest come first: what it is the whole label of is not among them.
  const within = collection ? { collection_id: collection } : {};
  const [near, best] = await Promise.all([
    collection ? labelled(part, collection, signal) : [],
    searched(part, within, signal),
  ]);
  const all = new Map([...best.filter(({ label }) => folded(label).includes(folded(part))), ...near].map(byId));
  const far = collection && all.size < most ? await searched(part, {}, signal) : best;
  for (const peer of far) all.set(peer.id, peer);
  return [...all.values()].slice(0, most);
}

function byId(peer: Peer): [string, Peer] {
  return [peer.id, peer];
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
async function searched(
  part: string,
  within: { collection_id?: string; types?: string[] },
  signal: AbortSignal,
): Promise<Peer[]> {
  const body = { query: part.slice(0, 500), limit: most, expand: 'none' as const, ...within };
  const { data } = await api.POST('/search/entities', { body, signal });
  return (data?.results ?? []).map(({ id, type, label }) => ({ id, type, label }));
}
