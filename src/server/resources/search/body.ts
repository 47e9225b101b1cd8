import { type Issue, ValidationError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { Found } from '../../search/engine.ts';
import { compileFilter, type FilterSql } from '../../store/listings/filter.ts';
import { checkNetwork } from '../entities/writes.ts';

/** The filter of a body as conditions. @throws ValidationError */
export function filterOf(filter: object | undefined): FilterSql | undefined {
  return filter === undefined ? undefined : compileFilter(filter, ['filter']);
}

/** One id under its name or its older one. @throws ValidationError where there is none, or one of the other network */
export function idOf(caller: Caller, body: object, name: string, older: string): string {
  accepted(caller);
  const given = body as Record<string, unknown>;
  const used = given[name] === undefined && given[older] !== undefined ? older : name;
  const id = given[used];
  if (typeof id !== 'string') throw ValidationError.at([name], 'is required');
  checkNetwork(caller.network, id, [used]);
  return id;
}

interface CollectionNames {
  collection_id?: string;
  collection_pi?: string;
  collection_ids?: string[];
  collection_pis?: string[];
}

/** The collections that a body names, each once; empty where it names none. @throws ValidationError */
export function collectionsIn(caller: Caller, body: CollectionNames): string[] {
  const single = (['collection_id', 'collection_pi'] as const).flatMap((name) => {
    const id = body[name];
    return id === undefined ? [] : [{ id, path: [name] as Issue['path'] }];
  });
  const several = (['collection_ids', 'collection_pis'] as const).flatMap((name) =>
    (body[name] ?? []).map((id, i) => ({ id, path: [name, i] as Issue['path'] })),
  );
  const all = [...single, ...several];
  for (const { id, path } of all) checkNetwork(caller.network, id, path);
  return [...new Set(all.map(({ id }) => id))];
}

/** Says that the index does not hold everything yet. */
export function incomplete(lacking: number | null): { index?: { complete: false; changes_missing: number } } {
  return lacking === null ? {} : { index: { complete: false, changes_missing: lacking } };
}

/** The JSON of an answer around its results, which are JSON already. */
export function answerWith(
  { results, count, late, withoutVectors, lacking }: Omit<Found, 'collections'>,
  metadata: object,
): Uint8Array {
  const facts = {
    ...metadata,
    result_count: count,
    ...(late && { truncated: true }),
    ...incomplete(lacking),
    ...(withoutVectors && { embedder: { available: false, reason: withoutVectors } }),
  };
  return Buffer.concat([Buffer.from('{"results":'), results, Buffer.from(`,"metadata":${JSON.stringify(facts)}}`)]);
}
