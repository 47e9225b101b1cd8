/**
 * Rounds in which things can be created so that each comes after what it points at. What points at each other in a
 * circle comes in the last round, together.
 * @param pointsAt for each id the ids that it points at; ids that are no key are there already
 */
export function creationRounds(pointsAt: ReadonlyMap<string, readonly string[]>): string[][] {
  const waitsFor = new Map<string, number>();
  const pointedAtBy = new Map<string, string[]>();
  for (const [id, peers] of pointsAt) {
    const open = new Set(peers.filter((peer) => peer !== id && pointsAt.has(peer)));
    waitsFor.set(id, open.size);
    for (const peer of open) {
      const sources = pointedAtBy.get(peer);
      if (sources) sources.push(id);
      else pointedAtBy.set(peer, [id]);
    }
  }
  const rounds: string[][] = [];
  let round = [...waitsFor].filter(([, count]) => count === 0).map(([id]) => id);
  while (round.length > 0) {
    rounds.push(round);
    const next: string[] = [];
    for (const id of round) {
      waitsFor.delete(id);
      for (const source of pointedAtBy.get(id) ?? []) {
        const left = (waitsFor.get(source) ?? 0) - 1;
        waitsFor.set(source, left);
        if (left === 0) next.push(source);
      }
    }
    round = next;
  }
  if (waitsFor.size > 0) rounds.push([...waitsFor.keys()]);
  return rounds;
}
