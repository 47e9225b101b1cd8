import { execute, withoutResults } from '../../argo/executor.ts';
import { parse } from '../../argo/parser.ts';
import { notation, type Plan } from '../../argo/plan.ts';
import { ArgoSyntaxError } from '../../argo/syntax-error.ts';
import { ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { SearchEngine } from '../../search/engine.ts';
import { compileFilter } from '../../store/listings/filter.ts';
import { refuse, textIssues } from '../entities/body.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
import { incomplete } from '../search/body.ts';
import { graphSource } from './graph-source.ts';
import { textSource } from './text-source.ts';
import type { QueryBody, QueryMetadataView } from './wire.ts';

/** Queries in the Argo language (interface.md, Argo query). All long work runs on other threads. */
export class QueryService {
  readonly #writes: EntityWrites;
  readonly #engine: SearchEngine;

  constructor({ writes, engine }: { writes: EntityWrites; engine: SearchEngine }) {
    this.#writes = writes;
    this.#engine = engine;
  }

  /** The answer as JSON. @throws ValidationError with the `position` of what cannot be read, among others */
  async run(caller: Caller, body: QueryBody): Promise<Uint8Array> {
    const begun = performance.now();
    const actor = registered(caller);
    const { path, collection, k = 25, k_explore = 3 * k, expand = 'preview' } = body;
    refuse(textIssues({ path, collection }));
    // Within the query it is an id that is unknown (argo.md A28).
    if (collection !== undefined) checkNetwork(caller.network, collection, ['collection']);
    const plan = planOf(path);
    const filter = body.filter === undefined ? undefined : compileFilter(body.filter, ['filter']);
    const store = await this.#writes.store(caller);
    store.read((db) => this.#writes.env.permissions.require(db, actor, 'query:execute', null));

    // The query's own scope is the more specific one (argo.md A17).
    const scope = plan.scope ?? (collection === undefined ? null : { kind: 'collection' as const, id: collection });
    const sources = { texts: textSource(store, this.#engine, caller), graph: graphSource(store, caller) };
    const outcome = await execute(sources, { ...plan, scope }, { k, kExplore: k_explore, filter });
    const { partial_path = null, ...stop } = outcome.stop ?? {};
    const results = outcome.results.map(({ id, score, path: before }) => ({ id, score, path: before }));
    const ended = { results, partial: partial_path, explored: outcome.explored, none: withoutResults(plan) };
    const answer = await store.readLong('queryAnswer', { ...ended, expand }, caller);

    const metadata: Omit<QueryMetadataView, 'total_candidates_explored'> = {
      query: path,
      hops: plan.hops.length,
      k,
      k_explore,
      execution_time_ms: Math.round((performance.now() - begun) * 10) / 10,
      ...(scope?.kind === 'collection' && { collection: scope.id }),
      ...stop,
      ...(asksIndex(plan) && incomplete(this.#engine.lacking(store))),
      ...(outcome.truncated && { truncated: true }),
      ...(body.explain && { plan: notation(plan) }),
    };
    return Buffer.concat([answer, Buffer.from(`${JSON.stringify(metadata).slice(1)}}`)]);
  }
}

/** Whether a text is looked up in the index. */
function asksIndex({ entry, filter, hops }: Plan): boolean {
  const nodes = [entry, filter, ...hops.map(({ target }) => target)];
  return nodes.some((node) => node !== null && 'text' in node && node.text !== null);
}

function planOf(path: string): Plan {
  try {
    return parse(path);
  } catch (error) {
    if (!(error instanceof ArgoSyntaxError)) throw error;
    const { message, position } = error;
    throw new ValidationError([{ path: ['path'], message }], { position });
  }
}
