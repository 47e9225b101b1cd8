import { defaultRoles } from '../../model/actions.ts';
import { authorship, type RegisteredActor } from '../../model/actor.ts';
import { grantRole } from '../../model/collection-rules.ts';
import type { Grantee } from '../../model/grants.ts';
import { jobCollectionLabel } from '../../model/job-collection-label.ts';
import type { Manifest, Relationship } from '../../model/manifest.ts';
import { firstVersion, type Stamp } from '../../model/next-version.ts';
import { grantor, membership } from '../collections/members.ts';
import { loggingActions } from './grant-steps.ts';

export interface NewJobCollection {
  id: string;
  /** The job, or the batch of jobs. */
  job: string;
  /** It works there from the first version on. */
  grantees: readonly Pick<Grantee, 'id' | 'type'>[];
  /** The collection that it lies in; null for none. */
  parent: string | null;
  now: number;
  expires: number;
}

/** The collection in which the logs of a new run lie. Whoever began it owns it; of a processor, its owner does. */
export function jobCollection(actor: RegisteredActor, wanted: NewJobCollection, stamp: Stamp): Manifest {
  const { id, job, grantees, parent, now, expires } = wanted;
  const owner = actor.kind === 'processor' ? actor.owner : grantor(actor);
  const roles = Object.entries(defaultRoles).map(([name, list]) => [name, [...list]]);
  const granted = grantees.map((one) => [grantRole(one.type, one.id), [...loggingActions]]);
  const inside: Relationship[] =
    parent === null ? [] : [{ predicate: 'collection', peer: parent, peer_type: 'collection' }];
  const members = grantees.map((one) =>
    membership({ role: grantRole(one.type, one.id), peer: one.id, peerType: one.type, by: owner, at: now, expires }),
  );
  return firstVersion(
    {
      id,
      type: 'collection',
      properties: {
        label: jobCollectionLabel(job),
        _job: job,
        roles: Object.fromEntries([...roles, ...granted]),
      },
      relationships: [
        ...inside,
        membership({ role: 'owner', peer: owner, peerType: 'user', by: owner, at: now }),
        ...members,
      ],
    },
    { ...stamp, edited_by: authorship(actor, actor.kind === 'processor' ? undefined : 'system') },
  );
}
