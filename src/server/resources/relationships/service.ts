import { NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { applyUpdate, type Update } from '../../model/merge.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../../store/connection.ts';
import type { Standing } from '../../store/entities.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import type { ManifestView } from '../wire.ts';
import type { RelationshipPairBody, RelationshipPairView } from './wire.ts';

type Way = 'add' | 'remove';

/** Relationships between two entities, in one direction or both (interface.md, Relationships). */
export class RelationshipsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** Both entities change in one commit or none does; a one-sided change leaves the target as it is. */
  async write(caller: Caller, body: RelationshipPairBody, way: Way): Promise<RelationshipPairView> {
    registered(caller);
    refuse(textIssues({ note: body.note }));
    if (body.target_predicate !== undefined && body.source_id === body.target_id)
      throw ValidationError.at(['target_id'], 'must be another entity where both sides are written');
    const store = await this.#writes.store(caller);
    const { source, target } = store.read((db) => this.#prepare(db, caller, body, way));
    const steps = 'change' in target ? [source, target] : [source];
    await this.#writes.commit(store, steps);
    return { source: view(source), target: 'change' in target ? view(target) : standingView(target) };
  }

  #prepare(
    db: Reader,
    caller: Caller,
    body: RelationshipPairBody,
    way: Way,
  ): { source: Prepared; target: Prepared | Standing } {
    const from = this.#writes.standing(db, caller.network, body.source_id, ['source_id']);
    const to = this.#writes.standing(db, caller.network, body.target_id, ['target_id']);
    if (way === 'add' && to.deleted) throw new NotFoundError();
    const source = this.#side(db, caller, from, to, body.source_predicate, body.expect_source_tip, body.note, way);
    if (body.target_predicate === undefined) return { source, target: to };
    const isProtected = to.collection !== null || to.type === 'collection';
    if (body.expect_target_tip === undefined && (way === 'remove' || isProtected))
      throw ValidationError.at(['expect_target_tip'], 'is required where the target changes too');
    const target = this.#side(db, caller, to, from, body.target_predicate, body.expect_target_tip, body.note, way);
    return { source, target };
  }

  #side(
    db: Reader,
    caller: Caller,
    base: Standing,
    peer: Standing,
    predicate: string,
    expected: string | undefined,
    note: string | undefined,
    way: Way,
  ): Prepared {
    const relationship = { predicate, peer: peer.id, peer_type: peer.type, peer_label: peer.label };
    const update: Update =
      way === 'add' ? { relationships_add: [relationship] } : { relationships_remove: [{ predicate, peer: peer.id }] };
    const next = applyUpdate(base.manifest, base.cid, update, this.#writes.stamp(registered(caller), note));
    return this.#writes.step(db, caller, base, next, expected);
  }
}

function view({ cid, next }: Prepared): ManifestView {
  return wireManifest(cid, next) as ManifestView;
}

function standingView({ cid, manifest }: Standing): ManifestView {
  return wireManifest(cid, manifest) as ManifestView;
}
