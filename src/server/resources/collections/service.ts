import { ConflictError, type Issue, NotFoundError, ValidationError } from '../../errors.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { accepted, type Caller, registered } from '../../model/caller.ts';
import { networkOf } from '../../model/ids.ts';
import { jsonIssues } from '../../model/json-value.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { applyUpdate, type Update } from '../../model/merge.ts';
import { requireUser } from '../../model/permissions.ts';
import { accessOf, roleEntries, rolesOf } from '../../model/roles.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, isKnownTarget, peerFacts, type Standing } from '../../store/entities.ts';
import { parseFilter } from '../../store/filter.ts';
import { type ListedEntity, listEntities } from '../../store/listings.ts';
import { refuse } from '../entities/body.ts';
import { previewOf } from '../entities/preview.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { UsersService } from '../users/service.ts';
import type { JsonMap, ManifestView, RelationshipBody } from '../wire.ts';
import { memberList, membership } from './members.ts';
import { completedRole, initialRoleIssues, initialRoles, roleBodyIssues } from './roles.ts';
import type {
  AccessVersion,
  AddMemberBody,
  CollectionEntitiesView,
  CollectionEntryView,
  CollectionRootView,
  CollectionUpdatedView,
  CollectionView,
  CreateCollectionBody,
  CreateRoleBody,
  MemberAddedView,
  MemberRemovedView,
  MembersView,
  RolesChangedView,
  RolesView,
  SetRootBody,
  UpdateCollectionBody,
} from './wire.ts';

export interface CollectionsNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  users: UsersService;
}

export interface ListingOptions {
  type?: string | undefined;
  filter?: string | undefined;
  limit: number;
  offset: number;
  expand?: 'preview' | 'full' | undefined;
}

/** At most so many entities are expanded in one answer. */
const maxExpanded = 100;
const memberTypes = ['user', 'agent', 'klados', 'group'];

