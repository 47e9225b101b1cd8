import { writeFileSync } from 'node:fs';

/** One line of the table. `ratio` is against the baseline of the same run; `met` is null where there is no goal. */
export interface Row {
  measure: string;
  value: number;
  unit: string;
  baseline?: string;
  ratio?: number;
  goal?: string;
  met: boolean | null;
}

const rows: Row[] = [];

/** As tables show it. */
export function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2);
}

interface Base {
  name: string;
  value: number;
}

/** A rate that should be at least `goal` times its baseline. */
export function ratioRow(measure: string, value: number, unit: string, base: Base, goal: number): void {
  const ratio = value / base.value;
  add({ measure, value, unit, baseline: baseline(base), ratio, goal: `>= ${goal} x`, met: ratio >= goal });
}

/** A rate beside its baseline, without a goal. */
export function comparedRow(measure: string, value: number, unit: string, base: Base): void {
  add({ measure, value, unit, baseline: baseline(base), ratio: value / base.value, met: null });
}

function baseline({ name, value }: Base): string {
  return `${name} ${rounded(value)}`;
}

export function atLeastRow(measure: string, value: number, unit: string, goal: number): void {
  add({ measure, value, unit, goal: `>= ${rounded(goal)}`, met: value >= goal });
}

export function atMostRow(measure: string, value: number, unit: string, goal: number): void {
  add({ measure, value, unit, goal: `<= ${rounded(goal)}`, met: value <= goal });
}

export function plainRow(measure: string, value: number, unit: string): void {
  add({ measure, value, unit, met: null });
}

/** The event-loop delay under a load: at most 10 ms. */
export function loopRow(load: string, p99: number): void {
  atMostRow(`event loop p99, ${load}`, p99, 'ms', 10);
}

function add(row: Row): void {
  rows.push(row);
  process.stderr.write(`${line(row).join('  ')}\n`);
}

function line(row: Row): string[] {
  const ratio = row.ratio === undefined ? '' : `${row.ratio.toFixed(2)} x`;
  const verdict = row.met === null ? '' : row.met ? 'yes' : 'NO';
  return [row.measure, `${rounded(row.value)} ${row.unit}`, row.baseline ?? '', ratio, row.goal ?? '', verdict];
}

/** Prints the table and writes it as JSON. */
export function finish(file: string): void {
  const table = [['measure', 'value', 'baseline', 'ratio', 'goal', 'met'], ...rows.map(line)];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? [];
  const text = table.map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${text.join('\n')}\n`);
  writeFileSync(
    file,
    `${JSON.stringify({ made_at: new Date().toISOString(), node: process.version, rows }, null, 2)}\n`,
  );
}
