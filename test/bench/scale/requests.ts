import { seeded } from '../../helpers/seeded.ts';
import { call } from '../call.ts';
import type { Node } from '../processes.ts';
import { sampleBody } from '../samples.ts';

const counts = { creates: 1000, gets: 2000, pages: 500, paths: 1000 };
const pageSize = 100;

/** What is asked of a node that changes nothing in it, in this order; and what does. */
export const reads = [
  'get',
  'list, first page of 100',
  'list, page of 100 near the end',
  'search by words and meaning',
  'graph, paths of up to 4',
  'graph, one path',
] as const;
export const writes = ['create'] as const;
export type Measure = (typeof reads)[number] | (typeof writes)[number];

export interface Held {
  /** Entities. */
  size: number;
  collection: string;
  /** What is searched for. */
  queries: readonly string[];
}

/** Runs each measure once: its requests one after the other, and how many milliseconds each took. */
export async function requestsOf(
  node: Node,
  { collection, size, queries }: Held,
): Promise<Record<Measure, () => Promise<number[]>>> {
  const next = seeded(1);
  const list = (offset: number, limit = pageSize) =>
    call<{ entities: { id: string }[] }>(
      node,
      `GET /collections/${collection}/entities?type=artwork&limit=${limit}&offset=${offset}`,
    );
  const works = Math.floor(size * 0.7);
  const deep = Array.from({ length: counts.pages }, () => Math.floor(works * (0.8 + 0.2 * next())));

  const ids: string[] = [];
  for (let part = 0; part < 20; part++)
    ids.push(...(await list(Math.floor((works * part) / 20))).entities.map(({ id }) => id));
  const any = () => ids[Math.floor(next() * ids.length)] as string;
  const gets = Array.from({ length: counts.gets }, any);
  const pairs = Array.from({ length: counts.paths }, () => [any(), any()] as const);
  const path = (source: string, target: string, limit?: number) =>
    call(node, 'POST /graph/paths', { source_ids: [source], target_ids: [target], limit });
  const numbers = Array.from({ length: counts.creates }, (_, n) => n);
  return {
    get: () => timed(gets, (id) => call(node, `GET /entities/${id}`)),
    'list, first page of 100': () => timed(deep, () => list(0)),
    'list, page of 100 near the end': () => timed(deep, (offset) => list(offset)),
    'search by words and meaning': () =>
      timed(queries, (query) => call(node, 'POST /search/entities', { query, types: ['artwork'], limit: 20 })),
    'graph, paths of up to 4': () => timed(pairs, ([a, b]) => path(a, b)),
    'graph, one path': () => timed(pairs, ([a, b]) => path(b, a, 1)),
    // Ordinary ones in the large collection; the index takes them up meanwhile.
    create: () => timed(numbers, (n) => call(node, 'POST /entities', { ...sampleBody(n), collection })),
  };
}

async function timed<T>(list: readonly T[], run: (one: T) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const one of list) {
    const begun = performance.now();
    await run(one);
    times.push(performance.now() - begun);
  }
  return times;
}
