import { setImmediate } from 'node:timers/promises';
import { actions, implies, isKnownAction, permissionMetadata } from '../../../model/actions.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { idOn } from '../../../model/ids.ts';
import type { PeopleSoFar, Person } from '../../../store/accounts/accounts.ts';
import type { Identity } from '../../../store/accounts/identity.ts';
import { findTip } from '../../../store/entities.ts';
import type { Networks } from '../../../store/networks.ts';
import { findKnown, mirrorOf } from '../../../store/remotes/remotes.ts';
import type { InvitesService } from '../../alpha/service.ts';
import type { Email, InvitedView, InviteRevokedView } from '../../alpha/wire.ts';
import { refuse, textIssues } from '../../entities/body.ts';
import type { GrantsView, NodeInvitesView, PeopleView } from './wire.ts';

/** So many accounts are looked at before everything else that waits has its turn. */
const perTurn = 2000;

export interface PeopleNeeds {
  identity: Pick<Identity, 'people'>;
  networks: Pick<Networks, 'get'>;
  invites: InvitesService;
  registration: NodeInvitesView['registration'];
}

/** Who is registered on the node and who is invited to, for its operator; and what roles can be made of. */
export class PeopleService {
  readonly #needs: PeopleNeeds;

  constructor(needs: PeopleNeeds) {
    this.#needs = needs;
  }

  async people(
    caller: Caller,
    { part, limit, collection }: { part: string; limit: number; collection?: string },
  ): Promise<PeopleView> {
    operator(caller);
    refuse(textIssues({ q: part }));
    const found = await this.#found(part.trim(), limit + 1);
    const shown = found.slice(0, limit).map((one) => ({ ...one, id: idOn(caller.network, one.id) }));
    const store = await this.#needs.networks.get(caller.network);
    const { users, mirror, strangers } = store.read((db) => {
      const from = collection === undefined ? undefined : mirrorOf(db, collection);
      // What is given to the operator goes out for the user of the remote's key.
      const unknown = from && shown.filter((one) => !one.operator && findKnown(db, from.key, one.id).theirs === null);
      return {
        users: new Set(shown.map(({ id }) => id).filter((id) => findTip(db, id) !== undefined)),
        mirror: from?.name,
        strangers: new Set(unknown?.map(({ id }) => id)),
      };
    });
    return {
      people: shown.map(({ id, name, email, operator: isOperator, created_at }) => ({
        id,
        name,
        email,
        operator: isOperator,
        registered_at: new Date(created_at).toISOString(),
        here: users.has(id),
        ...(mirror !== undefined && strangers.has(id) && { unknown_to: mirror }),
      })),
      has_more: found.length > limit,
    };
  }

  async #found(part: string, limit: number): Promise<Person[]> {
    for (let soFar: PeopleSoFar = { people: [], next: null }; ; await setImmediate()) {
      soFar = this.#needs.identity.people({ part, limit, soFar, each: perTurn });
      if (soFar.next === null) return soFar.people;
    }
  }

  grants(caller: Caller): GrantsView {
    operator(caller);
    return grants;
  }

  invites(caller: Caller, page: { limit: number; offset: number }): NodeInvitesView {
    operator(caller);
    return { registration: this.#needs.registration, ...this.#needs.invites.page(page) };
  }

  invite(caller: Caller, email: Email): InvitedView {
    operator(caller);
    return this.#needs.invites.invite({ email, invited_by: 'operator' });
  }

  revoke(caller: Caller, email: Email): InviteRevokedView {
    operator(caller);
    return this.#needs.invites.revoke(email);
  }
}

/** Every grant that a role may hold, the wildcards first. */
const grants: GrantsView = {
  actions: [...actions],
  grants: [
    ...permissionMetadata.verbs.map((verb) => `*:${verb}`),
    ...permissionMetadata.types.map((type) => `${type}:*`),
    ...actions,
  ]
    .filter(isKnownAction)
    .map((grant) => ({ grant, allows: actions.filter((action) => implies(grant, action)) })),
};
