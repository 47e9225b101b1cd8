import type { InvocationBody, NamedView, PreviewHeadView, RejectionView } from '../jobs/wire.ts';
import type { EntityId } from '../wire.ts';

export interface InvokeRhizaBody extends InvocationBody {
  /** The collection to work in: all kladoi of the workflow get their permissions there. */
  target_collection: EntityId;
  /** What to work on, where the entry klados accepts `one`. A single one is taken under either name. */
  target_entity?: EntityId;
  /**
   * The same where it accepts `many`.
   * @minItems 1
   * @maxItems 10000
   */
  target_entities?: EntityId[];
}

/** What a klados of the workflow needs in the target collection. */
export interface RhizaGrantView {
  klados: NamedView;
  actions: string[];
  role: string;
  already_granted: boolean;
}

/** Why a klados or workflow in it cannot work; of the workflow itself, that its entry leads to no klados. */
export interface KladosIssueView {
  id: EntityId;
  /** @example "not_found" */
  reason: string;
}

export interface RhizaPreviewView extends PreviewHeadView {
  grants: RhizaGrantView[];
  /** @isInt */
  kladoi_count: number;
  /** All kladoi are there and active, no workflow within it is disabled, and none leads back without a `recurse`. */
  all_ready: boolean;
  klados_issues?: KladosIssueView[];
}

export interface RhizaStartedView {
  status: 'started';
  job_id: string;
  job_collection: EntityId;
  rhiza_id: EntityId;
  /** When the permissions end. */
  expires_at: string;
}

export type RhizaInvokedView = RhizaStartedView | RejectionView;

export interface ResumeBody {
  /**
   * Only jobs that failed with one of these codes; all that may be repeated if omitted.
   * @maxItems 100
   */
  error_codes?: string[];
}

export interface ResumedJobView {
  original_job_id: string;
  klados_id: EntityId;
  new_job_id: string;
}

export interface ResumedView {
  /** @isInt */
  resumed: number;
  /**
   * Failed jobs that are not repeated: another code, or not worth it, or see `error`.
   * @isInt
   */
  skipped: number;
  jobs: ResumedJobView[];
  /** Why the rest is skipped, where some jobs of very many had begun when that came up. */
  error?: string;
}
