import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { Failure, failureOf } from '../api/failure.ts';

/** Who the browser is to the node. `spent`: it came with a link that was used already, or is too old. */
export type Session = { state: 'in'; user: string } | { state: 'out'; spent: boolean };

/** The token that a link came with, until the node has said whether it is good. */
let token: string | null = null;

/**
 * Exchanges the token in the address's fragment, if there is one, for a session in a cookie that no script can read. The
 * fragment is taken away first, so that no history or bookmark keeps it. False for a token that is no good.
 * @throws Failure where the node does not say so now; the next attempt asks it again
 */
async function spendToken(): Promise<boolean> {
  const came = new URLSearchParams(location.hash.slice(1)).get('token');
  if (came !== null) {
    token = came;
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  if (token === null) return true;
  const asked = token;
  const { error, response } = await api.POST('/node/session', { body: { token: asked } });
  if (response.status >= 500) throw failureOf(response.status, error);
  if (token === asked) token = null;
  return response.ok;
}

let spent = false;

async function look(): Promise<Session> {
  // A browser that was signed in before still is when its link is too old.
  if (!(await spendToken())) spent = true;
  const { data, error, response } = await api.GET('/auth/whoami');
  if (data) return { state: 'in', user: data.id };
  if (response.status === 401 || response.status === 403) return { state: 'out', spent };
  await answered(Promise.resolve({ error, response }));
  throw new Failure('broken', 'no answer');
}

/** Whoever asks the node; looked at again when it says that it knows nobody. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: look, staleTime: 60_000 });

export function useSession() {
  return useQuery(sessionQuery);
}
