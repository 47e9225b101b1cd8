import { type Caller, registered } from '../../model/caller.ts';
import { requireUser } from '../../model/permissions.ts';
import type { EntityWrites } from '../entities/writes.ts';

export interface MyCollectionsOptions {
  /** Comma-separated. */
  role?: string | undefined;
  includeExpired: boolean;
  limit: number;
  offset: number;
}

/** The collections in which the caller holds roles (wire-contract.md 4.4). */
export class MembershipsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** JSON text. Roles that were given to the caller by name: not those of groups or of everyone. */
  async mine(caller: Caller, { role, ...options }: MyCollectionsOptions): Promise<Uint8Array> {
    const actor = registered(caller);
    const { ids } = actor.kind === 'processor' ? { ids: [actor.id] } : requireUser(actor, 'hold roles');
    const roles = role ? role.split(',').map((name) => name.trim()) : undefined;
    const store = await this.#writes.store(caller);
    return store.readLong('rolesHeld', { ids, roles, now: this.#writes.env.now(), ...options }, caller);
  }
}
