// The text format of Prometheus, version 0.0.4.

type Labels = Record<string, string>;

export interface Sample {
  labels?: Labels;
  value: number;
}

export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; samples: Sample[] }
  | {
      type: 'histogram';
      /** Upper bounds, ascending. */
      bounds: readonly number[];
      /** `counts` by the first bound that they kept to, one more than there are bounds. */
      series: { labels: Labels; counts: readonly number[]; sum: number }[];
    }
);

/** Families without a sample are left out. */
export function metricsText(families: Family[]): string {
  return families
    .map((family) => ({ family, lines: linesOf(family) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ family: { name, help, type }, lines }) =>
      [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n'),
    )
    .join('');
}

function linesOf(family: Family): string[] {
  const { name } = family;
  if (family.type !== 'histogram') return family.samples.map(({ labels, value }) => line(name, labels, value));
  return family.series.flatMap(({ labels, counts, sum }) => {
    let below = 0;
    const buckets = counts.map((count, i) => {
      below += count;
      return line(`${name}_bucket`, { ...labels, le: numberText(family.bounds[i] ?? Number.POSITIVE_INFINITY) }, below);
    });
    return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)];
  });
}

function line(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text).replaceAll('"', '\\"')}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
