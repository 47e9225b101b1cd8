import { derivedId, type Network } from '../model/ids.ts';

/** The entity id of (kind, source id). `keep`: it will be asked for again soon. */
export type IdCache = (kind: string, sourceId: string, keep: boolean) => string;

const maxKept = 200_000;

/** Ids derived from (network, collection, kind, source id); those to keep are remembered, at most 200,000 at a time. */
export function idCache(network: Network, collection: string): IdCache {
  const known = new Map<string, string>();
  return (kind, sourceId, keep) => {
    if (!keep) return derivedId(network, collection, kind, sourceId);
    const key = `${kind.length}:${kind}${sourceId}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const id = derivedId(network, collection, kind, sourceId);
    if (known.size >= maxKept) known.clear();
    known.set(key, id);
    return id;
  };
}
