import { beginningOf } from '../../model/cut-text.ts';
import { fromJson } from '../../model/from-json.ts';
import { folded } from '../../model/label-fold.ts';
import type { Reader } from '../connection.ts';
import { inTypeIndex } from '../indexed-types.ts';

export type ProcessorType = 'agent' | 'klados' | 'rhiza';

/** A processor in a list. Its properties may be anything that another node wrote, so that all of them are read leniently. */
export interface ProcessorLine {
  id: string;
  type: ProcessorType;
  label: string;
  description: string | null;
  status: string | null;
  /** Of agents and kladoi. */
  endpoint: string | null;
  endpoint_verified_at: string | null;
  /** Of kladoi. */
  accepts: { types: string[]; cardinality: string } | null;
  produces: { types: string[]; cardinality: string } | null;
  /** Of rhizai. */
  version: string | null;
  steps: number | null;
  collection: { id: string; label: string } | null;
  updated_at: string;
}

export interface ProcessorListQuery {
  types: readonly ProcessorType[];
  status: string | null;
  /** A part of the label, whatever its case, or the whole id. */
  part: string;
  limit: number;
  offset: number;
}

interface Found {
  key: number;
  id: string;
  label: string;
}

/** A page of the live processors that fit, by their labels. A long read. */
export function listProcessors(
  db: Reader,
  { types, status, part, limit, offset }: ProcessorListQuery,
): { processors: ProcessorLine[]; total: number } {
  const all = db.all<Found>(
    `SELECT key, id, ifnull(label, '') AS label FROM entity
      WHERE type IN (${types.map(() => '?').join()}) AND ${inTypeIndex}
        AND deleted = 0 ${status === null ? '' : "AND json_extract(json, '$.properties.status') = ?"}`,
    ...types,
    ...(status === null ? [] : [status]),
  );
  const wanted = folded(part);
  const fitting = all
    .map((found) => ({ ...found, folded: folded(found.label) }))
    .filter((one) => one.folded.includes(wanted) || one.id === part)
    .sort((a, b) => compare(a.folded, b.folded) || compare(a.id, b.id));
  const page = fitting.slice(offset, offset + limit);
  return { processors: page.map(({ key }) => lineOf(db, key)), total: fitting.length };
}

interface Row {
  id: string;
  type: ProcessorType;
  label: string;
  json: string;
  updated_at: string;
  collection: string | null;
  collection_label: string | null;
}

function lineOf(db: Reader, key: number): ProcessorLine {
  const { json, collection, collection_label, ...row } = db.get<Row>(
    `SELECT e.id, e.type, substr(ifnull(e.label, ''), 1, 300) AS label, e.json, e.updated_at, c.id AS collection,
       substr(c.label, 1, 300) AS collection_label
       FROM entity e LEFT JOIN entity c ON c.key = e.collection WHERE e.key = ?`,
    key,
  ) as Row;
  const { properties } = fromJson(json) as { properties: { [name: string]: unknown } };
  const flow = row.type === 'rhiza' ? properties.flow : null;
  return {
    ...row,
    description: text(properties.description),
    status: text(properties.status),
    endpoint: text(properties.endpoint),
    endpoint_verified_at: text(properties.endpoint_verified_at),
    accepts: port(properties.accepts),
    produces: port(properties.produces),
    version: row.type === 'rhiza' ? text(properties.version) : null,
    steps: typeof flow === 'object' && flow !== null ? Object.keys(flow).length : null,
    collection: collection === null ? null : { id: collection, label: collection_label ?? '' },
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? beginningOf(value, 2048) : null;
}

function port(value: unknown): ProcessorLine['accepts'] {
  if (typeof value !== 'object' || value === null) return null;
  const { types, cardinality } = value as { types?: unknown; cardinality?: unknown };
  const names = Array.isArray(types) ? types.filter((one) => typeof one === 'string').slice(0, 20) : [];
  return { types: names.map((name) => beginningOf(name, 100)), cardinality: cardinality === 'many' ? 'many' : 'one' };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