/** Collections: their roles, members, root and listing. What they allow is for model/guards.ts to say. */
export class CollectionsService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #users: UsersService;

  constructor({ writes, entities, users }: CollectionsNeeds) {
    this.#writes = writes;
    this.#entities = entities;
    this.#users = users;
  }

  /** The creator becomes the owner. `created` is false for an exact replay of a request with `id`. */
  async create(
    caller: Caller,
    body: CreateCollectionBody,
    validate: boolean,
  ): Promise<{ created: boolean; collection: CollectionView }> {
    const actor = registered(caller);
    refuse([
      ...describedIssues(body),
      ...initialRoleIssues(body.roles),
      ...jsonIssues(body.note ?? '', ['note']),
      ...jsonIssues(body.properties ?? {}, ['properties']),
      ...jsonIssues(body.relationships ?? [], ['relationships']),
    ]);
    requireUser(actor, 'create collections');
    const owner = await this.#users.present(caller);
    const store = await this.#writes.store(caller);
    const prepared = store.read((db) => {
      const standing = body.id === undefined ? undefined : findStanding(db, body.id);
      // A replay must say what the first request said.
      const at = standing ? Date.parse(standing.created_at) : this.#writes.env.now();
      const wanted = newCollection(body, owner.id, at);
      try {
        return this.#entities.prepareNew(db, caller, wanted, validate);
      } catch (error) {
        throw error instanceof ConflictError ? exists(body.id) : error;
      }
    });
    if ('existing' in prepared) return { created: false, collection: prepared.existing as CollectionView };
    try {
      await this.#writes.commit(store, [prepared]);
    } catch (error) {
      throw error instanceof ConflictError ? exists(body.id) : error;
    }
    return { created: true, collection: wireManifest(prepared.cid, prepared.next) as CollectionView };
  }

  /** The stored wire JSON. */
  read(caller: Caller, id: string): Promise<string> {
    return this.#entities.read(caller, id, 'collection');
  }

  async update(
    caller: Caller,
    id: string,
    { label, description, display_image_url, ...body }: UpdateCollectionBody,
    validate: boolean,
  ): Promise<CollectionUpdatedView> {
    registered(caller);
    refuse(describedIssues({ label, description, display_image_url }));
    const properties = { ...body.properties, ...described({ label, description, display_image_url }) };
    const change = { ...body, properties };
    const options = { type: 'collection' };
    return (await this.#entities.change(
      caller,
      id,
      body.expect_tip,
      change,
      validate,
      options,
    )) as CollectionUpdatedView;
  }

  addRole(caller: Caller, id: string, { role, actions }: CreateRoleBody): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, roleBodyIssues(role, actions), (current) => {
      const exists = Object.hasOwn(roleEntries(current), role);
      return {
        update: { properties: { roles: { [role]: completedRole(role, actions) } } },
        issues: exists ? [{ path: ['role'], message: `there is a role ${role} already` }] : [],
      };
    });
  }

  setRole(caller: Caller, id: string, role: string, actions: string[]): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, roleBodyIssues(role, actions), (current) => {
      if (!Object.hasOwn(roleEntries(current), role)) throw new NotFoundError('Role not found');
      return { update: { properties: { roles: { [role]: completedRole(role, actions) } } }, issues: [] };
    });
  }

  /** The role's members go with it. */
  removeRole(caller: Caller, id: string, role: string): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, [], (current) => {
      if (!Object.hasOwn(roleEntries(current), role)) throw new NotFoundError('Role not found');
      const members = rolesOf(current).has(role) ? [{ predicate: role }] : [];
      return { update: { properties_remove: { roles: [role] }, relationships_remove: members }, issues: [] };
    });
  }

  async #changeRoles(
    caller: Caller,
    id: string,
    bodyIssues: Issue[],
    plan: (current: Manifest) => { update: Update; issues: Issue[] },
  ): Promise<RolesChangedView> {
    const { version, next } = await this.#manage(caller, id, bodyIssues, (_db, base) => plan(base.manifest));
    return { ...version, roles: roleEntries(next) as RolesView };
  }

  async members(caller: Caller, id: string, includeExpired: boolean): Promise<MembersView> {
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const { manifest } = this.#viewed(db, caller, id);
      const labelOf = (peer: string) => peerFacts(db, peer)?.label;
      return memberList(id, accessOf(manifest), { nowMs: this.#writes.env.now(), includeExpired, labelOf });
    });
  }

  async addMember(caller: Caller, id: string, { user_id, role, expires_in }: AddMemberBody): Promise<MemberAddedView> {
    const by = grantor(registered(caller));
    const at = this.#writes.env.now();
    const expires = expires_in === undefined ? undefined : at + expires_in * 1000;
    const otherNetwork = networkOf(user_id) === caller.network ? [] : [notOn(caller, 'user_id')];
    const { version } = await this.#manage(caller, id, otherNetwork, (db, { manifest }) => {
      const known = peerFacts(db, user_id);
      const here = isKnownTarget(db, user_id) && memberTypes.includes(known?.type ?? 'user');
      return {
        update: {
          relationships_add: [membership({ role, peer: user_id, peerType: known?.type ?? 'user', by, at, expires })],
        },
        issues: [
          ...(rolesOf(manifest).has(role) ? [] : [{ path: ['role'], message: `there is no role ${role}` }]),
          ...(here ? [] : [{ path: ['user_id'], message: `there is no user ${user_id}` }]),
        ],
      };
    });
    return {
      ...version,
      member_added: {
        user_id,
        role,
        ...(expires === undefined ? {} : { expires_at: new Date(expires).toISOString() }),
        granted_at: new Date(at).toISOString(),
        granted_by: by,
      },
    };
  }

  async removeMember(caller: Caller, id: string, userId: string, role: string): Promise<MemberRemovedView> {
    const { version } = await this.#manage(caller, id, [], (_db, { manifest }) => {
      const member = accessOf(manifest).members.some((m) => m.role === role && m.peer === userId);
      if (!member) throw new NotFoundError('Member not found');
      return { update: { relationships_remove: [{ predicate: role, peer: userId }] }, issues: [] };
    });
    return { ...version, member_removed: { user_id: userId, role } };
  }

  /** A change of roles or members: queued, so it never conflicts; checked in the order of decisions.md. */
  async #manage(
    caller: Caller,
    id: string,
    bodyIssues: Issue[],
    plan: (db: Reader, base: Standing) => { update: Update; issues: Issue[] },
  ): Promise<{ version: AccessVersion; next: Manifest }> {
    const actor = registered(caller);
    refuse(bodyIssues);
    const store = await this.#writes.store(caller);
    return this.#writes.queued(store, id, async () => {
      const step = store.read((db) => {
        const base = this.#collection(db, caller, id);
        this.#writes.env.permissions.require(db, actor, 'collection:manage', base);
        if (base.deleted) throw ValidationError.at(['id'], 'the entity is deleted');
        const { update, issues } = plan(db, base);
        refuse(issues);
        const next = applyUpdate(base.manifest, base.cid, update, this.#writes.stamp(actor));
        return this.#writes.step(db, caller, base, next, undefined);
      });
      await this.#writes.commit(store, [step]);
      const { cid, next } = step;
      return { version: { id, cid, prev_cid: next.prev ?? '', ver: next.ver }, next };
    });
  }

  async setRoot(caller: Caller, id: string, { expect_tip, entity_id }: SetRootBody): Promise<CollectionRootView> {
    const actor = registered(caller);
    if (networkOf(entity_id) !== caller.network) refuse([notOn(caller, 'entity_id')]);
    const store = await this.#writes.store(caller);
    const step = store.read((db) => {
      const base = this.#collection(db, caller, id);
      const target = findStanding(db, entity_id);
      const root = { predicate: 'root', peer: entity_id, ...(target && { peer_type: target.type }) };
      const update = { relationships_remove: [{ predicate: 'root' }], relationships_add: [root] };
      const next = applyUpdate(base.manifest, base.cid, update, this.#writes.stamp(actor));
      const prepared = this.#writes.step(db, caller, base, next, expect_tip);
      const inside = target?.manifest.relationships.some((r) => r.predicate === 'collection' && r.peer === id);
      if (!inside) throw ValidationError.at(['entity_id'], 'must have a `collection` relationship to the collection');
      return prepared;
    });
    try {
      await this.#writes.commit(store, [step]);
    } catch (error) {
      throw error instanceof ConflictError ? new ConflictError(expect_tip, error.actual) : error;
    }
    return wireManifest(step.cid, step.next) as CollectionRootView;
  }

  /** With expansion a page has at most 100 entities, and says so. */
  async list(caller: Caller, id: string, options: ListingOptions): Promise<CollectionEntitiesView> {
    accepted(caller);
    const { type, offset, expand } = options;
    const filter = options.filter === undefined ? undefined : parseFilter(options.filter, ['filter']);
    const limit = expand === undefined ? options.limit : Math.min(options.limit, maxExpanded);
    const store = await this.#writes.store(caller);
    const page = store.read((db) => {
      this.#viewed(db, caller, id);
      return listEntities(db, { collection: id, type, filter, limit, offset, expand: expand !== undefined });
    });
    return {
      collection_id: id,
      entities: page.entities.map((entity) => this.#entry(entity, expand)),
      pagination: { offset, limit, count: page.entities.length, has_more: page.more },
    };
  }

  #entry({ json, ...row }: ListedEntity, expand: ListingOptions['expand']): CollectionEntryView {
    const entry = { pi: row.id, ...row };
    if (expand === undefined) return entry;
    const entity = JSON.parse(json) as ManifestView;
    if (expand === 'full') return { ...entry, entity };
    const first = entity.relationships.find((r) => r.predicate === 'collection');
    return {
      ...entry,
      preview: previewOf({ ...row, collection: first?.peer ?? null }, entity.properties as JsonObject),
    };
  }

  #collection(db: Reader, caller: Caller, id: string): Standing {
    const base = this.#writes.standing(db, caller.network, id);
    if (base.type !== 'collection') throw new NotFoundError();
    return base;
  }

  #viewed(db: Reader, caller: Caller, id: string): Standing {
    const { type } = this.#collection(db, caller, id);
    this.#writes.env.permissions.require(db, accepted(caller), 'collection:view', { id, type, collection: id });
    return this.#entities.viewed(db, caller, id);
  }
}

