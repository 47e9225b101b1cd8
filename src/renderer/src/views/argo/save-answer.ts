import { saveAs } from '../../components/save-as.ts';
import type { Answer, Result } from './argo-queries.ts';

/** Saves an answer as the node gave it. */
export function saveJson(answer: Answer): void {
  saveAs(new Blob([JSON.stringify(answer, null, 2)], { type: 'application/json' }), 'argo.json');
}

/** Saves the results as a table; the way to each stands in one cell. */
export function saveCsv({ results }: Answer): void {
  // The sign at the beginning tells spreadsheets that it is UTF-8.
  saveAs(new Blob(['\ufeff', csvOf(results)], { type: 'text/csv;charset=utf-8' }), 'argo.csv');
}

export function csvOf(results: readonly Result[]): string {
  const head = ['rank', 'score', 'id', 'type', 'label', 'collection_id', 'path'];
  const rows = results.map(({ entity, score, path }, i) => [
    i + 1,
    score,
    entity.id,
    entity.type,
    entity.label,
    entity.collection_id ?? '',
    pathOf(path),
  ]);
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** `Ship (ID) -[made_by]-> Turner (ID) <-[member_of]-`: in it the result would come next. */
function pathOf(path: Result['path']): string {
  return path
    .map(({ entity, label, edge, direction }) => {
      if (entity !== undefined) return `${label} (${entity})`;
      return direction === 'incoming' ? `<-[${edge}]-` : `-[${edge}]->`;
    })
    .join(' ');
}

/** What a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
