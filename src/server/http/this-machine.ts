import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { isLoopbackHost } from './host.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Whether a request came over the loopback interface, and not through a proxy that says so or passes on the name by which it was
 * asked itself. One that does neither (operations.md says how it shall) is taken for this machine.
 */
export function fromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  const forwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return (
    !forwarded &&
    isLoopbackHost(headers.host) &&
    address !== '' &&
    loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
  );
}
