import type { Caller } from '../../model/caller.ts';
import type { Reader } from '../../store/connection.ts';
import type { Version } from '../../store/versions.ts';
import { patchDiff, semanticDiff } from './diff.ts';
import { namedVersion } from './named-version.ts';
import type { EntitiesService } from './service.ts';
import type { DiffSide, PatchDiffView, SemanticDiffView } from './wire.ts';
import type { EntityWrites } from './writes.ts';

export interface DiffQuery {
  from: string | undefined;
  to: string | undefined;
  format: 'semantic' | 'patch';
}

/** Comparison of two versions of an entity (interface.md, Versioning). */
export class DiffService {
  readonly #entities: EntitiesService;
  readonly #writes: EntityWrites;

  constructor(entities: EntitiesService, writes: EntityWrites) {
    this.#entities = entities;
    this.#writes = writes;
  }

  /**
   * Without `to` the tip; without `from` the version before `to`, or the tip's counterpart where only `from` is given.
   * Named versions of a deleted entity are compared like all of its history (decisions.md, G1).
   */
  async compare(caller: Caller, id: string, query: DiffQuery): Promise<SemanticDiffView | PatchDiffView> {
    const store = await this.#writes.store(caller);
    const { from, to } = store.read((db) => this.#versions(db, caller, id, query));
    const head = { entity_id: id, from: from && side(from), to: side(to) };
    if (query.format === 'patch')
      return { ...head, format: 'patch', patch: patchDiff(from?.manifest ?? null, to.manifest) };
    return { ...head, format: 'semantic', changes: semanticDiff(from?.manifest ?? null, to.manifest) };
  }

  #versions(db: Reader, caller: Caller, id: string, query: DiffQuery): { from: Version | null; to: Version } {
    const { cid } =
      query.to === undefined ? this.#entities.viewed(db, caller, id) : this.#entities.known(db, caller, id);
    const to = namedVersion(db, id, query.to ?? cid, 'to');
    if (query.from !== undefined) return { from: namedVersion(db, id, query.from, 'from'), to };
    const { prev } = to.manifest;
    // Where it is not on this node, nobody here knows what has changed since.
    return { from: prev === null ? null : namedVersion(db, id, prev, 'from'), to };
  }
}

function side({ cid, manifest }: Version): DiffSide {
  return { cid, ver: manifest.ver, ts: manifest.ts };
}
