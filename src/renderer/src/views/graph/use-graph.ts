import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { typeColours } from './colours.ts';
import { type GraphAddress, idsOf, usualMost } from './graph-address.ts';
import { type Expansion, expansionQuery, type Path, pathsQuery } from './graph-queries.ts';
import { countsOf, edgesByNode, gather, hiddenAtFirst, pictureOf } from './picture.ts';

const noPaths: Path[] = [];

/** All that an address shows, as far as the node has answered. */
export function useGraph(address: GraphAddress) {
  const ids = useMemo(() => idsOf(address.of), [address.of]);
  const most = address.most ?? usualMost;
  const asked = useQueries({ queries: ids.map((id) => expansionQuery(id, most)) });
  const expansions = useSame<Expansion>(asked.flatMap(({ data }) => data ?? []));
  const found = useQuery(pathsQuery(address.from, address.to));
  const paths = found.data?.paths ?? noPaths;
  const gathered = useMemo(() => gather(expansions, paths), [expansions, paths]);
  const counts = useMemo(() => countsOf(gathered), [gathered]);
  const hidden = useMemo(() => hiddenAtFirst(expansions), [expansions]);
  const predicates = address.without ?? hidden;
  const types = useSame(address.withoutTypes ?? []);
  const without = useMemo(() => ({ predicates, types }), [predicates, types]);
  const picture = useMemo(() => pictureOf(gathered, without), [gathered, without]);
  const edges = useMemo(() => edgesByNode(picture), [picture]);
  const ofType = useMemo(() => typeColours([...gathered.nodes.values()].map(({ type }) => type)), [gathered]);
  return {
    ids,
    expansions,
    /** Of those that could not be fetched, and why. */
    failed: asked.flatMap(({ error, refetch }, i) => (error ? [{ id: ids[i]!, error, refetch }] : [])),
    pending: asked.some(({ isPending }) => isPending),
    found,
    paths,
    gathered,
    counts,
    without,
    picture,
    edges,
    ofType,
  };
}

/** The list of before as long as it has the same members, so that nothing is made anew for it. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const kept = useRef(list);
  const same = kept.current.length === list.length && kept.current.every((one, i) => one === list[i]);
  if (!same) kept.current = list;
  return kept.current;
}
