import { type Issue, ValidationError } from '../errors.ts';
import { Steps } from '../loop/steps.ts';
import type { JsonObject } from '../model/manifest.ts';
import { type ColumnFacts, columnsOf } from './columns.ts';
import type { Draft } from './draft.ts';
import type { MapContext } from './map-record.ts';
import { type MappingOf, mapSource } from './map-source.ts';
import type { Mapping } from './mapping.ts';
import type { SourceRecord } from './record-place.ts';
import { readRecords } from './records.ts';

/** The beginning of a file, and whether it is all of it. */
export interface Sample {
  name: string;
  text: string;
  whole: boolean;
}

/** One record of a sample with what becomes of it: entities, or what is wrong with it. */
export interface PreviewRow {
  /** File and line in words. */
  place: string;
  record: JsonObject;
  drafts: Draft[];
  issues: Issue[];
}

export interface Preview {
  rows: PreviewRow[];
  columns: ColumnFacts[];
  /** Records of the sample, and those of them that cannot be mapped. */
  records: number;
  refused: number;
  /** Why the sample could not be read further. */
  issues: Issue[];
}

/** More than a screen shows; what is beyond is counted alone. */
const maxRefusedRows = 20;

/**
 * What an import would make of the first records of a file, and what its columns hold. The first `limit` rows are given,
 * and the first twenty that are refused.
 */
export async function previewOf(
  sample: Sample,
  mappingOf: MappingOf,
  context: MapContext,
  limit: number,
): Promise<Preview> {
  const preview: Omit<Preview, 'columns'> = { rows: [], records: 0, refused: 0, issues: [] };
  const steps = new Steps();
  const records: JsonObject[] = [];
  try {
    for await (const source of readRecords(sampleBytes(sample), sample.name)) {
      if (steps.due()) await steps.next();
      records.push(source.record);
      const row = await rowOf(source, mappingOf(source), context, steps);
      preview.records++;
      if (row.issues.length > 0) preview.refused++;
      if (preview.rows.length < limit || (row.issues.length > 0 && preview.refused <= maxRefusedRows))
        preview.rows.push(row);
    }
  } catch (error) {
    if (error instanceof ValidationError) preview.issues = error.issues;
    else if (!(error instanceof SampleEnd)) throw error;
  }
  // Whoever waits for a table of it would not know why there is none.
  if (preview.records === 0 && preview.issues.length === 0 && !sample.whole) preview.issues = [tooLong(sample.name)];
  return { ...preview, columns: columnsOf(records, sample.whole) };
}

function tooLong(name: string): Issue {
  const message = `${name}: the first record is too long to be looked at here; "archeion import" takes records of up to 32 MiB`;
  return { path: [], message };
}

async function rowOf(source: SourceRecord, mapping: Mapping, context: MapContext, steps: Steps): Promise<PreviewRow> {
  const { place, record } = source;
  try {
    return { place, record, drafts: await steps.through(mapSource(mapping, source, context)), issues: [] };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { place, record, drafts: [], issues: error.issues };
  }
}

/** The sample ended before its file does: no fault of the file. */
class SampleEnd extends Error {}

/** A cut table or list of lines ends after its last whole row; a cut array ends where it was cut, which is no fault. */
async function* sampleBytes({ name, text, whole }: Sample): AsyncGenerator<Uint8Array> {
  const [, ending = ''] = /\.(json|csv|tsv|ndjson|jsonl)$/i.exec(name) ?? [];
  const isTable = /^[ct]sv$/i.test(ending);
  const isArray = /^json$/i.test(ending) || (ending === '' && /^\s*\[/.test(text));
  const isLines = /^ndjson$|^jsonl$/i.test(ending) || (!isTable && /^\s*\{/.test(text));
  yield Buffer.from(whole || isArray ? text : wholeRows(text, isLines));
  if (!whole && isArray) throw new SampleEnd();
}

/** A text up to the last line break that ends a row; in a table those between quotes end none. */
function wholeRows(text: string, lines: boolean): string {
  if (lines) return text.slice(0, text.lastIndexOf('\n') + 1);
  let end = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (sign === '"') quoted = !quoted;
    else if ((sign === '\n' || sign === '\r') && !quoted) end = i + 1;
  }
  return text.slice(0, end);
}
