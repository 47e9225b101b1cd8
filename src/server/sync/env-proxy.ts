import { UnreachableError } from '../errors.ts';
import { isLoopback } from '../model/addresses.ts';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy through which the environment wants an address to be asked, as other programs read it; null where it is asked directly,
 * as this machine always is. @throws UnreachableError where it names none that can be used
 */
export function proxyFor({ protocol, hostname, port }: URL, environment: Environment): URL | null {
  const value = (name: string) => environment[name.toLowerCase()] || environment[name];
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const given = value(name);
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (!given || isLoopback(host) || host.endsWith('.localhost')) return null;
  const own = port || (protocol === 'https:' ? '443' : '80');
  const excepted = (value('NO_PROXY') ?? '').toLowerCase().split(/[\s,]+/);
  if (excepted.some((entry) => isMeant(entry, host, own))) return null;
  const proxy = URL.parse(given.includes('://') ? given : `http://${given}`);
  if (proxy && /^https?:$/.test(proxy.protocol) && proxy.hostname !== '') return proxy;
  throw new UnreachableError(`${name} names no proxy that can be used: it begins with http:// or https://`);
}

/** Whether an entry of NO_PROXY means a host: its name or address, the end of its name, or `*`, each with or without a port. */
function isMeant(entry: string, host: string, port: string): boolean {
  // An IPv6 address stands in brackets where it has a port.
  const [, given = entry, only] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? /^([^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  const name = given.replace(/^\*?\./, '');
  if (name === '' || (only !== undefined && only !== port)) return false;
  return name === '*' || host === name || host.endsWith(`.${name}`);
}
