import type { EntityId, JsonMap, VersionCid } from '../wire.ts';

/**
 * For how many seconds the processor gets its permissions.
 * @isInt
 * @minimum 60
 * @maximum 86400
 * @default 3600
 */
export type PermissionSeconds = number;

/** What every invocation says. */
export interface InvocationBody {
  /** The input; it must meet the processor's `input_schema`. */
  input?: JsonMap;
  expires_in?: PermissionSeconds;
  /** Start it; without it nothing happens, and the answer says which permissions would be given. */
  confirm?: boolean;
}

export interface NamedView {
  id: EntityId;
  label: string;
}

/** What a klados needs in the target collection. */
export interface KladosGrantView {
  klados: NamedView;
  actions: string[];
  /** The role in the target collection that gives them. */
  role: string;
  /** The klados holds all of it now. */
  already_granted: boolean;
  /** It did, and its time is over. */
  expired?: boolean;
  current_expires_at?: string;
}

/** A permission that was given. */
export interface KladosGrantedView {
  klados_id: EntityId;
  role: string;
  expires_at: string;
  /** There was such a grant before, which was prolonged or made anew. */
  was_update: boolean;
}

/** The preview of an invocation: nothing has happened yet. */
export interface PreviewHeadView {
  status: 'pending_confirmation';
  message: string;
  /** The target collection. */
  target: NamedView;
  /** When the permissions would end. */
  expires_at: string;
}

/** Whether the preview can be confirmed. */
export interface PreviewVerdictView {
  /**
   * The caller holds all that would be granted, and no processor has a role without an end that lacks some of it, or one that
   * ends within a minute and that the caller cannot prolong (confirmed, that is a 503 with `Retry-After`).
   */
  can_proceed: boolean;
  /** Something would be granted or prolonged. */
  grants_needed: boolean;
}

/** What a started or refused invocation has in common. */
export interface GrantedHeadView {
  /** The target collection's version with the grants. */
  target_cid: VersionCid;
  /** When the permissions end. */
  expires_at: string;
}

/** The processor has refused the job. */
export interface RejectionView {
  status: 'rejected';
  /** Its words. */
  error: string;
  /**
   * In how many seconds it may be tried again, as the processor says.
   * @isInt
   */
  retry_after?: number;
}

export interface JobProgressView {
  /** @isInt */
  total: number;
  /** @isInt */
  pending: number;
  /** @isInt */
  running: number;
  /** @isInt */
  done: number;
  /** @isInt */
  error: number;
}

export interface JobErrorView {
  klados_id: EntityId;
  job_id: string;
  /** @example "TIMEOUT" */
  code: string;
  message: string;
  /** Whether it can be repeated. */
  retryable: boolean;
}

/** How far a run has come. */
export interface RunStatusView {
  job_id: string;
  status: 'pending' | 'running' | 'done' | 'error';
  /** Its jobs so far. */
  progress: JobProgressView;
  /** The kladoi that work now. */
  current_kladoi?: EntityId[];
  /** Jobs that failed and were not repeated; at most 1,000. */
  errors?: JobErrorView[];
  started_at: string;
  completed_at?: string;
}

/** How far a workflow has come. */
export interface RhizaStatusView extends RunStatusView {
  rhiza_id: EntityId;
}

/** How far a job of a klados, or a batch of them, has come. */
export interface KladosStatusView extends RunStatusView {
  klados_id: EntityId;
  /** Where the logs are. */
  job_collection: EntityId;
}
