import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../model/addresses.ts';
import { isLoopbackHost } from './host.ts';

/**
 * Whether a request came over the loopback interface, and not through a proxy that says so or passes on the name by which it was
 * asked itself. One that does neither (operations.md says how it shall) is taken for this machine.
 */
export function fromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  const forwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return !forwarded && isLoopbackHost(headers.host) && isLoopback(address);
}
