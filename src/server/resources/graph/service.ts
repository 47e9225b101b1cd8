import { type Issue, NotFoundError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import { networkOf } from '../../model/ids.ts';
import type { NeighboursQuery, neighbours } from '../../store/graph/graph-reads.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { GraphExpansion, PathsBody, ReachableBody } from './wire.ts';

export type Neighbours = ReturnType<typeof neighbours>;

/**
 * Paths and what is reachable (interface.md, Graph). All of it runs on reader threads and gives JSON text. Whoever is
 * registered may ask, and may view every entity (model/permissions.ts, isOpenToAll), so nothing is left out of paths.
 */
export class GraphService {
  readonly #entities: EntitiesService;
  readonly #writes: EntityWrites;

  constructor(entities: EntitiesService, writes: EntityWrites) {
    this.#entities = entities;
    this.#writes = writes;
  }

  async paths(caller: Caller, body: PathsBody, expand: GraphExpansion): Promise<Uint8Array> {
    registered(caller);
    const sources = oneSpelling(caller, body, 'source_ids', 'source_pis');
    const targets = oneSpelling(caller, body, 'target_ids', 'target_pis');
    refuse([...sources.issues, ...targets.issues]);
    const store = await this.#allowed(caller);
    return store.readLong('graphPaths', { ...usual(body), expand, sources: sources.ids, targets: targets.ids }, caller);
  }

  async reachable(caller: Caller, body: ReachableBody, expand: GraphExpansion): Promise<Uint8Array> {
    registered(caller);
    const sources = oneSpelling(caller, body, 'source_ids', 'source_pis');
    refuse(sources.issues);
    const store = await this.#allowed(caller);
    return store.readLong(
      'graphReachable',
      { ...usual(body), expand, sources: sources.ids, type: body.target_type },
      caller,
    );
  }

  async entity(
    caller: Caller,
    id: string,
    options: { expand: GraphExpansion; limit: number | undefined },
  ): Promise<Uint8Array> {
    registered(caller);
    const store = await this.#allowed(caller);
    store.read((db) => this.#entities.viewedRow(db, caller, id));
    const json = await store.readLong('graphEntity', { id, ...options }, caller);
    // It may have been deleted meanwhile.
    if (json.length === 4) throw new NotFoundError();
    return json;
  }

  /** See store/graph/graph-reads.ts. */
  async neighbours(caller: Caller, query: NeighboursQuery): Promise<Neighbours> {
    registered(caller);
    const store = await this.#allowed(caller);
    return jsonOf(await store.readLong('neighbours', query, caller)) as Neighbours;
  }

  async #allowed(caller: Caller) {
    const store = await this.#writes.store(caller);
    store.read((db) => this.#writes.env.permissions.require(db, registered(caller), 'graph:query', null));
    return store;
  }
}

function usual({
  max_depth = 4,
  direction = 'both',
  limit = 100,
}: Pick<PathsBody, 'max_depth' | 'direction' | 'limit'>) {
  return { depth: max_depth, direction, limit };
}

/** A list of ids under its name or its older one; the name counts where both are given. */
function oneSpelling<N extends string, O extends string>(
  caller: Caller,
  body: { [K in N | O]?: string[] },
  name: N,
  older: O,
): { ids: string[]; issues: Issue[] } {
  const said = body[name] === undefined && body[older] !== undefined ? older : name;
  const ids = body[said];
  if (ids === undefined) return { ids: [], issues: [{ path: [name], message: 'is required' }] };
  const issues = ids.flatMap((id, i) =>
    networkOf(id) === caller.network
      ? []
      : [{ path: [said, i], message: `is not an id of the ${caller.network} network` }],
  );
  return { ids, issues };
}
