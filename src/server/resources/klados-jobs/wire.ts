import type {
  GrantedHeadView,
  InvocationBody,
  KladosGrantedView,
  KladosGrantView,
  PreviewHeadView,
  PreviewVerdictView,
  RejectionView,
} from '../jobs/wire.ts';
import type { EntityId, JsonMap } from '../wire.ts';

/** A slot of a scatter. */
export interface BatchPlaceBody {
  id: EntityId;
  /**
   * @isInt
   * @minimum 0
   */
  index: number;
  /**
   * @isInt
   * @minimum 1
   */
  total: number;
}

/**
 * Where in a workflow the job stands; kladoi send it when they hand on. Members that the node does not know are passed on
 * to the processor as they are.
 */
export interface RhizaContextBody {
  /** The workflow. */
  id: EntityId;
  /**
   * Step names, from the entry to the step of this job.
   * @maxItems 10000
   */
  path: string[];
  /**
   * Ids of the logs of the jobs that hand on.
   * @maxItems 10000
   */
  parent_logs: string[];
  batch?: BatchPlaceBody;
  [more: string]: unknown;
}

export interface InvokeKladosBody extends InvocationBody {
  /** What to work on, where the klados accepts `one`. A single one is taken under either name. */
  target_entity?: EntityId;
  /**
   * The same where it accepts `many`.
   * @minItems 1
   * @maxItems 10000
   */
  target_entities?: EntityId[];
  /** The collection to work in: the klados gets its permissions there. */
  target_collection: EntityId;
  /** Where its log goes; a new collection if omitted. No mirror, unless that is the target as well. */
  job_collection?: EntityId;
  rhiza?: RhizaContextBody;
  /** Another name of `rhiza`. */
  rhiza_context?: RhizaContextBody;
}

/** Which permissions the klados would get. */
export interface KladosPreviewView extends PreviewHeadView, PreviewVerdictView {
  grants: KladosGrantView[];
}

interface KladosGrantedHead extends GrantedHeadView {
  grants: KladosGrantedView[];
}

/** The klados has taken the job, or nobody can tell whether it has: then its log is waited for until `expires_at`. */
export interface KladosStartedView extends KladosGrantedHead {
  status: 'started';
  job_id: string;
  job_collection: EntityId;
  klados_id: EntityId;
}

export interface KladosRejectedView extends RejectionView, KladosGrantedHead {}

export type KladosInvokedView = KladosStartedView | KladosRejectedView;

export interface ReinvokeBody {
  /** The log of the job that failed. */
  log_id: EntityId;
  /**
   * For how many seconds the klados gets its permissions.
   * @isInt
   * @minimum 60
   * @maximum 86400
   * @default 3600
   */
  expires_in?: number;
}

/** What became of the repetition. */
export interface RepeatedView {
  accepted: boolean;
  /** The new job. */
  job_id?: string;
  error?: string;
  /** @isInt */
  retry_after?: number;
}

export interface ReinvokedView extends RepeatedView {
  original_log_id: EntityId;
}

export interface BatchItemBody {
  target_entity: EntityId;
  /** Over the shared input. */
  input?: JsonMap;
}

export interface InvokeBatchBody extends InvocationBody {
  /**
   * One job each.
   * @minItems 1
   * @maxItems 10000
   */
  invocations: BatchItemBody[];
  target_collection: EntityId;
}

export interface KladosBatchPreviewView extends KladosPreviewView {
  /** @isInt */
  invocation_count: number;
}

/** The jobs are on disk; they are sent a few at a time. */
export interface KladosDispatchView extends KladosGrantedHead {
  status: 'dispatching';
  job_collection: EntityId;
  klados_id: EntityId;
  /** GET /kladoi/{id}/jobs/{dispatch_id}/status tells how far it has come. */
  dispatch_id: string;
  /** @isInt */
  total: number;
}
