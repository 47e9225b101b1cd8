import type { TextSource } from '../../argo/ports.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Asker } from '../../store/threads/asker-turns.ts';
import { within } from './within.ts';

/** Entities that one search ranks at most. */
const maxRanked = 300;

/** The node's searching as queries use it. */
export function textSource(store: NetworkStore, engine: SearchEngine, asker: Asker): TextSource {
  const search: TextSource['search'] = async (text, among, k) => {
    const { hits, late, crowded } = await engine.find(store, { text, k, within: within(among) }, asker);
    // Every common word is in more texts than are ranked; with a filter those may be the ones that fit.
    return { hits, truncated: late || (crowded && among.filter !== undefined) };
  };
  return {
    search,
    async scores(text, ids, among) {
      if (ids.length === 0) return { scores: new Map(), truncated: false };
      const { hits, truncated } = await search(text, { ...among, ids }, maxRanked);
      return { scores: new Map(hits.map(({ id, score }) => [id, score])), truncated };
    },
    similarities: (name, others) => engine.similarities(store, name, others, asker),
  };
}
