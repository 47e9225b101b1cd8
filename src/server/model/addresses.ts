import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses that are not the public Internet's: this machine, private and shared networks, and reserved ones (IANA). */
const reserved4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** What of the one public block of IPv6, 2000::/3, is reserved or leads elsewhere: tunnels, documentation. */
const reserved6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const outside = new BlockList();
for (const net of reserved4) outside.addSubnet(...split(net), 'ipv4');
for (const net of reserved6) outside.addSubnet(...split(net), 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
/** IPv4 behind a translator (NAT64): it is the address inside that counts. */
const translated = new BlockList();
translated.addSubnet('64:ff9b::', 96, 'ipv6');

function split(net: string): [string, number] {
  const [address = '', prefix = ''] = net.split('/');
  return [address, Number(prefix)];
}

/** Whether an address belongs to the public Internet. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  switch (isIP(plain)) {
    case 4:
      return !outside.check(plain, 'ipv4');
    case 6: {
      const inside = embedded(plain);
      if (inside !== null) return isPublicAddress(inside);
      return global6.check(plain, 'ipv6') && !outside.check(plain, 'ipv6');
    }
    default:
      return false;
  }
}

/** Whether a name or an address, of IPv6 with or without its brackets, leads to the machine itself alone. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The IPv4 address in `::ffff:a.b.c.d` or `64:ff9b::a.b.c.d`, however it is spelt; null for others. */
function embedded(address: string): string | null {
  // A URL's host is written in one way only, with the last 32 bits as two groups.
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  if (!host.startsWith('::ffff:') && !translated.check(host, 'ipv6')) return null;
  const groups = host.split(':').slice(-2);
  const bits = groups.map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  const [high = 0, low = 0] = bits;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Whom an address stands for: whoever has one IPv6 address has all 2^64 of its network. */
export function clientOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = Array<string>(Math.max(0, 8 - groups(head).length - groups(tail).length)).fill('0');
  return [...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':');
}
