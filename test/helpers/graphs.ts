import type { GraphDirection } from '../../src/server/store/graph/graph-edges.ts';
import { change, commit, first, idOf, type TestStore } from './store.ts';

/** A small graph: entities by number, and relationships as [subject, predicate, object]. */
export interface Sample {
  size: number;
  edges: [number, string, number][];
  /** Entities of the type `collection`; the others are of the type `t<number mod 3>`. */
  collections: number[];
  /** Named by relationships, and not there. */
  missing: number[];
}

/** The id of an entity of a sample. */
export const nodeId = (n: number): string => idOf(100 + n);

/** Puts a sample into a store, with texts for some of its entities. */
export async function fill(
  { store }: TestStore,
  { size, edges, collections, missing }: Sample,
  texts: { [node: number]: string } = {},
): Promise<void> {
  const versions = Array.from({ length: size }, (_, n) => n)
    .filter((n) => !missing.includes(n))
    .map((n) =>
      first(nodeId(n), {
        type: typeOf({ collections }, n),
        properties: { label: String(n), ...(texts[n] === undefined ? {} : { text: texts[n] }) },
        relationships: edges.flatMap(([from, name, to]): [string, string][] =>
          from === n ? [[name, nodeId(to)]] : [],
        ),
      }),
    );
  const changes = versions.map((version) => change(null, version));
  const commits = Array.from({ length: Math.ceil(changes.length / 1000) }, (_, n) =>
    commit(changes.slice(1000 * n, 1000 * (n + 1))),
  );
  const outcomes = await store.submit(commits);
  if (!outcomes.every(({ committed }) => committed)) throw new Error('the sample was not committed');
}

export function typeOf({ collections }: Pick<Sample, 'collections'>, n: number): string {
  return collections.includes(n) ? 'collection' : `t${n % 3}`;
}

/** A path in words: `1 -p- 2 ~q~ 3`, with `~` where a relationship is walked against its direction. */
export type Written = string;

/** Every simple path, by trying everything. */
export function naivePaths(
  { edges, collections, missing }: Sample,
  { source, target, depth, direction }: { source: number; target: number; depth: number; direction: GraphDirection },
): Written[] {
  const found: Written[] = [];
  const stored = new Map(edges.map((edge) => [edge.join(), edge]));
  const go = (node: number, seen: number[], text: string): void => {
    if (node === target && seen.length > 1) return void found.push(text);
    if (seen.length > depth) return;
    if (seen.length > 1 && (collections.includes(node) || missing.includes(node))) return;
    for (const [from, name, to] of stored.values()) {
      if (from === node && direction !== 'incoming' && !seen.includes(to))
        go(to, [...seen, to], `${text} -${name}- ${to}`);
      if (to === node && direction !== 'outgoing' && !seen.includes(from))
        go(from, [...seen, from], `${text} ~${name}~ ${from}`);
    }
  };
  if (source !== target) go(source, [source], String(source));
  return found;
}

/** The length of a path in words. */
export const lengthOf = (path: Written): number => (path.split(' ').length - 1) / 2;

interface AnswerEdge {
  subject_id: string;
  subject_label: string;
  predicate: string;
  object_id: string;
}

/** A path of an answer in words. */
export function written({ source_id, edges }: { source_id: string; edges: AnswerEdge[] }): Written {
  let at = source_id;
  let text = String(numberOf(at));
  for (const { subject_id, predicate, object_id } of edges) {
    const mark = subject_id === at ? '-' : '~';
    at = subject_id === at ? object_id : subject_id;
    text += ` ${mark}${predicate}${mark} ${numberOf(at)}`;
  }
  return text;
}

export function numberOf(id: string): number {
  return Number(id.slice(3)) - 100;
}
