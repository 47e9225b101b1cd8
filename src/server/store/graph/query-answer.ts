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
  expand: GraphExpansion;
}

/**
 * The answer of `POST /query` as JSON text up to within its `metadata`, of which further members and the end are to come:
 * `{"results":[...],"metadata":{"partial_path":[...],`
 */
export function queryAnswer(db: Reader, { results, partial, expand }: QueryAnswerQuery): string {
  const shown = new ShownEntities(db, expand);
  const keyOf = (id: string) => entityKey(db, id) ?? 0;
  const path = (steps: QueryStep[]): string =>
    `[${steps.map((step) => ('entity' in step ? `{${shown.queried(keyOf(step.entity), 'step')}${scored(step)}}` : JSON.stringify(step))).join()}]`;
  const texts = results.map(
    ({ id, score, path: before }) =>
      `{"entity":{${shown.queried(keyOf(id), 'result')}},"path":${path(before)},"score":${JSON.stringify(score)}}`,
  );
  const led = partial === null ? '' : `"partial_path":${path(partial)},`;
  const left = shown.metadata();
  return `{"results":[${texts.join()}]${left},"metadata":{${led}`;
}

function scored({ score }: { score?: number }): string {
  return score === undefined ? '' : `,"score":${JSON.stringify(score)}`;
}
