import type { TextSource } from '../../argo/ports.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { within } from './within.ts';

/** Entities that one search ranks at most. */
const maxRanked = 300;

/** The node's searching as queries use it. */
export function textSource(store: NetworkStore, engine: SearchEngine): TextSource {
  return {
    search: (text, among, k) => engine.find(store, { text, k, within: within(among) }),
    async scores(text, ids, among) {
      if (ids.length === 0) return new Map();
      const hits = await engine.find(store, { text, k: maxRanked, within: within({ ...among, ids }) });
      return new Map(hits.map(({ id, score }) => [id, score]));
    },
    similarities: (name, others) => engine.similarities(store, name, others),
  };
}
