import { ConflictError, ValidationError } from '../../errors.ts';
import { accepted, type Caller, registered } from '../../model/caller.ts';
import { fromJson, jsonOf } from '../../model/from-json.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { applyUpdate } from '../../model/next-version.ts';
import { requireUser } from '../../model/permissions.ts';
import { previewOf } from '../../model/preview.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding } from '../../store/entities.ts';
import { parseFilter } from '../../store/listings/filter.ts';
import { type Listed, type ListedEntity, listEntities } from '../../store/listings/listings.ts';
import { newEntityIssues, refuse, tooManyTargets } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites, type Prepared } from '../entities/writes.ts';
import type { UsersService } from '../users/service.ts';
import type { ManifestView } from '../wire.ts';
import { CollectionAccessService } from './access-service.ts';
import { described, describedIssues, newCollection } from './content.ts';
import { CollectionFindService } from './find-service.ts';
import { findCollection, viewedCollection } from './lookup.ts';
import { grantedAt } from './members.ts';
import { initialRoleIssues } from './roles.ts';
import type {
  CollectionEntitiesView,
  CollectionEntryView,
  CollectionRootView,
  CollectionUpdatedView,
  CollectionView,
  CreateCollectionBody,
  SetRootBody,
  UpdateCollectionBody,
} from './wire.ts';

export interface CollectionsNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
  users: UsersService;
  engine: SearchEngine;
}

export interface ListingOptions {
  type?: string | undefined;
  filter?: string | undefined;
  limit: number;
  offset: number;
  expand?: 'preview' | 'full' | undefined;
}

/** What looks at more rows than this, or at nobody knows how many, is read on a thread of its own. */
const maxInLoop = 1000;
const tooLong = 'takes more than 10 seconds here: ask with fewer conditions, or for one type';
/** At most so many entities are expanded in one answer. */
const maxExpanded = 100;

/** Collections: their content, root and listing. */
export class CollectionsService {
  /** Their roles and members. */
  readonly access: CollectionAccessService;
  readonly find: CollectionFindService;
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #users: UsersService;

  constructor({ writes, entities, users, engine }: CollectionsNeeds) {
    this.access = new CollectionAccessService({ writes, entities });
    this.find = new CollectionFindService({ writes, entities, engine });
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
      ...initialRoleIssues(body),
      ...newEntityIssues(body, caller.network),
      ...(validate
        ? tooManyTargets(
            body.relationships?.map(({ peer }) => peer),
            ['relationships'],
          )
        : []),
    ]);
    requireUser(actor, 'create collections');
    const owner = await this.#users.present(caller);
    const store = await this.#writes.store(caller);
    const prepare = (db: Reader) => {
      const standing = body.id === undefined ? undefined : findStanding(db, body.id);
      // A replay must say what the first request said.
      const before = standing && grantedAt(standing.manifest.relationships, 'owner', owner.id);
      const wanted = newCollection(body, owner.id, before ?? this.#writes.env.now());
      try {
        return this.#entities.prepareNew(db, caller, wanted, validate);
      } catch (error) {
        throw error instanceof ConflictError ? exists(body.id) : error;
      }
    };
    const { created, manifest } = await this.#writes.created(store, prepare);
    return { created, collection: manifest as CollectionView };
  }

  /** The stored wire JSON. */
  read(caller: Caller, id: string): Promise<string | Uint8Array> {
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

  async setRoot(caller: Caller, id: string, { expect_tip, entity_id }: SetRootBody): Promise<CollectionRootView> {
    const actor = registered(caller);
    checkNetwork(caller.network, entity_id, ['entity_id']);
    const store = await this.#writes.store(caller);
    const prepare = (db: Reader): Prepared => {
      const base = findCollection(this.#writes, db, caller, id);
      const target = findStanding(db, entity_id);
      const root = { predicate: 'root', peer: entity_id, ...(target && { peer_type: target.type }) };
      const update = { relationships_remove: [{ predicate: 'root' }], relationships_add: [root] };
      const next = applyUpdate(base.manifest, base.cid, update, this.#writes.stamp(actor));
      const prepared = this.#writes.step(db, caller, base, next, expect_tip);
      const inside = target?.manifest.relationships.some((r) => r.predicate === 'collection' && r.peer === id);
      if (!inside) throw ValidationError.at(['entity_id'], 'must have a `collection` relationship to the collection');
      return prepared;
    };
    try {
      const { cid, next } = await this.#writes.writeOne(store, prepare);
      return wireManifest(cid, next) as CollectionRootView;
    } catch (error) {
      throw error instanceof ConflictError ? new ConflictError(expect_tip, error.actual) : error;
    }
  }

  /**
   * A page; a long one as the text that a reader thread made of it (architecture.md, Reads). With expansion a page has at
   * most 100 entities, and says so.
   */
  async list(caller: Caller, id: string, options: ListingOptions): Promise<CollectionEntitiesView | Uint8Array> {
    accepted(caller);
    const { offset, expand } = options;
    // Orchestrators send it empty where they mean all of them (processors.md 4.4).
    const type = options.type || undefined;
    const filter = options.filter ? parseFilter(options.filter, ['filter']) : undefined;
    const limit = expand === undefined ? options.limit : Math.min(options.limit, maxExpanded);
    const store = await this.#writes.store(caller);
    const query = { collection: id, type, filter, limit, offset, expand: expand !== undefined };
    const isShort = offset + limit <= maxInLoop && type === undefined && filter === undefined;
    const read = store.read((db) => {
      viewedCollection({ writes: this.#writes, entities: this.#entities }, db, caller, id);
      return isShort ? listEntities(db, query) : null;
    });
    if (read === null && expand === undefined && !filter) return store.readLong('listing', query, caller);
    const page = read ?? (jsonOf(await store.readLong('listed', query, caller)) as Listed);
    if (page.late) throw ValidationError.at(['filter'], tooLong);
    return {
      collection_id: id,
      entities: page.entities.map((entity) => this.#entry(entity, expand)),
      pagination: { offset, limit, count: page.entities.length, has_more: page.more },
    };
  }

  #entry({ json, ...row }: ListedEntity, expand: ListingOptions['expand']): CollectionEntryView {
    const entry = { pi: row.id, ...row };
    if (expand === undefined) return entry;
    const entity = fromJson(json) as ManifestView;
    if (expand === 'full') return { ...entry, entity };
    const first = entity.relationships.find((r) => r.predicate === 'collection');
    return {
      ...entry,
      preview: previewOf({ ...row, collection: first?.peer ?? null }, entity.properties as JsonObject),
    };
  }
}

function exists(id: string | undefined): ValidationError {
  return ValidationError.at(['id'], `there is an entity ${id ?? ''} already`);
}
