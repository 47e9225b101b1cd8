import type { Picture } from './picture.ts';

export type Place = { x: number; y: number };

/** The angle by which neighbours that come one after another stand apart; no two ever stand in one line. */
const golden = Math.PI * (3 - Math.sqrt(5));

/**
 * A place for each entity: the one it had, else one near the first neighbour that has one, else one on a spiral. The same
 * picture always begins the same.
 */
export function placesOf({ nodes, edges }: Picture, before: ReadonlyMap<string, Place>): Map<string, Place> {
  const near = new Map<string, string>();
  const rank = new Map(nodes.map(({ id }, i) => [id, i]));
  const tie = (id: string, other: string) => {
    const [known, place] = [near.get(id), rank.get(other)];
    if (id === other || place === undefined) return;
    if (known === undefined || (!before.has(known) && (before.has(other) || place < rank.get(known)!)))
      near.set(id, other);
  };
  for (const { from, to } of edges) {
    tie(from, to);
    tie(to, from);
  }
  const places = new Map<string, Place>();
  for (const [i, { id }] of nodes.entries()) {
    const neighbour = near.get(id) ?? '';
    const middle = before.get(neighbour) ?? places.get(neighbour) ?? { x: 0, y: 0 };
    const [turn, distance] = [i * golden, 8 * Math.sqrt(i + 1)];
    places.set(
      id,
      before.get(id) ?? { x: middle.x + distance * Math.cos(turn), y: middle.y + distance * Math.sin(turn) },
    );
  }
  return places;
}
