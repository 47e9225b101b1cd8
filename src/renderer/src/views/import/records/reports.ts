import type { components } from '../../../api/schema.d.ts';

export type ImportReport = components['schemas']['ImportView'];

/** What an import has told of itself. */
interface Told {
  report: ImportReport;
  /** Whether all of its files have been read to their ends. */
  whole: boolean;
}

/** What the last one is called in the tab's storage. */
const place = 'import-report';

// By their ids, as long as the page is loaded: the node itself keeps no more of an import that has ended than its counts. The last
// one of the tab is there still when the page is loaded again.
const told = new Map<string, Told>(stored());

function stored(): [string, Told][] {
  try {
    const last = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Told | null;
    return last ? [[last.report.id, last]] : [];
  } catch {
    return [];
  }
}

/** Keeps what an import has told, unless it has told all by now. */
export function keepReport(report: ImportReport, whole = false): void {
  if (told.get(report.id)?.whole && !whole) return;
  told.set(report.id, { report, whole });
  try {
    sessionStorage.setItem(place, JSON.stringify({ report, whole }));
  } catch {
    // Too much for the browser's storage: it goes with the page.
  }
}

/** What an import that was run in this tab has told last. */
export function toldBy(id: string): Told | undefined {
  return told.get(id);
}
