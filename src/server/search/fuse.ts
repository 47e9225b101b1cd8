/** Keys in the order of a ranking, and how much that ranking counts. */
export interface Ranking {
  keys: readonly number[];
  weight: number;
}

export interface Ranked {
  key: number;
  /** 0..1, where 1 is the first of every ranking. */
  score: number;
}

/** Reciprocal rank fusion's constant: how little the first ranks stand out. */
const smoothing = 60;

/** Rankings fused by reciprocal rank, best first; equal scores by key. */
export function fuse(rankings: readonly Ranking[]): Ranked[] {
  const counting = rankings.filter(({ keys }) => keys.length > 0);
  const most = counting.reduce((sum, { weight }) => sum + weight / (smoothing + 1), 0);
  const scores = new Map<number, number>();
  for (const { keys, weight } of counting)
    keys.forEach((key, i) => {
      scores.set(key, (scores.get(key) ?? 0) + weight / (smoothing + 1 + i));
    });
  return [...scores]
    .map(([key, score]) => ({ key, score: Math.min(1, score / most) }))
    .sort((a, b) => b.score - a.score || a.key - b.key);
}

/** Keys by the sums of their scores, best first, equal ones by key: BM25 of several words is the sum of that of each. */
export function summed(lists: readonly Iterable<{ key: number; score: number }>[]): number[] {
  const totals = new Map<number, number>();
  for (const hits of lists) for (const { key, score } of hits) totals.set(key, (totals.get(key) ?? 0) + score);
  return [...totals].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([key]) => key);
}
