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

/** How many times as much ten times the entities needed, from one size to the next; the largest counts. */
export function growthOf(points: readonly { size: number; value: number }[]): number | null {
  const factors = points.slice(1).map(({ size, value }, i) => {
    const before = points[i] as { size: number; value: number };
    return (value / before.value) ** (1 / Math.log10(size / before.size));
  });
  return factors.length === 0 ? null : Math.max(...factors);
}

/** Whether a measure grew faster than it may. */
export function isTooFast(growth: number | null, { most }: Pick<Value, 'most'>): boolean {
  return growth !== null && most !== null && growth > most;
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
  const mark = most === null ? '' : isTooFast(growth, { most }) ? 'FASTER' : 'yes';
  return [measure, ...cells, growth?.toFixed(2) ?? '', most?.toString() ?? '', growth === null ? '' : mark];
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2);
}
