import { isUtf8 } from 'node:buffer';
import { type Issue, ValidationError } from '../errors.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonLoss } from '../model/json-loss.ts';
import { jsonIssues } from '../model/json-value.ts';
import type { JsonObject } from '../model/manifest.ts';

/** A record as it stands in a file. */
export interface SourceRecord {
  record: JsonObject;
  /** Its line (NDJSON and CSV, where it ends) or its number in the array (JSON), from 1. */
  line: number;
  /** File and line in words, for messages: `works.ndjson, line 3`. */
  place: string;
  /** About how many bytes it has in its file. */
  size: number;
}

/** Of a byte that is not UTF-8, with the way out. */
export const notUtf8 = 'not UTF-8 text: say its encoding, as windows-1252, or save the file as UTF-8';

export const maxRecordBytes = 32 * 1024 * 1024;

/** Names a place of a file in errors. */
export interface Place {
  file: string;
  unit: 'line' | 'element';
}

function placeText({ file, unit }: Place, line: number): string {
  return `${file}, ${unit} ${line}`;
}

export function badRecord(place: Place, line: number, reason: string): ValidationError {
  return ValidationError.at([place.file, line], `${placeText(place, line)}: ${reason}`);
}

export function tooLong(place: Place, line: number): ValidationError {
  return badRecord(place, line, 'is longer than 32 MiB');
}

/** The record in its bytes, a JSON object. Throws a ValidationError that names file, line and reason. */
export function parseRecord(bytes: Buffer, place: Place, line: number): SourceRecord {
  if (!isUtf8(bytes)) throw badRecord(place, line, `is ${notUtf8}`);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = fromJson(text);
  } catch (error) {
    // Its own "(line 1 column 15)" would stand beside the line of the file.
    const message = (error as Error).message.replace(/ \(line \d+ column \d+\)$/, '');
    throw badRecord(place, line, `is not JSON: ${message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRecord(place, line, 'is not a JSON object');
  const source = sourceRecord(value as JsonObject, place, line, bytes.length);
  const loss = jsonLoss(text);
  if (loss) throw badPlace(place, line, loss);
  return source;
}

/** The record, if its values can be stored exactly (model/json-value.ts). */
export function sourceRecord(record: JsonObject, place: Place, line: number, size: number): SourceRecord {
  const issue = jsonIssues(record, [])[0];
  if (issue) throw badPlace(place, line, issue);
  return { record, line, place: placeText(place, line), size };
}

function badPlace(place: Place, line: number, { path, message }: Issue): ValidationError {
  const where = path.length > 12 ? [...path.slice(0, 12), '…'] : path;
  return badRecord(place, line, `${where.join('.') || 'the record'} ${message}`);
}
