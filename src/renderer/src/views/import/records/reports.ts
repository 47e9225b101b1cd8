import type { components } from '../../../api/schema.d.ts';

export type ImportReport = components['schemas']['ImportView'];

/** What an import has told of itself. */
interface Told {
  report: ImportReport;
  /** Whether all of its files have been read to their ends. */
  whole: boolean;
}

// By their ids, as long as the page is loaded: the node itself keeps no more of an import that has ended than its counts.
const told = new Map<string, Told>();

/** Keeps what an import has told, unless it has told all by now. */
export function keepReport(report: ImportReport, whole = false): void {
  if (whole || !told.get(report.id)?.whole) told.set(report.id, { report, whole });
}

/** What an import that was run in this page has told last. */
export function toldBy(id: string): Told | undefined {
  return told.get(id);
}
