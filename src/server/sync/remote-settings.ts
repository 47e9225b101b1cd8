import { AlreadyExistsError, ValidationError } from '../errors.ts';
import { isEntityId, type Network, networkOf } from '../model/ids.ts';
import { archiveName } from '../store/archive/archive-forks.ts';
import type { Reader } from '../store/connection.ts';
import { findRemote, type Remote } from '../store/remotes/remotes.ts';
import type { Direction, RemoteScope, RemoteSettings } from '../store/remotes/sync-rows.ts';
import { readHours } from './hours.ts';

/** The scope of a remote without limits. */
export const everything: RemoteScope = { collections: [], types: [], content: 'tips' };

/** @throws ValidationError */
export function checkedScope(network: Network, before: RemoteScope, wanted: Partial<RemoteScope>): RemoteScope {
  const { collections = before.collections, types = before.types, content = before.content } = wanted;
  if (collections.some((id) => !isEntityId(id) || networkOf(id) !== network))
    throw ValidationError.at(['collections'], `must be ids of the ${network} network`);
  return { collections: [...new Set(collections)].sort(), types: [...new Set(types)].sort(), content };
}

export function isSameScope(a: RemoteScope, b: RemoteScope): boolean {
  const text = ({ collections, types, content }: RemoteScope) =>
    JSON.stringify([collections.toSorted(), types.toSorted(), content]);
  return text(a) === text(b);
}

/** Whether something is wanted now that was passed over before. */
export function isWider(before: RemoteScope, now: RemoteScope): boolean {
  const widens = (old: string[], next: string[]) =>
    old.length > 0 && (next.length === 0 || next.some((one) => !old.includes(one)));
  return widens(before.collections, now.collections) || widens(before.types, now.types);
}

/** @throws ValidationError */
export function checkedSettings(before: RemoteSettings, wanted: Partial<RemoteSettings>): RemoteSettings {
  const { watch = before.watch, max_kbps = before.max_kbps, hours = before.hours } = wanted;
  if (hours !== null && readHours(hours) === null)
    throw ValidationError.at(['hours'], 'must be two different hours of the day, as 22-6');
  return { watch, max_kbps, hours };
}

/** Without a key nothing can be pushed. @throws ValidationError */
export function checkedDirection(key: string | null, wanted: Direction | undefined, usual: Direction): Direction {
  const direction = wanted ?? (key === null ? 'pull' : usual);
  if (key === null && direction !== 'pull') throw ValidationError.at(['key'], 'is needed for pushing');
  return direction;
}

/** A remote's name must be nobody's yet. @throws ValidationError, AlreadyExistsError */
export function checkNewName(db: Reader, name: string): void {
  if (name === archiveName)
    throw ValidationError.at(['name'], 'is what conflicts that archives brought are listed under: use another one');
  if (findRemote(db, name)) throw new AlreadyExistsError(`There is a remote ${name} already. Use another name.`);
}

/** http or https, and nothing in it but an address. */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw ValidationError.at(['url'], 'must be an http or https address');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw ValidationError.at(['url'], 'must be an address without user, query or fragment; the key is given apart');
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Whether edits go to a remote. */
export function pushes({ secret, direction }: Pick<Remote, 'secret' | 'direction'>): boolean {
  return secret !== null && direction !== 'pull';
}
