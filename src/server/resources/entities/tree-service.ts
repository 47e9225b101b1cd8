import { ValidationError } from '../../errors.ts';
import type { Caller } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import type { treeBelow } from '../../store/graph/tree-reads.ts';
import type { EntitiesService } from './service.ts';
import { nested } from './tree.ts';
import type { EntityCollectionView, TreeView } from './wire.ts';
import { checkNetwork, type EntityWrites } from './writes.ts';

export interface TreeOptions {
  depth: number;
  collection?: string | undefined;
  /** Comma-separated. */
  predicates?: string | undefined;
  limit: number;
}

const maxPredicates = 100;

/** Where an entity lies, and what it leads to (wire-contract.md 2.5). */
export class TreeService {
  readonly #entities: EntitiesService;
  readonly #writes: EntityWrites;

  constructor(entities: EntitiesService, writes: EntityWrites) {
    this.#entities = entities;
    this.#writes = writes;
  }

  async collection(caller: Caller, id: string): Promise<EntityCollectionView> {
    const store = await this.#writes.store(caller);
    const { type, collection } = store.read((db) => this.#entities.viewedRow(db, caller, id));
    return { collection_id: type === 'collection' ? id : collection };
  }

  /** On a reader thread: a hub may have any number of relationships. */
  async tree(caller: Caller, id: string, { depth, limit, collection, ...options }: TreeOptions): Promise<TreeView> {
    const predicates = options.predicates === undefined ? undefined : namesOf(options.predicates);
    if (collection !== undefined) checkNetwork(caller.network, collection, ['collection']);
    const store = await this.#writes.store(caller);
    store.read((db) => this.#entities.viewedRow(db, caller, id));
    const json = await store.readLong('tree', { root: id, depth, limit, collection, predicates }, caller);
    const { entries, truncated } = jsonOf(json) as ReturnType<typeof treeBelow>;
    return { ...nested(entries), truncated };
  }
}

function namesOf(list: string): string[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0 || names.length > maxPredicates)
    throw ValidationError.at(['predicates'], `must name 1 to ${maxPredicates} predicates, between commas`);
  return names;
}
