import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type Key = components['schemas']['ListedNodeKeyView'];

/** The keys of the operator, who is signed in, and of the service account that are not revoked, newest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => answered(api.GET('/node/keys')),
});

export function isSpent({ expires_at }: Key, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}
