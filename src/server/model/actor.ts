import type { EditedBy, EditMethod } from './manifest.ts';

/**
 * Who asks. `ids` are all the user ids of one account: its own on this network and its aliases on remotes
 * (decisions.md, Authors across nodes); permission checks use them all, new versions carry `id`.
 */
export type Actor =
  | { kind: 'anonymous' }
  | { kind: 'user'; id: string; ids: string[]; operator: boolean }
  | { kind: 'processor'; id: string; type: 'agent' | 'klados'; owner: string }
  /** A service account; with `onBehalfOf` it has that user's permissions, without it elevated ones (interface.md, Authentication 6). */
  | { kind: 'service'; id: string; onBehalfOf: { id: string; ids: string[] } | null };

export type RegisteredActor = Exclude<Actor, { kind: 'anonymous' }>;

/** The authorship that an actor's versions carry (decisions.md, Identity and authorship). */
export function authorship(actor: RegisteredActor, method: EditMethod = 'manual'): EditedBy {
  switch (actor.kind) {
    case 'user':
      return { user_id: actor.id, method };
    case 'processor':
      return { user_id: actor.id, method: 'ai_generated', on_behalf_of: actor.owner };
    case 'service':
      return { user_id: actor.id, method: 'system', ...(actor.onBehalfOf && { on_behalf_of: actor.onBehalfOf.id }) };
  }
}
