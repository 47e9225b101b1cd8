import { previewOf } from '../model/preview.ts';
import type { Reader } from '../store/connection.ts';
import { type Expansion, type HitRow, hitRows } from '../store/search/search-hits.ts';
import type { Ranked } from './fuse.ts';

/** What an answer shows of each hit. */
export interface Shape {
  expand: Expansion;
  /** Members that not every endpoint has. */
  members: readonly ('pi' | 'type' | 'collection_id' | 'collection_pi' | 'status')[];
}

/** The hits as the wire has them: the text of a JSON array, in the order of the ranking, and how many they are. */
export function presented(db: Reader, ranked: readonly Ranked[], shape: Shape): { results: string; count: number } {
  const scores = new Map(ranked.map(({ key, score }) => [key, score]));
  const rows = hitRows(
    db,
    ranked.map(({ key }) => key),
    shape.expand,
  );
  const results = rows.map((row) => presentedRow(row, scores.get(row.key) ?? 0, shape));
  return { results: `[${results.join(',')}]`, count: rows.length };
}

function presentedRow(row: HitRow, score: number, { expand, members }: Shape): string {
  const { id, type, label, collection, created_at, updated_at, status } = row;
  const hit = {
    id,
    ...(members.includes('pi') && { pi: id }),
    label,
    ...(members.includes('type') && { type }),
    score: Number(score.toFixed(6)),
    ...(members.includes('collection_id') && { collection_id: collection }),
    ...(members.includes('collection_pi') && { collection_pi: collection }),
    ...(members.includes('status') && status !== null && { status }),
    created_at,
    updated_at,
    ...(expand !== 'none' && { entity_preview: previewOf(row, { description: row.description, text: row.text }) }),
  };
  const json = JSON.stringify(hit);
  return expand === 'full' ? `${json.slice(0, -1)},"entity":${row.json}}` : json;
}
