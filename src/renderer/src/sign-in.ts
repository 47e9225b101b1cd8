/**
 * Exchanges the token in the address's fragment, if there is one, for a session in a cookie that no script can read, and
 * answers what the page says of it. The fragment is taken away first, so that no history or bookmark keeps it.
 */
export async function signIn(): Promise<string> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  const opened = token === null || (await exchange(token));
  // A browser that was signed in before still is when its link is too old.
  if (await isOperator()) return 'You are signed in as the operator.';
  return opened
    ? 'You are not signed in: “archeion open” prints a link that does it.'
    : 'This link was used already, or is too old: “archeion open” prints another.';
}

async function exchange(token: string): Promise<boolean> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch('../node/session', { method: 'POST', headers, body: JSON.stringify({ token }) });
  return response.ok;
}

async function isOperator(): Promise<boolean> {
  return (await fetch('../auth/whoami')).ok;
}
