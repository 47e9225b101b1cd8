import { ConflictError, ValidationError } from '../../../errors.ts';
import { actionFor } from '../../../model/actions.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { type JsonObject, labelOf, type Manifest, type Relationship } from '../../../model/manifest.ts';
import type { Stamp } from '../../../model/next-version.ts';
import type { Reader } from '../../../store/connection.ts';
import { type ConflictRow, countConflicts, listConflicts } from '../../../store/remotes/conflict-rows.ts';
import { findVersion, lastLive } from '../../../store/versions.ts';
import {
  commitResolution,
  type OpenConflict,
  openConflict,
  type Resolution,
  resolved,
} from '../../../sync/conflicts.ts';
import {
  objectIssues,
  predicateIssues,
  refuse,
  relationshipIssues,
  textIssues,
  withPeerTypes,
} from '../../entities/body.ts';
import { checkNetwork, type EntityWrites } from '../../entities/writes.ts';
import type {
  ConflictEntryView,
  ConflictsView,
  OpenConflictView,
  ResolveBody,
  ResolvedView,
  SideView,
} from './wire.ts';

/** What was changed here and at a remote, and its decision by a person (decisions.md, Sync). */
export class ConflictsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  async list(caller: Caller, limit: number): Promise<ConflictsView> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return store.read((db) => ({
      conflicts: listConflicts(db, limit).map((row) => entryView(row, labelThere(db, row))),
      total: countConflicts(db),
    }));
  }

  async read(caller: Caller, id: string, remote?: string): Promise<OpenConflictView> {
    operator(caller);
    checkNetwork(caller.network, id, ['id']);
    const store = await this.#writes.store(caller);
    return view(store.read((db) => openConflict(db, id, remote)));
  }

  /**
   * Makes one version that says what was decided. What it says is checked like any local write.
   * @throws ConflictError where a side has moved since it was looked at
   */
  async resolve(caller: Caller, id: string, remote: string | undefined, body: ResolveBody): Promise<ResolvedView> {
    const actor = operator(caller);
    refuse(bodyIssues(body));
    checkNetwork(caller.network, id, ['id']);
    const store = await this.#writes.store(caller);
    const { next, cid, commit } = store.read((db) => {
      const conflict = openConflict(db, id, remote);
      if (body.expect_tip !== undefined && body.expect_tip !== conflict.oursCid)
        throw new ConflictError(body.expect_tip, conflict.oursCid);
      if (body.expect_theirs !== undefined && body.expect_theirs !== conflict.sides.theirsCid)
        throw new ConflictError(body.expect_theirs, conflict.sides.theirsCid);
      // Where nobody writes here theirs can but be taken as it is.
      conflict.returns &&= this.#mayWrite(db, caller, conflict);
      const resolution = resolutionOf(db, body);
      const stamp = this.#writes.stamp(actor, body.note);
      const draft = resolved(conflict, resolution, stamp);
      refuse(predicateIssues(draft.next, body.relationships, ['relationships']));
      const edited_by = draft.isNew ? this.#checked(db, caller, conflict, draft) : stamp.edited_by;
      const decided = resolved(conflict, resolution, { ...stamp, edited_by });
      return { ...decided, commit: decided.commit(db) };
    });
    await commitResolution(store, commit);
    return { id, cid, ver: next.ver, deleted: next.deleted === true };
  }

  #mayWrite(db: Reader, caller: Caller, { id }: OpenConflict): boolean {
    const entity = this.#writes.standing(db, caller.network, id);
    return this.#writes.env.permissions.may(db, operator(caller), actionFor(entity.type, 'update'), entity);
  }

  /** The author that the version must have. @throws ForbiddenError, ValidationError */
  #checked(
    db: Reader,
    caller: Caller,
    { id, sides }: OpenConflict,
    { next, over }: { next: Manifest; over: Manifest },
  ): Stamp['edited_by'] {
    const entity = this.#writes.standing(db, caller.network, id);
    // Where an archive brought theirs, what is followed is the tombstone here.
    const last = sides.ours.deleted ? lastLive(db, sides.ours)?.manifest : sides.ours;
    const options = { elsewhere: true, ...(over.deleted && last && { last }) };
    const signed = { ...next };
    refuse(this.#writes.env.permissions.allow(db, operator(caller), { entity, base: over, next: signed, options }));
    return signed.edited_by;
  }
}

function bodyIssues(body: ResolveBody) {
  return [
    ...textIssues({ note: body.note }),
    ...objectIssues(body.properties, ['properties']),
    ...relationshipIssues(body.relationships, ['relationships'], null),
  ];
}

function resolutionOf(db: Reader, body: ResolveBody): Resolution {
  if (body.resolution !== 'merged') return { side: body.resolution, choices: body.choices ?? [] };
  const { properties, relationships } = body;
  if (properties === undefined) throw ValidationError.at(['properties'], 'is required where the resolution is merged');
  if (relationships === undefined)
    throw ValidationError.at(['relationships'], 'is required where the resolution is merged');
  return {
    content: {
      properties: properties as JsonObject,
      relationships: (withPeerTypes(db, relationships) ?? []) as Relationship[],
    },
  };
}

function entryView(
  { remote, id, type, label, base, ours, theirs, time }: ConflictRow,
  there: string | null,
): ConflictEntryView {
  return { remote, id, type, label: label || there, base, ours, theirs, found_at: new Date(time).toISOString() };
}

/** What was deleted here is called what it is called there. */
function labelThere(db: Reader, { label, theirs }: ConflictRow): string | null {
  const version = label ? undefined : findVersion(db, theirs);
  return version ? labelOf(version.manifest) || null : null;
}

function view(conflict: OpenConflict): OpenConflictView {
  const { sides, oursCid, merged, clashes, base } = conflict;
  return {
    ...entryView(conflict, labelOf(sides.theirs) || null),
    sides: {
      base: sides.base && sideView(base, sides.base),
      ours: sideView(oursCid, sides.ours),
      theirs: sideView(sides.theirsCid, sides.theirs),
    },
    clashes,
    merged: { deleted: merged.deleted === true, properties: merged.properties, relationships: merged.relationships },
  };
}

function sideView(cid: string | null, manifest: Manifest): SideView {
  const { ver, type, ts, edited_by, deleted, properties, relationships } = manifest;
  return { cid, ver, type, ts, edited_by: edited_by.user_id, deleted: deleted === true, properties, relationships };
}
