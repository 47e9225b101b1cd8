import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { type GraphExpansion, ShownEntities } from './graph-shown.ts';

/** A step of a path as POST /query has it, by the entity's id. */
export type QueryStep =
  | { entity: string; score?: number }
  | { edge: string; direction: 'outgoing' | 'incoming'; score?: number };

export interface QueryAnswerQuery {
  results: { id: string; score: number; path: QueryStep[] }[];
  /** The path to where the query ended before its end. */
  partial: QueryStep[] | null;
  /** How many entities the query came to. */
  explored: number;
  /** What is said where none of the results is left. */
  none: { error: string; reason: string; stopped_at_hop?: number };
  expand: GraphExpansion;
}

/**
 * What was deleted since the query ended is no result, nor is what it led to, and does not count (argo.md A35).
 * The answer of `POST /query` as JSON text up to within its `metadata`, of which further members and the end are to come:
 * `{"results":[...],"metadata":{"total_candidates_explored":1,"partial_path":[...],`
 */
export function queryAnswer(db: Reader, { results, partial, explored, none, expand }: QueryAnswerQuery): string {
  const shown = new ShownEntities(db, expand);
  const keyOf = (id: string) => entityKey(db, id) ?? 0;
  const path = (steps: QueryStep[]): string =>
    `[${steps.map((step) => ('entity' in step ? `{${shown.queried(keyOf(step.entity), 'step')}${scored(step)}}` : JSON.stringify(step))).join()}]`;
  const areLive = (steps: QueryStep[]): boolean =>
    steps.every((step) => !('entity' in step) || shown.isLive(keyOf(step.entity)));
  const left = results.filter(({ id, path: before }) => areLive([{ entity: id }, ...before]));
  const texts = left.map(
    ({ id, score, path: before }) =>
      `{"entity":{${shown.queried(keyOf(id), 'result')}},"path":${path(before)},"score":${JSON.stringify(score)}}`,
  );
  const counted = `"total_candidates_explored":${explored - (results.length - left.length)},`;
  const led = partial === null || !areLive(partial) ? '' : `"partial_path":${path(partial)},`;
  const why = left.length > 0 || results.length === 0 ? '' : `${JSON.stringify(none).slice(1, -1)},`;
  return `{"results":[${texts.join()}]${shown.metadata()},"metadata":{${counted}${led}${why}`;
}

function scored({ score }: { score?: number }): string {
  return score === undefined ? '' : `,"score":${JSON.stringify(score)}`;
}
