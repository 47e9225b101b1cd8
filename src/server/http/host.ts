import { ForbiddenError } from '../errors.ts';
import { isLoopback } from '../model/addresses.ts';

/** Which names a node answers to. `allowed` are hosts, with a port or (for any port) without, in lower case. */
export interface OwnNames {
  port: number;
  allowed: readonly string[];
}

function split(host: string): { name: string; port: string } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::(\d{1,5}))?$/.exec(host);
  return match ? { name: match[1] as string, port: match[2] ?? '' } : null;
}

/**
 * Whether a Host header names this node. A page whose name was made to resolve to this machine (DNS rebinding) sends its
 * own name, and is refused.
 */
export function isOwnHost(host: string | undefined, own: OwnNames): boolean {
  const parts = host === undefined ? null : split(host.toLowerCase());
  if (!parts) return false;
  const { name, port } = parts;
  if (isLoopback(name) && (port === String(own.port) || (port === '' && own.port === 80))) return true;
  return own.allowed.includes(name) || own.allowed.includes(`${name}:${port}`);
}

/** Whether a Host header names the machine that asks, and not one that others reach. */
export function isLoopbackHost(host: string | undefined): boolean {
  return isLoopback(split(host?.toLowerCase() ?? '')?.name ?? '');
}

/** Whether a request names its host more than once; others on its way may have gone by another of the names than Node does. */
export function namesManyHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Whether an Origin header is that of a page which the node at `host` (already found to be its own) has sent. */
export function isOwnOrigin(origin: string, host: string): boolean {
  const wanted = host.toLowerCase();
  const given = origin.toLowerCase();
  if (given === `http://${wanted}`) return true;
  // Behind a proxy that speaks TLS; a loopback name has none.
  return given === `https://${wanted}` && !isLoopbackHost(wanted);
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The page's cookie goes to every port of its host, so what writes with it must say that the page sent it. @throws ForbiddenError */
export function admitSession(request: { method: string; origin: string | undefined }): void {
  if (request.origin === undefined && !reads.has(request.method))
    throw new ForbiddenError('Forbidden: writes with the session of the page need its Origin header');
}

/**
 * Refuses what a foreign web page could make a browser send: another name, or a write from another origin.
 * @throws ForbiddenError
 */
export function admit(
  request: { method: string; host: string | undefined; origin: string | undefined },
  own: OwnNames,
): void {
  const { host, origin, method } = request;
  if (host === undefined || !isOwnHost(host, own))
    throw new ForbiddenError(
      'Forbidden: this node does not answer to that Host name; name it in ARCHEION_ALLOWED_HOSTS',
    );
  if (origin !== undefined && !reads.has(method) && !isOwnOrigin(origin, host))
    throw new ForbiddenError('Forbidden: writes from pages of another origin are refused');
}
