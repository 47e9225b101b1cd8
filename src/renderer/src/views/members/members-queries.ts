import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { CollectionNow } from './access.ts';

export type Invite = components['schemas']['InviteRecord'];

/** What the address says: a part of the members' names, and whether memberships that have ended are shown. */
export interface MembersAddress {
  q?: string;
  ended?: true;
}

export function membersAddress({ q, ended }: Record<string, unknown>): MembersAddress {
  return {
    ...(q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) }),
    ...(ended === true ? { ended } : {}),
  };
}

/** A collection with its roles and memberships, all of one version. */
export function accessQuery(id: string) {
  return queryOptions({
    queryKey: ['access', id],
    queryFn: ({ signal }) => answered<CollectionNow>(fetchCollection(id, signal)),
  });
}

export function fetchCollection(id: string, signal?: AbortSignal) {
  return api.GET('/collections/{id}', { params: { path: { id } }, ...(signal ? { signal } : {}) });
}

/** What members are called now; what a membership keeps may be older. */
export function memberNamesQuery(id: string) {
  return queryOptions({
    queryKey: ['member-names', id],
    queryFn: ({ signal }) =>
      answered(
        api.GET('/collections/{id}/members', {
          params: { path: { id }, query: { include_expired: 'true' } },
          signal,
        }),
      ),
    select: ({ members, groups }): ReadonlyMap<string, string> =>
      new Map([
        ...members.flatMap(({ userId, userLabel }) => (userLabel ? [[userId, userLabel] as const] : [])),
        ...groups.flatMap(({ groupId, groupLabel }) => (groupLabel ? [[groupId, groupLabel] as const] : [])),
      ]),
  });
}

/** What one may do with an entity, and with what lies in it. */
export function permissionsQuery(id: string) {
  return queryOptions({
    queryKey: ['permissions', id],
    queryFn: ({ signal }) => answered(api.GET('/entities/{id}/permissions', { params: { path: { id } }, signal })),
  });
}

/** Whether one may change the roles and members. A role ends by the clock, and a key comes and goes elsewhere: no version tells of either. */
export function mayManageQuery(id: string) {
  return queryOptions({
    ...permissionsQuery(id),
    refetchInterval: 10_000,
    select: ({ allowed_actions }) => allowed_actions.includes('collection:manage'),
  });
}

/** Every permission with what it implies. */
export const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: () => answered(api.GET('/node/grants')),
  staleTime: Infinity,
});

/** Addresses are invited in other tabs, and register on either network: no version of this one tells of it. */
export const invitesQuery = queryOptions({
  queryKey: ['invites'],
  refetchInterval: 10_000,
  queryFn: () => answered(api.GET('/node/invites', { params: { query: { limit: 1000 } } })),
});

/** All of them, page by page. */
export const invitePagesQuery = infiniteQueryOptions({
  queryKey: [...invitesQuery.queryKey, 'pages'],
  refetchInterval: 10_000,
  queryFn: ({ pageParam: offset, signal }) =>
    answered(api.GET('/node/invites', { params: { query: { limit: 200, offset } }, signal })),
  initialPageParam: 0,
  getNextPageParam: ({ has_more, count }, _, offset: number) => (has_more ? offset + count : undefined),
});
