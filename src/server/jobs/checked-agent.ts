import type { Agent, ClientRequestArgs } from 'node:http';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '../node-http.ts';
import { ConnectError, codeOf } from './connect-error.ts';

/** Where connections may go. Each of these throws what the request is to fail with. */
export interface Gate {
  /** The addresses of a host name that may be reached. */
  lookup: LookupFunction;
  /** Asked for an address that is reached without a name, and again once connected. */
  check(host: string, address: string): void;
}

const connectTimeout = 5000;
/** Idle connections are kept so briefly that the other side has hardly ever closed one when it is used again. */
const keepAliveTimeout = 1000;

/** Connections by HTTP or HTTPS to where a gate lets them; a request gets one only when it is open and checked. */
export class CheckedAgent extends http.Agent implements Disposable {
  /** What a request has to be for; Node compares. */
  readonly protocol: 'http:' | 'https:';
  readonly #gate: Gate;
  readonly #connecting = new Set<Socket>();

  constructor(protocol: 'http:' | 'https:', gate: Gate) {
    super({ keepAlive: true, timeout: keepAliveTimeout });
    this.protocol = protocol;
    this.#gate = gate;
  }

  override createConnection: Agent['createConnection'] = (options, done) => {
    this.#connect(options).then(
      (socket) => done?.(null, socket),
      // There is no connection then, and nobody looks at it.
      (error: unknown) => done?.(connectErrorOf(error), undefined as unknown as Duplex),
    );
    return undefined;
  };

  async #connect({ host, port }: ClientRequestArgs): Promise<Socket> {
    const name = host ?? '';
    if (isIP(name) !== 0) this.#gate.check(name, name);
    const socket = await this.#opened(name, Number(port));
    try {
      this.#gate.check(name, socket.remoteAddress ?? '');
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async #opened(host: string, port: number): Promise<Socket> {
    const options = { host, port, lookup: this.#gate.lookup, autoSelectFamily: true };
    const [socket, ready] =
      this.protocol === 'http:'
        ? ([connect(options), 'connect'] as const)
        : ([await secure({ ...options, servername: isIP(host) === 0 ? host : '' }), 'secureConnect'] as const);
    this.#connecting.add(socket);
    const slow = setTimeout(() => socket.destroy(new Error(`none within ${connectTimeout / 1000} s`)), connectTimeout);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(ready, resolve).once('error', reject);
        socket.once('close', () => reject(new Error('closed')));
      });
      return socket;
    } finally {
      clearTimeout(slow);
      this.#connecting.delete(socket);
    }
  }

  [Symbol.dispose](): void {
    this.destroy();
    for (const socket of this.#connecting) socket.destroy();
  }
}

/** TLS is loaded for the first that needs it. */
async function secure(options: { host: string; port: number; lookup: LookupFunction; servername: string }) {
  const tls = await import('node:tls');
  return tls.connect({ ...options, ALPNProtocols: ['http/1.1'] });
}

function connectErrorOf(error: unknown): ConnectError {
  return error instanceof ConnectError ? error : new ConnectError('unreachable', `no connection (${codeOf(error)})`);
}
