/** That a remote failed, whatever it was asked for: also what it did not come to read in time, or wants to be sent once more. */
export function isFailed(status: number): boolean {
  return status >= 500 || status === 408 || status === 425;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** What a redirect of all that an address is asked for comes to, with where to: that tells what sends there. */
export function elsewhereWords(url: string, status: number, location: string | string[] | undefined): string {
  const origin = typeof location === 'string' ? (URL.parse(location, url)?.origin ?? 'null') : 'null';
  const to = origin === 'null' ? '' : ` to ${origin}`;
  return `${new URL(url).host} sends elsewhere${to} (${status}), as a network does that wants one to sign in. Where that is the remote itself, add it with that address`;
}
