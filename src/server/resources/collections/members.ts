import type { RegisteredActor } from '../../model/actor.ts';
import type { Manifest, Relationship } from '../../model/manifest.ts';
import { momentOf } from '../../model/moments.ts';
import type { RelationshipAdd } from '../../model/relationships.ts';
import { accessOf, type CollectionAccess, isExpired } from '../../model/roles.ts';
import type { MemberAddedView, MembersView } from './wire.ts';

/** A membership's facts; times are epoch milliseconds, `expires` undefined means permanent. */
export interface Grant {
  role: string;
  peer: string;
  peerType: string;
  by: string;
  at: number;
  expires?: number | undefined;
}

/** Who gives a membership: the user, also where a service account acts for it. */
export function grantor(actor: RegisteredActor): string {
  return actor.kind === 'service' && actor.onBehalfOf ? actor.onBehalfOf.id : actor.id;
}

/** A new membership, or what the one that is there becomes: its expiry is replaced, also by none. */
export function membership({ role, peer, peerType, by, at, expires }: Grant): RelationshipAdd & Relationship {
  return {
    predicate: role,
    peer,
    peer_type: peerType,
    properties: {
      granted_at: new Date(at).toISOString(),
      granted_by: by,
      ...(expires === undefined ? {} : { expires_at: new Date(expires).toISOString() }),
    },
    properties_remove: ['expires_at'],
  };
}

/** A membership that a version has just given, as it was written there. */
export function addedMember(version: Manifest, role: string, peer: string): MemberAddedView['member_added'] {
  const {
    expires_at,
    granted_at = '',
    granted_by = '',
  } = accessOf(version).members.find((m) => m.role === role && m.peer === peer) ?? {};
  return { user_id: peer, role, ...(expires_at !== undefined && { expires_at }), granted_at, granted_by };
}

/** When somebody was made a member, in ms; undefined where that is not said. */
export function grantedAt(relationships: readonly Relationship[], role: string, peer: string): number | undefined {
  const granted = relationships.find((r) => r.predicate === role && r.peer === peer)?.properties?.granted_at;
  const at = typeof granted === 'string' ? momentOf(granted) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The member list (interface.md, GET /collections/{id}/members). `labelOf` gives a peer's present label, if known. */
export function memberList(
  collection: string,
  access: CollectionAccess,
  options: { nowMs: number; includeExpired: boolean; labelOf: (id: string) => string | undefined },
): MembersView {
  const shown = access.members.filter((m) => options.includeExpired || !isExpired(m, options.nowMs));
  const label = (id: string, stored: string | undefined) => options.labelOf(id) || stored || undefined;
  return {
    collection_id: collection,
    members: shown
      .filter((m) => m.kind === 'member')
      .map((m) => {
        const userLabel = label(m.peer, m.label);
        return {
          userId: m.peer,
          role: m.role,
          ...(userLabel !== undefined && { userLabel }),
          ...(m.expires_at !== undefined && { expires_at: m.expires_at }),
          ...(m.granted_at !== undefined && { granted_at: m.granted_at }),
          ...(m.granted_by !== undefined && { granted_by: m.granted_by }),
          is_expired: isExpired(m, options.nowMs),
        };
      }),
    groups: shown
      .filter((m) => m.kind === 'group')
      .map((m) => {
        const groupLabel = label(m.peer, m.label);
        return { groupId: m.peer, role: m.role, ...(groupLabel !== undefined && { groupLabel }) };
      }),
    wildcards: shown.filter((m) => m.kind === 'wildcard').map((m) => ({ role: m.role })),
  };
}
