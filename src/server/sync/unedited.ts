import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { tipsSince } from '../store/events.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import type { Loaded } from './entity.ts';
import { allNames } from './own-names.ts';
import { pushes } from './remote-settings.ts';
import { isSaid } from './requests.ts';
import { looseHash } from './withheld.ts';

interface Here {
  remote: Pick<Remote, 'key' | 'user' | 'secret' | 'direction'>;
  /** The operator's own ids here. */
  self: readonly string[];
}

/** Remotes that each keep to their own version come by it a few times for each edit. */
const mostTips = 16;

/**
 * Whether the tip here, and each since the one that says what a remote said last, says that as well: other remotes have made versions
 * of their own of it, and nobody has edited it. So it is with a collection but for whom it names as the operator; where this node
 * pushes to the remote a merge says how both name him.
 */
export function isUnedited(db: Reader, { state: { local, twin }, known: { intent } }: Loaded, here: Here): boolean {
  if (local === null || twin === null || local.cid === twin || intent !== null) return false;
  const said = findVersion(db, twin)?.manifest;
  const since = said ? tipsSince(db, twin, mostTips + 1) : [];
  if (!said || since.length === 0 || since.length > mostTips) return false;
  const { user } = here.remote;
  const isNamed = (one: Manifest) =>
    one.type === 'collection' &&
    !pushes(here.remote) &&
    isSaid(said, { local: one, self: allNames(db, here, one, said), user });
  return since.every((cid) => {
    const one = findVersion(db, cid)?.manifest;
    return one !== undefined && (looseHash(one) === looseHash(said) || isNamed(one));
  });
}
