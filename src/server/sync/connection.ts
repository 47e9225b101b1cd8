import { isIPv6, type LookupFunction, Socket } from 'node:net';
import { unescape as unescaped } from 'node:querystring';
import type { buildConnector, Pool } from 'undici';
import { type Environment, proxyFor } from './env-proxy.ts';
import { failureWords } from './failure-words.ts';
import { publicLookup } from './public-lookup.ts';

export interface ConnectionOptions {
  /** Requests under way at once. */
  connections?: number;
  /** Names that mean this machine or a private network are not gone to. */
  outsideOnly?: boolean;
  /** Where a proxy may be named. */
  environment?: Environment;
  /** Milliseconds in which something of an answer comes; tests give their own. */
  answerTimeout?: number;
  /** Milliseconds in which a connection comes about; tests give their own. */
  connectTimeout?: number;
}

/** Milliseconds. */
const usualConnectTimeout = 10_000;
const usualAnswerTimeout = 60_000;

/**
 * The connections to one address: through the proxy that the environment names for it, where it names one. Opens none yet. The library
 * is loaded when the first remote is spoken to: a node without one is spared it. @throws UnreachableError where there is no such proxy
 */
export async function openPool(
  address: string,
  { connections = 16, outsideOnly = false, environment = {}, ...timeouts }: ConnectionOptions,
): Promise<Pool> {
  const { answerTimeout = usualAnswerTimeout, connectTimeout = usualConnectTimeout } = timeouts;
  const url = new URL(address);
  const proxy = proxyFor(url, environment);
  const undici = await import('undici');
  const lookup = outsideOnly ? publicLookup() : undefined;
  return new undici.Pool(url.origin, {
    ...{ connections, connectTimeout, headersTimeout: answerTimeout, bodyTimeout: answerTimeout },
    ...(proxy ? { connect: tunnel(undici, { proxy, lookup, connectTimeout }) } : lookup && { connect: { lookup } }),
  });
}

/**
 * Connects through a proxy, as a tunnel of which the proxy sees no more than where it leads. Where names are not all gone to, it is told
 * the address that was found for the name here, and allowed: whom the name means by the time that the proxy asks is for others to say.
 */
function tunnel(
  { Client, buildConnector: connector }: typeof import('undici'),
  { proxy, lookup, connectTimeout }: { proxy: URL; lookup: LookupFunction | undefined; connectTimeout: number },
): buildConnector.connector {
  const secure = connector({ timeout: connectTimeout });
  const headers = authorization(proxy);
  // The certificate of a proxy that has one would be compared with this name.
  const named = (host: string) => (proxy.protocol === 'http:' ? { host } : {});
  const open = async ({ protocol, hostname, port }: buildConnector.Options) => {
    const host = lookup ? await addressOf(hostname, lookup) : hostname;
    const target = `${isIPv6(host) ? `[${host}]` : host}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const client = new Client(proxy.origin, { connectTimeout, allowH2: false });
    try {
      const signal = AbortSignal.timeout(connectTimeout);
      const { socket, statusCode } = await client.connect({
        path: target,
        headers: { ...headers, ...named(target) },
        signal,
      });
      if (statusCode === 200 && socket instanceof Socket) return socket;
      socket.on('error', () => undefined).destroy();
      throw new Error(statusCode === 407 ? 'it wants a name and a password' : `it answered ${statusCode}`);
    } catch (error) {
      // Under a code of its own the library would try for ever.
      throw new Error(`the proxy ${proxy.host} does not lead to ${target}: ${failureWords(error)}`, { cause: error });
    } finally {
      client.destroy().catch(() => undefined);
    }
  };
  return (options, done) => {
    open(options).then(
      (socket) =>
        options.protocol === 'https:' ? secure({ ...options, httpSocket: socket }, done) : done(null, socket),
      (error: Error) => done(error, null),
    );
  };
}

function authorization({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '') return {};
  // What is no escape stands for itself, as in other programs.
  const credentials = `${unescaped(username)}:${unescaped(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function addressOf(name: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(name, {}, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
}
