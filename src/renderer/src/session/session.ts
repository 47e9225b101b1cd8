import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { Failure } from '../api/failure.ts';

/** Who the browser is to the node. `spent`: it came with a link that was used already, or is too old. */
export type Session = { state: 'in'; user: string } | { state: 'out'; spent: boolean };

/**
 * Exchanges the token in the address's fragment, if there is one, for a session in a cookie that no script can read. The
 * fragment is taken away first, so that no history or bookmark keeps it. False for a token that is no good.
 */
async function spendToken(): Promise<boolean> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return true;
  history.replaceState(history.state, '', location.pathname + location.search);
  const { response } = await api.POST('/node/session', { body: { token } });
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
