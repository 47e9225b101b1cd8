import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { isEntityId } from '../../api/entity-id.ts';

/** Somebody or something that a role can be given to. */
export interface Candidate {
  /** An entity's id, or `*`. */
  id: string;
  type: string;
  label: string;
  /** What tells it from others of the same name. */
  hint?: string;
  /** Why a role cannot be given to it: it has not used this network yet, or the remote that the collection comes from does not know it. */
  away?: 'network' | { remote: string };
}

/** Everybody who is registered. */
export const everybody = { id: '*', type: 'everybody' } as const;

const memberTypes = ['user', 'group', 'agent', 'klados'];

/** Whether a text is an address, as far as a person can be asked for by it. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim());
}

/** Who a text may mean: people registered here by name, address or id; users of mirrors, groups and processors by name. */
export function candidatesQuery(text: string, { only, collection }: { only?: 'user' | undefined; collection: string }) {
  const part = text.trim();
  return queryOptions({
    queryKey: ['candidates', collection, part, only ?? null],
    queryFn: ({ signal }) => find(part, collection, only, signal),
    staleTime: 10_000,
  });
}

async function find(
  part: string,
  collection: string,
  only: 'user' | undefined,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const [people, others] = await Promise.all([registered(part, collection, signal), elsewhere(part, only, signal)]);
  const known = new Set(people.map((one) => one.id));
  return [...people, ...others.filter((one) => !known.has(one.id))].slice(0, 12);
}

async function registered(part: string, collection: string, signal: AbortSignal): Promise<Candidate[]> {
  const query = { q: part.slice(0, 500), limit: 8, collection };
  const { people } = await answered(api.GET('/node/people', { params: { query }, signal }));
  return people.map(({ id, name, email, here, unknown_to }) => ({
    id,
    type: 'user',
    label: name ?? email ?? id,
    ...(email === null ? {} : { hint: email }),
    ...(here ? {} : { away: 'network' as const }),
    ...(unknown_to === undefined ? {} : { away: { remote: unknown_to } }),
  }));
}

/** By id or by name. Where the index of the search is not there yet, people registered here have to do. */
async function elsewhere(part: string, only: 'user' | undefined, signal: AbortSignal): Promise<Candidate[]> {
  const types = only ? [only] : memberTypes;
  if (isEntityId(part)) {
    const { data } = await api.GET('/entities/{id}/preview', { params: { path: { id: part } }, signal });
    return data && types.includes(data.type) ? [{ id: part, type: data.type, label: data.label || part }] : [];
  }
  if (part === '' || isEmail(part)) return [];
  const body = { query: part.slice(0, 500), limit: 12, expand: 'none' as const, types };
  const { data } = await api.POST('/search/entities', { body, signal });
  return (data?.results ?? [])
    .filter(({ type }) => types.includes(type))
    .map((one) => ({ id: one.id, type: one.type, label: one.label || one.id }));
}
