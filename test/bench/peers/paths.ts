import { seeded } from '../../helpers/seeded.ts';
import type { Node } from '../processes.ts';
import type { Edge, Paths } from './peer.ts';
import { record } from './table.ts';

const pairs = 200;
const longest = 60;

/** A shortest path of up to three steps between entities of the Tate graph, one question after the other. */
export async function measurePaths(edges: Edge[], asked: [name: string, paths: Paths][]): Promise<void> {
  const random = seeded(1);
  const names = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  const any = () => names[Math.floor(random() * names.length)] as string;
  const drawn = Array.from({ length: pairs }, () => [any(), any()] as const);
  const answers: (number | null)[] = [];
  for (const [name, paths] of asked) {
    for (const [from, to] of drawn.slice(0, 5)) await paths(to, from);
    const begun = performance.now();
    let count = 0;
    for (const [from, to] of drawn) {
      const length = await paths(from, to);
      const known = answers[count];
      if (known !== undefined && known !== length)
        throw new Error(`${name}: ${from} to ${to} is ${length}, not ${known}`);
      answers[count++] = length;
      if (performance.now() - begun > longest * 1000) break;
    }
    record('shortest path of up to 3 steps, answers/s', name, (count / (performance.now() - begun)) * 1000);
  }
}

/** The node's paths by its public endpoint. */
export function pathsOf(node: Node): Paths {
  return async (from, to) => {
    const body = JSON.stringify({ source_ids: [from], target_ids: [to], max_depth: 3, direction: 'both', limit: 1 });
    const answer = await fetch(`${node.url}/graph/paths`, { method: 'POST', headers: node.headers, body });
    if (answer.status !== 200) throw new Error(`/graph/paths was answered ${answer.status}`);
    const { paths } = (await answer.json()) as { paths: { length: number }[] };
    return paths[0]?.length ?? null;
  };
}
