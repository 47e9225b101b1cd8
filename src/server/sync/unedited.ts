import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { contentHash } from '../store/content-hash.ts';
import { tipsSince } from '../store/events.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { Loaded } from './entity.ts';
import { allNames, type Who } from './own-names.ts';
import { pushes } from './remote-settings.ts';
import { isSaid } from './requests.ts';
import { looseHash } from './withheld.ts';

/** Remotes that each keep to their own version come by it a few times for each edit. */
const mostTips = 16;

/**
 * Whether the tip here, and each since the one that says what a remote said last, says that as well: other remotes have made versions
 * of their own of it, and nobody has edited it. So it is with a collection but for whom it names as the operator; where this node
 * pushes to the remote a merge says how both name him.
 * @param last the version here that says what the remote said last
 */
export function isUnedited(
  db: Reader,
  { state: { local }, known: { intent } }: Loaded,
  who: Who & { remote: Pick<Remote, 'secret' | 'direction'> },
  last: string | null,
): boolean {
  if (local === null || last === null || local.cid === last) return false;
  const said = findVersion(db, last)?.manifest;
  if (!said) return false;
  // A request that may be under way, and was to put another version in the place of the remote's, changes nothing there.
  if (intent !== null && intent.content !== contentHash(said)) return false;
  const since = tipsSince(db, last, mostTips + 1);
  if (since.length === 0 || since.length > mostTips) return false;
  const { user } = who.remote;
  const content = looseHash(said);
  const isNamed = (one: Manifest) =>
    one.type === 'collection' &&
    !pushes(who.remote) &&
    isSaid(said, { local: one, self: allNames(db, who, one, said), user });
  return since.every((cid) => {
    const one = findVersion(db, cid)?.manifest;
    return one !== undefined && (looseHash(one) === content || isNamed(one));
  });
}
