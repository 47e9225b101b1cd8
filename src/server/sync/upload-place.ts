import { isIP } from 'node:net';
import type { Remote } from '../store/remotes/remotes.ts';

/** Where bytes are to be sent: to the remote itself, or elsewhere, where nothing may prove who we are. */
export type UploadPlace = { node: true; path: string } | { node: false; origin: string; path: string };

const nodeAddress = /\/node\/uploads\/[\w-]{1,200}$/;
const longest = 8000;

/**
 * Where an address that a remote has given leads; null for one that is none, or that leads into a network which the
 * remote has no business to name: an upload must not become a way to reach other programs of this machine.
 */
export function placeIn(address: string, remote: Pick<Remote, 'url' | 'instance'>): UploadPlace | null {
  if (address.length > longest || !URL.canParse(address)) return null;
  const [url, own] = [new URL(address), new URL(remote.url)];
  // A node is reached by the way that is known for it, whatever name it has for itself.
  const known = remote.instance === null ? null : nodeAddress.exec(url.pathname);
  if (known) return { node: true, path: known[0] };
  const safe = url.protocol === 'https:' || (url.protocol === 'http:' && own.protocol === 'http:');
  if (!safe || url.username !== '' || url.password !== '') return null;
  if (url.hostname !== own.hostname && isInner(url.hostname)) return null;
  return { node: false, origin: url.origin, path: url.pathname + url.search };
}

function isInner(hostname: string): boolean {
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
    !hostname.includes('.') ||
    /\.(localhost|local|internal)\.?$/.test(hostname)
  );
}
