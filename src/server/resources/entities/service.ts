import { ConflictError, type Issue, NotFoundError, ValidationError } from '../../errors.ts';
import { actionFor } from '../../model/actions.ts';
import type { RegisteredActor } from '../../model/actor.ts';
import { accepted, type Caller, registered } from '../../model/caller.ts';
import { maxOnLoop } from '../../model/large.ts';
import {
  collectionsOf,
  type JsonObject,
  type Manifest,
  type Relationship,
  relationshipKey,
} from '../../model/manifest.ts';
import { applyUpdate, firstVersion, restored, tombstone } from '../../model/next-version.ts';
import { previewOf } from '../../model/preview.ts';
import { equalJson } from '../../model/properties.ts';
import { storedRelationship } from '../../model/relationships.ts';
import { type WireManifest, wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import {
  type EntityRow,
  findEntity,
  findStanding,
  findStored,
  findTip,
  type Standing,
  withManifest,
} from '../../store/entities.ts';
import { lastHere } from '../../store/last-here.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { lastLive, versionByKey } from '../../store/versions.ts';
import type { StepOptions } from '../permissions/service.ts';
import type { CasUpdateBody, PreviewView, RelationshipBody } from '../wire.ts';
import {
  createdRelationships,
  newEntityIssues,
  predicateIssues,
  refuse,
  targetIssues,
  textIssues,
  tooManyTargets,
  toUpdate,
  updateIssues,
  type Validation,
  withPeerTypes,
} from './body.ts';
import { gone } from './gone.ts';
import { ofCreation, ofUpdate } from './issue-place.ts';
import type { CreateEntityBody, DeletedView, DeleteEntityBody, UpdateEntityBody } from './wire.ts';
import { checkNetwork, type EntityWrites, type Prepared } from './writes.ts';

/** What a creation needs to be, whatever endpoint it came through. */
export type NewEntity = Omit<CreateEntityBody, 'sync_index'>;

/** Reads and compare-and-swap writes of single entities. */
export class EntitiesService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** The stored wire JSON of the current version; `type` where the endpoint is for one type only. */
  async read(caller: Caller, id: string, type?: string): Promise<string | Uint8Array> {
    const actor = accepted(caller);
    const store = await this.#writes.store(caller);
    const row = store.look((db) => findStored(db, id, maxOnLoop));
    if (!row || (type !== undefined && row.type !== type)) {
      checkNetwork(caller.network, id, ['id']);
      throw new NotFoundError();
    }
    store.look((db) => this.#writes.env.permissions.require(db, actor, `${type ?? 'entity'}:view`, { id, ...row }));
    if (row.json !== null) return row.json;
    const long = row.size === null ? null : await store.readLong('storedJson', { id }, caller);
    if (long === null || long.length === 0) throw gone(store.read((db) => findEntity(db, id)));
    return long;
  }

  /** Waits for the search index where the body asks for it (wire-contract.md, `sync_index`). */
  async #passed(store: NetworkStore, { sync_index }: { sync_index?: boolean | null }): Promise<void> {
    if (sync_index === true) await this.#writes.env.passed(store);
  }

  /** An entity that the caller may view, deleted or not. */
  known(db: Reader, caller: Caller, id: string): Standing {
    const standing = this.#writes.standing(db, caller.network, id);
    this.#writes.env.permissions.require(db, accepted(caller), 'entity:view', standing);
    return standing;
  }

  /** A live one. */
  viewed(db: Reader, caller: Caller, id: string): Standing {
    const standing = this.known(db, caller, id);
    if (standing.deleted) throw gone(standing);
    return standing;
  }

  /** The same without its manifest; `type` where only one type is meant. */
  viewedRow(db: Reader, caller: Caller, id: string, type?: string): EntityRow {
    checkNetwork(caller.network, id, ['id']);
    const row = findEntity(db, id);
    if (!row) throw new NotFoundError();
    this.#writes.env.permissions.require(db, accepted(caller), 'entity:view', row);
    if (row.deleted) throw gone(row);
    if (type !== undefined && row.type !== type) throw new NotFoundError();
    return row;
  }

  async preview(caller: Caller, id: string): Promise<PreviewView> {
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const standing = this.viewed(db, caller, id);
      return previewOf(standing, standing.manifest.properties);
    });
  }

  /** What a live entity is called and where it lies, without a look at its manifest. */
  async facts(caller: Caller, id: string): Promise<Pick<EntityRow, 'id' | 'type' | 'label' | 'collection'>> {
    const store = await this.#writes.store(caller);
    return store.read((db) => this.viewedRow(db, caller, id));
  }

  /** No permission check, no manifest read: it answers for deleted entities too (wire-contract.md 1.10). */
  async tip(caller: Caller, id: string): Promise<{ id: string; cid: string }> {
    const store = await this.#writes.store(caller);
    const cid = store.look((db) => findTip(db, id));
    if (cid === undefined) {
      checkNetwork(caller.network, id, ['id']);
      throw new NotFoundError();
    }
    return { id, cid };
  }

  /** `created` is false where the same request has been answered before (decisions.md, custom `id` that exists). */
  async create(
    caller: Caller,
    body: CreateEntityBody,
    validate: Validation,
  ): Promise<{ created: boolean; manifest: WireManifest }> {
    registered(caller);
    refuse([...textIssues({ type: body.type }), ...newEntityIssues(body, caller.network)]);
    if (validate) refuse(tooManyTargets(body.relationships?.map(targetOf), ['relationships'], validate));
    const store = await this.#writes.store(caller);
    const result = await this.#writes.created(store, (db) => this.prepareNew(db, caller, body, validate));
    if (result.created) await this.#passed(store, body);
    return result;
  }

  /** Everything of a creation before its commit; an exact replay gives the entity that is there. */
  prepareNew(db: Reader, caller: Caller, body: NewEntity, validate: Validation): Prepared | { existing: WireManifest } {
    const { env } = this.#writes;
    const id = body.id ?? env.newId(caller.network);
    checkNetwork(caller.network, id, ['id']);
    const version = (given: RelationshipBody[] | undefined): Manifest =>
      firstVersion(
        {
          id,
          type: body.type,
          properties: (body.properties ?? {}) as JsonObject,
          relationships: createdRelationships(given, body.collection),
        },
        this.#writes.stamp(registered(caller), body.note),
      );
    const standing = body.id === undefined ? undefined : findStanding(db, id);
    const existing = standing && replayed(standing, this.#signed(db, caller, version(body.relationships)));
    if (existing) return { existing };
    const next = version(withPeerTypes(db, body.relationships));
    if (body.collection !== undefined) this.#requireCollection(db, caller, body.collection);
    const options = { newId: body.id === undefined };
    const issues = env.permissions.allow(db, registered(caller), { entity: null, base: null, next, options });
    if (standing) throw new ConflictError('', standing.cid);
    refuse(issues.map(ofCreation(next, body)));
    refuse(predicateIssues(next, body.relationships, ['relationships']));
    if (validate) refuse(targetIssues(db, caller.network, id, body.relationships, ['relationships']));
    return this.#writes.prepareFirst(db, registered(caller), next);
  }

  /** As it would be written: in a mirror the operator is the remote's user. */
  #signed(db: Reader, caller: Caller, next: Manifest): Manifest {
    const [collection = null] = collectionsOf(next);
    const place = { id: next.id, type: next.type, collection };
    const user_id = this.#writes.env.permissions.remoteUser(db, registered(caller), place);
    return user_id === null ? next : { ...next, edited_by: { ...next.edited_by, user_id } };
  }

  #requireCollection(db: Reader, caller: Caller, id: string): void {
    checkNetwork(caller.network, id, ['collection']);
    const row = findEntity(db, id);
    if (row?.type !== 'collection' || row.deleted)
      throw ValidationError.at(['collection'], `there is no collection ${id}`);
  }

  async update(caller: Caller, id: string, body: UpdateEntityBody, validate: Validation): Promise<WireManifest> {
    const updated = await this.change(caller, id, body.expect_tip, body, validate);
    await this.#passed(await this.#writes.store(caller), body);
    return updated;
  }

  /**
   * An update through any of the endpoints that take the CAS body. `adapt` turns the body into what the type means by
   * it, given the current version; `issues` says what is wrong with that; `type` is what the endpoint is for.
   */
  async change(
    caller: Caller,
    id: string,
    expected: string,
    body: CasUpdateBody,
    validate: Validation,
    options: {
      type?: string;
      adapt?: (current: Manifest) => CasUpdateBody;
      issues?: (current: Manifest) => Issue[];
      step?: StepOptions;
    } = {},
  ): Promise<WireManifest> {
    const actor = registered(caller);
    refuse(updateIssues(body, caller.network));
    if (validate) refuse(tooManyTargets(body.relationships_add?.map(targetOf), ['relationships_add'], validate));
    const store = await this.#writes.store(caller);
    return this.#committed(store, expected, (db) => {
      const row = this.#writes.row(db, caller.network, id);
      if (options.type !== undefined && row.type !== options.type) throw new NotFoundError();
      if (row.cid !== expected && this.#isLateOnly(db, actor, row, body)) throw new ConflictError(expected, row.cid);
      const base = withManifest(db, row);
      const given = options.adapt ? options.adapt(base.manifest) : body;
      const update = { ...given, relationships_add: withPeerTypes(db, given.relationships_add) };
      const next = applyUpdate(base.manifest, base.cid, toUpdate(update), this.#writes.stamp(actor, body.note));
      const locate = ofUpdate(next, body);
      const prepared = this.#writes.step(db, caller, base, next, expected, { locate, ...options.step });
      refuse(options.issues?.(base.manifest) ?? []);
      this.#checkRelationships(db, caller, next, body.relationships_add, validate);
      return prepared;
    });
  }

  /**
   * Whether an update from another version than the tip can be refused for that alone, without working out what it would
   * make: `entity:update` is all that it needs where its type has no rules of its own, and no collection is entered or left.
   */
  #isLateOnly(db: Reader, actor: RegisteredActor, row: EntityRow, body: CasUpdateBody): boolean {
    const action = actionFor(row.type, 'update');
    if (action !== 'entity:update' || body.relationships_add || body.relationships_remove) return false;
    return this.#writes.env.permissions.may(db, actor, action, row);
  }

  #checkRelationships(
    db: Reader,
    caller: Caller,
    next: Manifest,
    added: RelationshipBody[] | undefined,
    validate: Validation,
  ): void {
    refuse(predicateIssues(next, added, ['relationships_add']));
    if (validate) refuse(targetIssues(db, caller.network, next.id, added, ['relationships_add']));
  }

  /** Prepares and commits one step; a conflict names the tip that the client stated. */
  async #committed(store: NetworkStore, expected: string, step: (db: Reader) => Prepared): Promise<WireManifest> {
    const { cid, next } = await this.#writtenStep(store, expected, step);
    return wireManifest(cid, next);
  }

  async #writtenStep(store: NetworkStore, expected: string, step: (db: Reader) => Prepared): Promise<Prepared> {
    try {
      return await this.#writes.writeOne(store, step);
    } catch (error) {
      const isOther = error instanceof ConflictError && error.expected !== expected;
      throw isOther ? new ConflictError(expected, error.actual) : error;
    }
  }

  async remove(caller: Caller, id: string, body: DeleteEntityBody): Promise<DeletedView> {
    const actor = registered(caller);
    refuse(textIssues({ note: body.note, reason: body.reason }));
    const store = await this.#writes.store(caller);
    const step = await this.#writtenStep(store, body.expect_tip, (db) => {
      const base = this.#writes.standing(db, caller.network, id);
      const grave = tombstone(base.manifest, base.cid, body.reason, this.#writes.stamp(actor, body.note));
      return this.#writes.step(db, caller, base, grave, body.expect_tip);
    });
    await this.#passed(store, body);
    return deletedView(step);
  }

  async restore(
    caller: Caller,
    id: string,
    body: { expect_tip: string; note?: string },
  ): Promise<WireManifest & { restored_from_ver: number }> {
    const actor = registered(caller);
    refuse(textIssues({ note: body.note }));
    const store = await this.#writes.store(caller);
    let from = 0;
    const manifest = await this.#committed(store, body.expect_tip, (db) => {
      const base = this.#writes.standing(db, caller.network, id);
      const back = (base.deleted ? lastHere(db, base, base.manifest) : versionByKey(db, base.tip))?.manifest;
      if (!back) throw ValidationError.at(['id'], 'no version before the deletion is on this node');
      const next = restored(back, base.manifest, base.cid, this.#writes.stamp(actor, body.note));
      from = back.ver;
      // Where its tombstone lies elsewhere than it did, it goes back there as if it was moved.
      const below = lastLive(db, base.manifest)?.manifest ?? back;
      const last = equalJson(collectionsOf(back), collectionsOf(below)) ? back : below;
      return this.#writes.step(db, caller, base, next, body.expect_tip, { last, state: 'deleted' });
    });
    return { ...manifest, restored_from_ver: from };
  }
}

const targetOf = ({ peer }: RelationshipBody): string => peer;

export function deletedView({ cid, next }: Prepared): DeletedView {
  return { id: next.id, cid, deleted_at: next.ts, ver: next.ver, prev_cid: next.prev ?? '' };
}

/** What is there already, where it is what the same request made (decisions.md, custom `id` that exists). */
function replayed(standing: Standing, next: Manifest): WireManifest | undefined {
  return isReplay(standing, next) ? wireManifest(standing.cid, standing.manifest) : undefined;
}

/** `next` as it was sent: types of peers that it does not say may have been added to what is there. */
function isReplay(standing: Standing, next: Manifest): boolean {
  const untyped = new Set(next.relationships.filter((r) => r.peer_type === undefined).map(relationshipKey));
  const asSent = ({ peer_type, ...r }: Relationship): Relationship =>
    storedRelationship(peer_type === undefined || untyped.has(relationshipKey(r)) ? r : { ...r, peer_type });
  const content = (m: Manifest) =>
    ({ ...m, ts: '', created_at: '', relationships: m.relationships.map(asSent) }) as unknown as JsonObject;
  return standing.ver === 1 && equalJson(content(standing.manifest), content(next));
}
