import type { Network } from '../../model/ids.ts';
import { Findings, type VerifyCounts, type VerifyReport } from '../../store/verify/verify-findings.ts';
import { counted } from '../parts/counted.ts';

/** Something that was verified by itself: the storage of a network, or the files on the list of a backup. */
export interface VerifiedPart {
  what: Network | 'list';
  report: VerifyReport;
}

/** What was found in all parts, as one report. */
export function wholeReport(parts: readonly VerifiedPart[]): VerifyReport {
  const whole = new Findings().report();
  const severalNetworks = hasSeveralNetworks(parts);
  for (const { what, report } of parts) {
    const named = (text: string) => (severalNetworks && what !== 'list' ? `${what}: ${text}` : text);
    whole.ok &&= report.ok;
    whole.problem_count += report.problem_count;
    whole.problems.push(...report.problems.map((problem) => ({ ...problem, message: named(problem.message) })));
    whole.remarks.push(...report.remarks.map(named));
    for (const key of Object.keys(whole.counts) as (keyof VerifyCounts)[]) whole.counts[key] += report.counts[key];
  }
  return whole;
}

/** What was found as lines, part by part. */
export function partLines(parts: readonly VerifiedPart[]): string[] {
  const severalNetworks = hasSeveralNetworks(parts);
  return parts.flatMap(({ what, report }) => {
    const { ok, problems, problem_count, remarks } = report;
    const name = severalNetworks ? `${what}: ` : '';
    return [
      `${what === 'list' ? 'The files on the list of the backup' : name + sizes(report)}: ${ok ? 'all is well' : 'something is wrong'}`,
      ...problems.map(({ kind, message }) => `  ${kind}: ${message}`),
      ...(problem_count > problems.length
        ? [`  and ${(problem_count - problems.length).toLocaleString('en')} more`]
        : []),
      ...remarks,
    ];
  });
}

function hasSeveralNetworks(parts: readonly VerifiedPart[]): boolean {
  return parts.filter(({ what }) => what !== 'list').length > 1;
}

function sizes({ counts: { versions, entities, edges, moves, heads } }: VerifyReport): string {
  return `${counted(versions, 'version')} of ${counted(entities, 'entity')}, ${counted(edges, 'relationship')}, ${counted(moves, 'move')}, ${counted(heads, 'signed head')}`;
}