/** Who gives a membership: the user, also where a service account acts for it. */
function grantor(actor: RegisteredActor): string {
  return actor.kind === 'service' && actor.onBehalfOf ? actor.onBehalfOf.id : actor.id;
}

function exists(id: string | undefined): ValidationError {
  return ValidationError.at(['id'], `there is an entity ${id ?? ''} already`);
}

function notOn({ network }: Caller, name: string): Issue {
  return { path: [name], message: `is not an id of the ${network} network` };
}

type Described = Partial<Pick<CreateCollectionBody, 'label' | 'description' | 'display_image_url'>>;

/** The members of a body that are properties of the collection. */
function described(body: { [K in keyof Described]: Described[K] | undefined }): JsonMap {
  const { label, description, display_image_url } = body;
  return {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(display_image_url !== undefined && { display_image_url }),
  };
}

function describedIssues(body: { [K in keyof Described]: Described[K] | undefined }): Issue[] {
  const url = body.display_image_url;
  return [
    ...Object.entries(described(body)).flatMap(([name, text]) => jsonIssues(text, [name])),
    ...(url === undefined || URL.canParse(url) ? [] : [{ path: ['display_image_url'], message: 'must be a URI' }]),
  ];
}

/** A new collection's content: its roles, and the creator's membership behind what was given. */
function newCollection(body: CreateCollectionBody, creator: string, at: number) {
  const roles = initialRoles(body.roles, body.use_roles_default ?? true);
  const { properties_remove: _, ...owner } = membership({
    ...{ role: 'owner', peer: creator, peerType: 'user', by: creator, at },
  });
  const isOwner = (r: RelationshipBody) => r.predicate === owner.predicate && r.peer === owner.peer;
  const given = body.relationships ?? [];
  const relationships = given.map((r) => (isOwner(r) ? owner : r));
  if (Object.hasOwn(roles, 'owner') && !given.some(isOwner)) relationships.push(owner);
  return {
    type: 'collection',
    properties: { ...body.properties, ...described(body), roles },
    relationships,
    ...(body.id === undefined ? {} : { id: body.id }),
    ...(body.note === undefined ? {} : { note: body.note }),
  };
}
