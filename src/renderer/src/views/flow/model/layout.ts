import { type FlowDraft, linksOf } from './flow-draft.ts';

export const stepSize = { width: 210, height: 76 };
const gap = { x: 110, y: 34 };

export interface Place {
  x: number;
  y: number;
}

/**
 * Where the steps stand: the entry at the left, each step right of all that lead to it, and in a column near those. Ways
 * back (recurse, and circles that are mistakes) do not count.
 */
export function layoutOf(draft: FlowDraft): Map<string, Place> {
  const names = Object.keys(draft.flow);
  const ahead = new Map(names.map((name): [string, string[]] => [name, []]));
  const behind = new Map(names.map((name): [string, string[]] => [name, []]));
  for (const { source, target, form } of linksOf(draft)) {
    if (form === 'recurse') continue;
    ahead.get(source)?.push(target);
    behind.get(target)?.push(source);
  }
  const order = inOrder(
    [draft.entry, ...names].filter((name) => ahead.has(name)),
    ahead,
  );
  const rank = new Map(order.map((name, i) => [name, i]));
  const column = new Map(order.map((name) => [name, 0]));
  for (const name of order)
    for (const next of ahead.get(name) ?? [])
      if ((rank.get(next) ?? 0) > (rank.get(name) ?? 0))
        column.set(next, Math.max(column.get(next) ?? 0, (column.get(name) ?? 0) + 1));

  const places = new Map<string, Place>();
  const columns = Map.groupBy(order, (name) => column.get(name) ?? 0);
  for (const [at, members] of [...columns].sort(([a], [b]) => a - b)) {
    // Near those that lead here, which are placed already.
    const wanted = new Map(members.map((name, i) => [name, meanOf(behind.get(name) ?? [], places) ?? i]));
    const sorted = members.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    const height = stepSize.height + gap.y;
    const top = -((sorted.length - 1) * height) / 2;
    for (const [i, name] of sorted.entries())
      places.set(name, { x: at * (stepSize.width + gap.x), y: top + i * height });
  }
  return places;
}

/** Each step before those that it leads to, as far as that goes. */
function inOrder(starts: readonly string[], ahead: ReadonlyMap<string, string[]>): string[] {
  const seen = new Set<string>();
  const ended: string[] = [];
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.add(start);
    // A stack of its own: flows may be thousands of steps deep.
    const path = [{ name: start, next: 0 }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = ahead.get(top.name)?.[top.next++];
      if (next === undefined) {
        ended.push(top.name);
        path.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        path.push({ name: next, next: 0 });
      }
    }
  }
  return ended.reverse();
}

/** How high those stand that are placed already; null where none is. */
function meanOf(names: readonly string[], places: ReadonlyMap<string, Place>): number | null {
  const found = names.flatMap((name) => places.get(name)?.y ?? []);
  return found.length === 0 ? null : found.reduce((sum, y) => sum + y, 0) / found.length;
}
