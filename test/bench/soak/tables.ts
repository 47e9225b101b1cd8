import { quantile } from '../quantile.ts';
import type { Kind } from './client.ts';
import { answersOf } from './tally.ts';
import { type Minute, thirds, type Verdict } from './verdict.ts';

/** One line on one minute. */
export function minuteLine(at: string, minute: Minute, seconds: number): string {
  const { resident, heap, handles, threads, wal, database, index } = minute.gauges;
  const kinds = [...minute.times]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, times]) => `${kind} ${quantile(times, 0.5).toFixed(1)}/${quantile(times, 0.99).toFixed(1)}`);
  return [
    at,
    `${Math.round(answersOf(minute) / seconds)}/s`,
    `${minute.errors} errors`,
    `resident ${Math.round(resident)} MB, heap ${Math.round(heap)}`,
    `${handles} handles, ${threads} threads`,
    `WAL ${wal.toFixed(1)} MB, database ${Math.round(database)}, index ${Math.round(index)}`,
    `p50/p99 ms: ${kinds.join(', ')}`,
  ].join('; ');
}

/** What was seen, as tables in Markdown. */
export function report(minutes: readonly Minute[], verdicts: readonly Verdict[]): string {
  return [speeds(minutes), gauges(minutes), judged(verdicts)].join('\n\n');
}

function speeds(minutes: readonly Minute[]): string {
  const parts = thirds(minutes);
  const kinds = [...new Set(parts.flatMap((part) => [...part.keys()]))].sort();
  const cell = (part: Map<Kind, number[]>, kind: Kind) => {
    const times = part.get(kind) ?? [];
    return `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)}`;
  };
  const count = (kind: Kind) => parts.reduce((sum, part) => sum + (part.get(kind)?.length ?? 0), 0);
  return table(
    ['request, ms p50 / p99', 'answers', 'first third', 'second', 'last'],
    kinds.map((kind) => [kind, count(kind).toLocaleString('en-US'), ...parts.map((part) => cell(part, kind))]),
  );
}

/** At ten moments at most. */
function gauges(minutes: readonly Minute[]): string {
  const step = Math.max(1, Math.ceil(minutes.length / 10));
  const shown = minutes.map((minute, i) => ({ minute, i })).filter(({ i }) => (minutes.length - 1 - i) % step === 0);
  const mb = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} MB`;
  return table(
    ['after lap', 'answers', 'resident', 'heap', 'handles', 'threads', 'WAL', 'database', 'index'],
    shown.map(({ minute, i }) => {
      const { resident, heap, handles, threads, wal, database, index } = minute.gauges;
      const sizes = [wal, database, index].map(mb);
      const whole = [handles, threads].map(String);
      return [String(i + 1), answersOf(minute).toLocaleString('en-US'), mb(resident), mb(heap), ...whole, ...sizes];
    }),
  );
}

function judged(verdicts: readonly Verdict[]): string {
  return table(
    ['goal', 'found', 'met'],
    verdicts.map(({ what, found, ok }) => [what, found, ok ? 'yes' : 'NO']),
  );
}

function table(head: string[], rows: string[][]): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
