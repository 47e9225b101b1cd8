const rows = new Map<string, Map<string, number>>();
const node = 'Archeion';

/** One figure of the table, more being better. */
export function record(measure: string, peer: string, value: number): void {
  process.stderr.write(`${measure}: ${peer} ${shown(value)}\n`);
  const row = rows.get(measure) ?? new Map<string, number>();
  rows.set(measure, row.set(peer, value));
}

/** Prints the table in Markdown: each peer's figure, and how many times as much the node does. */
export function printTable(): void {
  const peers = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))];
  const lines = [
    ['measure', ...peers],
    ['---', ...peers.map(() => '---:')],
  ];
  for (const [measure, row] of rows) {
    const own = row.get(node);
    const cell = (peer: string): string => {
      const value = row.get(peer);
      if (value === undefined) return '–';
      return peer === node || own === undefined ? shown(value) : `${shown(value)} (${(own / value).toFixed(1)} x)`;
    };
    lines.push([measure, ...peers.map(cell)]);
  }
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
