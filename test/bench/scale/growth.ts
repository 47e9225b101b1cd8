import { rounded } from '../report.ts';

/** What was measured of nodes of several sizes, the smallest first. */
export interface Measured {
  /** Entities. */
  size: number;
  values: Map<string, Value>;
}

export interface Value {
  value: number;
  unit: string;
  /** How many times as much ten times the entities may need at most; null where there is more to do. */
  most: number | null;
}

interface Point {
  /** Entities. */
  size: number;
  value: number;
}

/** Two measurements of the same differ by so much. */
const noise = 1.1;

/** How many times as much ten times the entities needed, from one size to the next; the largest counts. */
export function growthOf(points: readonly Point[]): number | null {
  const factors = steps(points).map(([before, after, tenfolds]) => (after / before) ** (1 / tenfolds));
  return factors.length === 0 ? null : Math.max(...factors);
}

/**
 * Whether a measure grew faster than it may: by more than `most` with ten times the entities, and by more each time. What
 * grows with the logarithm (`as log n`) adds as much with one tenfold as with the next. '' where there is nothing to say.
 */
export function verdictOn(points: readonly Point[], { most }: Pick<Value, 'most'>): '' | 'yes' | 'as log n' | 'FASTER' {
  const growth = growthOf(points);
  if (growth === null || most === null) return '';
  if (growth <= most) return 'yes';
  return isLogarithmic(points) ? 'as log n' : 'FASTER';
}

function isLogarithmic(points: readonly Point[]): boolean {
  const added = steps(points).map(([before, after, tenfolds]) => (after - before) / tenfolds);
  return added.length > 1 && added.slice(1).every((more, i) => more <= noise * (added[i] as number));
}

/** From one size to the next: the two values, and how many times tenfold it is. */
function steps(points: readonly Point[]): [before: number, after: number, tenfolds: number][] {
  return points.slice(1).map(({ size, value }, i) => {
    const before = points[i] as Point;
    return [before.value, value, Math.log10(size / before.size)];
  });
}

/** The table in Markdown: a line a measure, a column a size. */
export function table(nodes: readonly Measured[]): string {
  const measures = [...new Set(nodes.flatMap(({ values }) => [...values.keys()]))];
  const head = ['measure', ...nodes.map(({ size }) => rounded(size)), 'x per tenfold', 'at most', ''];
  const lines = measures.map((measure) => line(measure, nodes));
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function line(measure: string, nodes: readonly Measured[]): string[] {
  const points = nodes.flatMap(({ size, values }) => {
    const found = values.get(measure);
    return found ? [{ size, ...found }] : [];
  });
  const growth = growthOf(points);
  const most = points[0]?.most ?? null;
  const cells = nodes.map(({ values }) => {
    const found = values.get(measure);
    return found ? `${rounded(found.value)} ${found.unit}` : '';
  });
  return [measure, ...cells, growth?.toFixed(2) ?? '', most?.toString() ?? '', verdictOn(points, { most })];
}
