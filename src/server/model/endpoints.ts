/** A command of the node itself in place of a service's address (decisions.md, Processors). */
const exec = /^exec:([a-z0-9][a-z0-9_-]{0,63})$/;
const maxLength = 2048;

/** The name of the command that an endpoint names; null where it is a service's. */
export function commandOf(endpoint: unknown): string | null {
  return typeof endpoint === 'string' ? (exec.exec(endpoint)?.[1] ?? null) : null;
}

/** What is wrong with an endpoint; null where nothing is. Commands are for kladoi only. */
export function endpointFault(endpoint: unknown, type: 'agent' | 'klados'): string | null {
  if (typeof endpoint !== 'string' || endpoint === '') return 'is required: the address of the service, http or https';
  if (endpoint.startsWith('exec:')) {
    if (type === 'agent') return '`exec:` is for kladoi only';
    return commandOf(endpoint) === null
      ? 'must be `exec:` and a name of lower-case letters, digits, `_` and `-`'
      : null;
  }
  const url = endpoint.length > maxLength ? null : URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not hold a name or password';
  if (/[?#]/.test(endpoint)) return 'must end with its path: no query, no fragment';
  return null;
}

/** The address of something below an endpoint, as `/process`. */
export function below(endpoint: string, path: string): string {
  return endpoint.replace(/(?<!\/)\/+$/, '') + path;
}
