import type { TextSource } from '../../argo/ports.ts';
import { jsonOf } from '../../model/from-json.ts';
import { getOrMake } from '../../model/get-or-make.ts';
import type { SearchEngine } from '../../search/engine.ts';
import { leadingOn } from '../../store/graph/graph-reads.ts';
import type { FilterSql } from '../../store/listings/filter.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Asker } from '../../store/threads/asker-turns.ts';
import { within } from './within.ts';

/** So many of some entities get a score at most; of those that a hop goes on with or gives there are no more. */
const maxScored = 300;

/** The node's searching as queries use it. */
export function textSource(store: NetworkStore, engine: SearchEngine, asker: Asker): TextSource {
  const search: TextSource['search'] = async (text, among, k) => {
    const { leading } = among;
    const keys = leading && (jsonOf(await store.readLong('leadingKeys', leading, asker)) as number[] | null);
    const filter =
      leading && !keys
        ? both(
            among.filter,
            store.read((db) => leadingOn(db, leading)),
          )
        : among.filter;
    const asked = { ...within({ ...among, filter }), keys: keys ?? undefined };
    const { hits, late, crowded } = await engine.find(store, { text, k, within: asked }, asker);
    // Every common word is in more texts than are ranked; with a filter those may be the ones that fit.
    return { hits, truncated: late || (crowded && filter !== undefined) };
  };
  // A query asks again for each hop of the same names, and where it runs once more.
  const alike = new Map<string, ReturnType<TextSource['similarities']>>();
  return {
    search,
    async scores(text, ids, among) {
      if (ids.length === 0) return { scores: new Map(), truncated: false };
      const { hits, truncated } = await search(text, { ...among, ids }, maxScored);
      return { scores: new Map(hits.map(({ id, score }) => [id, score])), truncated };
    },
    similarities: (names, others) =>
      getOrMake(alike, JSON.stringify([names, others]), () => engine.similarities(store, names, others, asker)),
  };
}

function both(one: FilterSql | undefined, other: FilterSql): FilterSql {
  return one ? { sql: `(${one.sql}) AND (${other.sql})`, params: [...one.params, ...other.params] } : other;
}
