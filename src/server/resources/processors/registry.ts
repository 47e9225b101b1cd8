import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { isObject, present } from '../../model/objects.ts';
import { mergeObject, type Removal, removeMembers } from '../../model/properties.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import { findEntity } from '../../store/entities.ts';
import { objectIssues, refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
import type { CasUpdateBody, EntityId, JsonMap, RelationshipBody } from '../wire.ts';

export type ProcessorType = 'agent' | 'klados' | 'rhiza';

/** What a creation takes beside the members of its type. */
export interface NewProcessor {
  collection: EntityId;
  note?: string | undefined;
  id?: EntityId | undefined;
  properties?: JsonMap | undefined;
  relationships?: RelationshipBody[] | undefined;
}

/** Members of a body that are properties; those that are undefined were not sent. */
export type TypedMembers = { [name: string]: unknown };

export interface RegistryNeeds {
  writes: EntityWrites;
  entities: EntitiesService;
}

/** Creates, reads and changes agents, kladoi and rhizai, whose members stand at the root of a body and are properties. */
export class Registry {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;

  constructor({ writes, entities }: RegistryNeeds) {
    this.#writes = writes;
    this.#entities = entities;
  }

  /** `created` is false for an exact replay of a request with `id`. @throws NotFoundError for an unknown collection */
  async create(
    caller: Caller,
    type: ProcessorType,
    { collection, note, id, properties, relationships }: NewProcessor,
    members: TypedMembers,
  ): Promise<{ created: boolean; manifest: WireManifest }> {
    registered(caller);
    const typed = present(members);
    refuse(objectIssues(typed, []));
    const wanted = {
      type,
      collection,
      properties: { ...properties, ...typed, status: 'development' },
      ...(note !== undefined && { note }),
      ...(id !== undefined && { id }),
      ...(relationships && { relationships }),
    };
    checkNetwork(caller.network, collection, ['collection']);
    const store = await this.#writes.store(caller);
    const home = store.look((db) => findEntity(db, collection));
    if (home?.type !== 'collection' || home.deleted) throw NotFoundError.of('There is no such collection');
    try {
      return await this.#entities.create(caller, wanted, 'always');
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      throw ValidationError.at(['id'], `there is an entity ${id ?? ''} already`);
    }
  }

  /** The stored wire JSON. */
  read(caller: Caller, id: string, type: ProcessorType): Promise<string | Uint8Array> {
    return this.#entities.read(caller, id, type);
  }

  /** The members that are given replace what stands there, whole (decisions.md, One body, two instructions). */
  async update(
    caller: Caller,
    id: string,
    type: ProcessorType,
    body: CasUpdateBody,
    members: TypedMembers,
  ): Promise<WireManifest> {
    registered(caller);
    const typed = present(members);
    refuse(objectIssues(typed, []));
    return this.#entities.change(caller, id, body.expect_tip, body, 'always', {
      type,
      adapt: (current) => replacing(body, typed, current),
    });
  }
}

/** The update with the members in it. Another endpoint takes its verification and its status along (wire-contract.md, N29). */
function replacing(body: CasUpdateBody, typed: JsonMap, current: Manifest): CasUpdateBody {
  const before = current.properties;
  const moved = typed.endpoint !== undefined && typed.endpoint !== before.endpoint;
  const gone = Object.keys(typed).filter((name) => isObject(before[name]));
  if (moved && Object.hasOwn(before, 'endpoint_verified_at')) gone.push('endpoint_verified_at');
  const properties = { ...body.properties, ...typed, ...(moved && { status: statusOfMoved(typed.status) }) };
  if (gone.length === 0) return { ...body, properties };
  const removal = body.properties_remove ?? [];
  if (Array.isArray(removal)) return { ...body, properties, properties_remove: [...removal, ...gone] };
  // What lies further down cannot be named beside whole members: these go as well, and what the removal leaves comes back.
  const left = Object.entries(removeMembers(before, removal as Removal));
  const kept = left.filter(([name, value]) => Object.hasOwn(removal, name) && isObject(value) && !gone.includes(name));
  const below = kept.map(([name]) => name);
  const put = mergeObject(Object.fromEntries(kept), properties as JsonObject);
  return { ...body, properties: put, properties_remove: [...below, ...gone] };
}

/** Only what is active goes back: a form sends the status along that it has read. A status that is none is refused later. */
function statusOfMoved(wanted: unknown): unknown {
  return wanted === undefined || wanted === 'active' ? 'development' : wanted;
}
