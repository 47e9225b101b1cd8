import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { placingsOf } from '../../model/folder-rules.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { applyUpdate } from '../../model/next-version.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import { FolderTree } from '../../store/folders.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntityView } from '../entities/wire.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import { linked, type Way } from './linked.ts';
import type { ConnectBody, ConnectedView, RelationshipPairBody, RelationshipPairView } from './wire.ts';

/** Relationships between two entities, in one direction or both (interface.md, Relationships). */
export class RelationshipsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /**
   * Both entities change in one commit or none does; a one-sided change leaves the target as it is. `properties` are the
   * source's relationship's.
   */
  async write(
    caller: Caller,
    body: RelationshipPairBody,
    way: Way,
    properties: JsonObject = {},
  ): Promise<RelationshipPairView> {
    registered(caller);
    refuse(textIssues({ note: body.note }));
    if (body.target_predicate !== undefined && body.source_id === body.target_id)
      throw ValidationError.at(['target_id'], 'must be another entity where both sides are written');
    if (way === 'remove' && body.target_predicate !== undefined && body.expect_target_tip === undefined)
      throw guardMissing();
    const store = await this.#writes.store(caller);
    const { source, target } = await this.#writes.write(store, (db) => {
      const sides = this.#prepare(db, caller, body, way, properties);
      return { ...sides, steps: 'change' in sides.target ? [sides.source, sides.target] : [sides.source] };
    });
    const written = view(source);
    if (body.source_id === body.target_id) return { source: written, target: written };
    return { source: written, target: 'change' in target ? view(target) : standingView(target) };
  }

  /** The one-way form of `POST /connect`: what is said of the link are properties of the relationship. */
  async connect(caller: Caller, body: ConnectBody, way: Way): Promise<ConnectedView> {
    const { source_id, target_id, expect_tip, predicate = 'connects_to', label, description, note } = body;
    refuse(textIssues({ label, description }));
    const properties = { ...(label !== undefined && { label }), ...(description !== undefined && { description }) };
    const one = { source_id, target_id, source_predicate: predicate, expect_source_tip: expect_tip };
    const { source } = await this.write(caller, { ...one, ...(note !== undefined && { note }) }, way, properties);
    return { source };
  }

  #prepare(
    db: Reader,
    caller: Caller,
    body: RelationshipPairBody,
    way: Way,
    properties: JsonObject,
  ): { source: Prepared; target: Prepared | Standing } {
    const from = this.#writes.standing(db, caller.network, body.source_id, ['source_id']);
    const to = this.#writes.standing(db, caller.network, body.target_id, ['target_id']);
    if (way === 'add' && to.deleted) throw new NotFoundError();
    const stamp = this.#writes.stamp(registered(caller), body.note);
    const forth = applyUpdate(from.manifest, from.cid, linked(way, body.source_predicate, [to], properties), stamp);
    const ofSource = this.#writes.permit(db, caller, from, forth);
    const settled = () => this.#writes.settle(db, from, forth, body.expect_source_tip, ofSource, atSource);
    if (body.target_predicate === undefined)
      return { source: guarded(settled(), to, body.expect_target_tip), target: to };
    const back = applyUpdate(to.manifest, to.cid, linked(way, body.target_predicate, [from]), stamp);
    // Both permissions before either tip (decisions.md, Order of checks).
    const surroundings = new FolderTree(db, placingsOf(from.manifest, forth));
    const ofTarget = this.#writes.permit(db, caller, to, back, { surroundings });
    const source = settled();
    if (body.expect_target_tip === undefined && (to.collection !== null || to.type === 'collection'))
      throw guardMissing();
    return { source, target: this.#writes.settle(db, to, back, body.expect_target_tip, ofTarget, atTarget) };
  }
}

const atSource = { path: ['source_id'] };
const atTarget = { path: ['target_id'] };

/** The source's step, made only while a target that does not change itself is what was stated. */
function guarded(source: Prepared, target: Standing, expected: string | undefined): Prepared {
  if (expected === undefined) return source;
  if (expected !== target.cid) throw new ConflictError(expected, target.cid);
  // A link to itself: the change has that tip already.
  if (source.change.id === target.id) return source;
  return { ...source, preconditions: [...source.preconditions, { id: target.id, tip: target.cid }] };
}

function guardMissing(): ValidationError {
  return ValidationError.at(['expect_target_tip'], 'is required where the target changes too');
}

function view({ cid, next }: Prepared): EntityView {
  return wireManifest(cid, next) as EntityView;
}

function standingView({ cid, manifest }: Standing): EntityView {
  return wireManifest(cid, manifest) as EntityView;
}
