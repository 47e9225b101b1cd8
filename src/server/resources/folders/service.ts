import { type Issue, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { applyUpdate } from '../../model/next-version.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, type Standing } from '../../store/entities.ts';
import { newEntityIssues, objectIssues, refuse, tooManyTargets } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites, type Prepared } from '../entities/writes.ts';
import { linked } from '../relationships/linked.ts';
import type { RelationshipBody } from '../wire.ts';
import { profiled, profileIssues } from './profile.ts';
import type { CreateFolderBody, FolderUpdatedView, FolderView, UpdateFolderBody } from './wire.ts';

/** Folders by themselves; what is in them is PairsService's. */
export class FoldersService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;

  constructor(writes: EntityWrites, entities: EntitiesService) {
    this.#writes = writes;
    this.#entities = entities;
  }

  /** With a parent that is one commit of both; the body states no tip of it, so that it is prepared again when it moved. */
  async create(caller: Caller, body: CreateFolderBody, validate: boolean): Promise<FolderView> {
    registered(caller);
    refuse([
      ...profileIssues(body),
      ...newEntityIssues(body, caller.network),
      ...(validate
        ? tooManyTargets(
            body.relationships?.map(({ peer }) => peer),
            ['relationships'],
          )
        : []),
    ]);
    const store = await this.#writes.store(caller);
    const prepare = (db: Reader): { steps: [Prepared, ...Prepared[]] } => {
      const parent = body.parent === undefined ? null : parentOf(db, caller, body.parent);
      return { steps: this.#new(db, caller, body, parent, validate) };
    };
    const write = () => this.#writes.write(store, prepare, true);
    const { steps } = await (body.parent === undefined ? write() : this.#writes.queued(store, body.parent, write));
    return wireManifest(steps[0].cid, steps[0].next) as FolderView;
  }

  #new(
    db: Reader,
    caller: Caller,
    body: CreateFolderBody,
    parent: Standing | null,
    validate: boolean,
  ): [Prepared, ...Prepared[]] {
    const folder = { id: this.#writes.env.newId(caller.network), type: 'folder', label: body.label };
    const wanted = {
      ...{ id: folder.id, type: folder.type, properties: profiled(body) },
      relationships: relationshipsOf(body, parent),
      ...collectionOf(body, parent),
      ...(body.note !== undefined && { note: body.note }),
    };
    const prepareNew = (): Prepared => {
      const prepared = this.#entities.prepareNew(db, caller, wanted, validate);
      if ('existing' in prepared) throw new Error(`the new id ${folder.id} exists`);
      return prepared;
    };
    if (!parent) return [prepareNew()];
    const stamp = this.#writes.stamp(registered(caller), body.note);
    const holder = applyUpdate(parent.manifest, parent.cid, linked('add', 'contains', [folder]), stamp);
    const permit = this.#writes.permit(db, caller, parent, holder);
    const locate = ({ message }: Issue) => ({ path: ['parent'], message });
    return [prepareNew(), this.#writes.settle(db, parent, holder, undefined, permit, { path: ['parent'], locate })];
  }

  /** The stored wire JSON. */
  read(caller: Caller, id: string): Promise<string | Uint8Array> {
    return this.#entities.read(caller, id, 'folder');
  }

  async update(caller: Caller, id: string, body: UpdateFolderBody, validate: boolean): Promise<FolderUpdatedView> {
    registered(caller);
    refuse([...profileIssues(body), ...objectIssues(body.properties, ['properties'])]);
    const { label: _l, description: _d, rich_description: _r, metadata: _m, ...change } = body;
    const options = { type: 'folder' };
    const properties = profiled(body);
    return (await this.#entities.change(
      caller,
      id,
      body.expect_tip,
      { ...change, properties },
      validate,
      options,
    )) as FolderUpdatedView;
  }
}

/** @throws ValidationError for what cannot be a parent */
function parentOf(db: Reader, caller: Caller, id: string): Standing {
  checkNetwork(caller.network, id, ['parent']);
  const parent = findStanding(db, id);
  if (!parent || parent.deleted || !['folder', 'collection'].includes(parent.type))
    throw ValidationError.at(['parent'], `there is no folder or collection ${id}`);
  return parent;
}

/** What the body names, and the parent behind it where it does not. */
function relationshipsOf({ relationships = [] }: CreateFolderBody, parent: Standing | null): RelationshipBody[] {
  if (!parent || relationships.some((r) => r.predicate === 'in' && r.peer === parent.id)) return relationships;
  return [...relationships, { predicate: 'in', peer: parent.id, peer_type: parent.type, peer_label: parent.label }];
}

/** Every folder carries the collection that owns it (interface.md, Folder profile): without one of its own, its parent's. */
function collectionOf(body: CreateFolderBody, parent: Standing | null): { collection?: string } {
  if (body.collection !== undefined) return { collection: body.collection };
  if (!parent || body.relationships?.some((r) => r.predicate === 'collection')) return {};
  const inherited = parent.type === 'collection' ? parent.id : parent.collection;
  return inherited === null ? {} : { collection: inherited };
}
