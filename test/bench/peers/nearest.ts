import type { Node } from '../processes.ts';
import type { Nearest } from './peer.ts';
import { record } from './table.ts';

const k = 20;
const questions = 200;

/** The items most like another, one question after the other. The node reads their texts and rights besides. */
export async function measureNearest(ids: string[], asked: [name: string, nearest: Nearest][]): Promise<void> {
  const step = Math.floor(ids.length / questions);
  const drawn = ids.filter((_, n) => n % step === 0).slice(0, questions);
  for (const [name, nearest] of asked) {
    for (const id of ids.slice(1, 6)) await nearest(id, k);
    let found = 0;
    const begun = performance.now();
    for (const id of drawn) found += (await nearest(id, k)).length;
    const took = performance.now() - begun;
    // To the node, what is hardly alike is none of them.
    if (found < (drawn.length * k) / 2) throw new Error(`${name} found ${found} that are alike: too few`);
    record('20 nearest neighbours, answers/s', name, (drawn.length / took) * 1000);
  }
}

/** The node's similar items by its public endpoint, found anew each time. */
export function nearestOf(node: Node, collection: string): Nearest {
  return async (id, limit) => {
    const body = JSON.stringify({
      id,
      collection_id: collection,
      limit,
      tier2_limit: limit,
      refresh: true,
      expand: 'none',
    });
    const answer = await fetch(`${node.url}/search/similar/items`, { method: 'POST', headers: node.headers, body });
    if (answer.status !== 200) throw new Error(`/search/similar/items was answered ${answer.status}`);
    return ((await answer.json()) as { results: { id: string }[] }).results.map((hit) => hit.id);
  };
}
