import type { Node } from '../processes.ts';
import { atMostRow, loopRow } from '../report.ts';

/** Ten thousand entities of a large collection in one page; gives some of their ids. */
export async function measureListing(node: Node, collection: string): Promise<string[]> {
  const page = async (offset: number) => {
    const begun = performance.now();
    const answer = await fetch(`${node.url}/collections/${collection}/entities?limit=10000&offset=${offset}`);
    const body = (await answer.json()) as { entities: { id: string }[] };
    return { milliseconds: performance.now() - begun, entities: body.entities };
  };
  await page(0);
  node.reset();
  const pages = [];
  for (let i = 0; i < 9; i++) pages.push(await page(0));
  const { p99 } = await node.loopDelay();
  const times = pages.map((p) => p.milliseconds).toSorted((a, b) => a - b);
  if (pages[0]?.entities.length !== 10_000) throw new Error('the page is not full');
  atMostRow('listing 10,000 of a collection, median of 9', times[4] ?? 0, 'ms', 150);
  loopRow('listing', p99);
  return pages[0].entities.map((entity) => entity.id);
}
