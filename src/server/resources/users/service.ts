import { ConflictError, NotFoundError, UnauthorizedError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { accepted, type Caller, registered } from '../../model/caller.ts';
import { idOn, type Network } from '../../model/ids.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { EditedBy } from '../../model/manifest.ts';
import { firstVersion } from '../../model/next-version.ts';
import { requireUser, type UserIdentity } from '../../model/permissions.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, findTip } from '../../store/entities.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { keyFacts } from '../key-views.ts';
import { MembershipsService } from './memberships-service.ts';
import type { CreatedUserKeyView, CreateUserKeyBody, UpdateUserBody, UserKeysView, UserUpdatedView } from './wire.ts';

export interface UsersNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  identity: Pick<Identity, 'accountById' | 'createKey' | 'listKeys' | 'revokeKey'>;
}

/** A registered user as its entity says. */
export interface RegisteredUser {
  id: string;
  cid: string;
  ver: number;
  properties: WireManifest['properties'];
}

export interface MembershipQuery {
  predicate?: string | undefined;
  limit: number;
  offset: number;
}

const ninetyDays = 7_776_000;

/** Users: their entities, their own keys, and the collections that name them. */
export class UsersService {
  readonly memberships: MembershipsService;
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #identity: UsersNeeds['identity'];

  constructor({ writes, entities, identity }: UsersNeeds) {
    this.memberships = new MembershipsService(writes);
    this.#writes = writes;
    this.#entities = entities;
    this.#identity = identity;
  }

  /**
   * The account's user entity on a network, made where it is missing; it may be called any number of times.
   * @throws ConflictError where something else has its id there
   */
  async ensureUser(
    network: Network,
    account: Pick<Account, 'id' | 'name' | 'email'>,
  ): Promise<{ created: boolean; user: RegisteredUser }> {
    const id = idOn(network, account.id);
    const actor: RegisteredActor = { kind: 'user', id, ids: [id], operator: false };
    const caller: Caller = { actor, network, account: account.id };
    const store = await this.#writes.store(caller);
    const known = store.read((db) => existing(db, id));
    if (known) return { created: false, user: known };
    const label = account.name ?? account.email?.split('@')[0] ?? 'User';
    const next = firstVersion(
      { id, type: 'user', properties: { label, name: account.name ?? label }, relationships: [] },
      this.#writes.stamp(actor),
    );
    const step = store.read((db) => this.#writes.creation(db, caller, next, { registering: true }));
    try {
      await this.#writes.commit(store, [step]);
    } catch (error) {
      const other = error instanceof ConflictError ? store.read((db) => existing(db, id)) : undefined;
      if (!other) throw error instanceof ConflictError ? new ConflictError(error.expected, error.actual, taken) : error;
      return { created: false, user: other };
    }
    return { created: true, user: { id, cid: step.cid, ver: next.ver, properties: next.properties } };
  }

  /**
   * Who the caller is as a user, with an entity on the request's network (decisions.md, Identity and authorship: each
   * account has one in each network that it uses).
   */
  async present(caller: Caller): Promise<UserIdentity> {
    const user = requireUser(registered(caller), 'have a user of their own');
    await this.#presentAccount(caller.network, user.id, true);
    return user;
  }

  /** The same for an author of versions; what is no account here, as a processor or a remote's user, gets none. */
  async presentAuthor(network: Network, { user_id, method, on_behalf_of }: EditedBy): Promise<void> {
    await this.#presentAccount(network, user_id, method === 'system');
    if (on_behalf_of !== undefined) await this.#presentAccount(network, on_behalf_of, false);
  }

  /** `service`: whether it is a service account, of which the node knows those alone that have a key. */
  async #presentAccount(network: Network, id: string, service: boolean): Promise<void> {
    const store = await this.#writes.env.networks.get(network);
    if (store.read((db) => findTip(db, id)) !== undefined) return;
    const account = this.#identity.accountById(id) ?? (service ? { id, name: 'Service', email: null } : null);
    if (account) await this.ensureUser(network, account);
  }

  /** The caller's own user entity, as stored wire JSON. */
  async me(caller: Caller): Promise<string | Uint8Array> {
    const { id } = await this.present(caller);
    return this.#entities.read(caller, id, 'user');
  }

  /** Whoever asks for their own user has one on this network from then on. */
  async #presentAs(caller: Caller, id: string): Promise<void> {
    if (caller.actor.kind === 'user' && caller.actor.id === id) await this.present(caller);
  }

  async read(caller: Caller, id: string): Promise<string | Uint8Array> {
    await this.#presentAs(caller, id);
    return this.#entities.read(caller, id, 'user');
  }

  async update(caller: Caller, id: string, { label, ...body }: UpdateUserBody): Promise<UserUpdatedView> {
    registered(caller);
    await this.#presentAs(caller, id);
    refuse(textIssues({ label }));
    const properties = { ...body.properties, ...(label !== undefined && { label }) };
    const change = { ...body, properties };
    return (await this.#entities.change(caller, id, body.expect_tip, change, 'always', {
      type: 'user',
    })) as UserUpdatedView;
  }

  /**
   * JSON of a UserCollectionsView: the collections in which the user holds a role that has not expired, by itself, through
   * a group or because everyone does; its aliases on remotes count.
   */
  async collections(caller: Caller, id: string, query: MembershipQuery): Promise<Uint8Array> {
    const actor = accepted(caller);
    await this.#presentAs(caller, id);
    const account = this.#identity.accountById(id);
    const ids = account?.ids[caller.network] ?? [id];
    const store = await this.#writes.store(caller);
    store.read((db) => {
      const user = this.#writes.row(db, caller.network, id);
      if (user.type !== 'user') throw new NotFoundError();
      this.#writes.env.permissions.require(db, actor, 'user:view', user);
    });
    const now = this.#writes.env.now();
    const wanted = { ...query, predicate: query.predicate || undefined };
    return store.readLong('userCollections', { user: id, ids, registered: account !== null, now, ...wanted }, caller);
  }

  keys(caller: Caller): UserKeysView {
    return {
      keys: this.#identity
        .listKeys({ account: ownAccount(caller) })
        .map((key) => ({ key_prefix: key.prefix, ...keyFacts(key) })),
    };
  }

  createKey(caller: Caller, { label, expires_in = ninetyDays }: CreateUserKeyBody): CreatedUserKeyView {
    const account = ownAccount(caller);
    refuse(textIssues({ label }));
    const made = this.#identity.createKey({ kind: 'user', account, label: label ?? null, expiresIn: expires_in });
    const expires = made.created_at + expires_in * 1000;
    return { key: made.key, key_prefix: made.prefix, expires_at: isoTime(expires) };
  }

  /** From then on the key is refused. @throws NotFoundError, ValidationError for a prefix that fits two keys */
  revokeKey(caller: Caller, prefix: string): void {
    this.#identity.revokeKey({ account: ownAccount(caller) }, prefix);
  }
}

function ownAccount(caller: Caller): string {
  requireUser(registered(caller), 'manage API keys', { credentials: true });
  if (caller.account === undefined) throw new UnauthorizedError();
  return caller.account;
}

/** Of accounts that were made before anything looked whether their id is free (new-user-id.ts). */
const taken =
  'Another entity, which is no user, has the id of your account on this network, so that you can have no user here: whoever runs the node has to give you another account, by another name at the identity provider.';

function existing(db: Reader, id: string): RegisteredUser | undefined {
  const standing = findStanding(db, id);
  if (standing?.type !== 'user') return undefined;
  const { cid, ver, manifest } = standing;
  return { id, cid, ver, properties: manifest.properties };
}
