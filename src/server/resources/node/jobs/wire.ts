import type { JobProgressView, NamedView } from '../../jobs/wire.ts';
import type { EntityId } from '../../wire.ts';

/** Where something stands; `unknown`: only the agent can say (GET /agents/{id}/jobs/{job_id}/status). */
export type JobPhaseView = 'pending' | 'running' | 'done' | 'error' | 'unknown';

export interface RunErrorView {
  /** @example "TIMEOUT" */
  code: string;
  message: string;
}

/** What was started by one invocation, with all that was handed on since. */
export interface RunLineView {
  /** The job with which it began, or the `dispatch_id` of a batch. */
  job_id: string;
  /** `batch`: one klados on many targets. */
  kind: 'rhiza' | 'agent' | 'klados' | 'batch';
  processor: NamedView;
  /** The collection that it works in. */
  target: NamedView;
  /** Where its logs are. */
  job_collection: EntityId;
  created_at: string;
  /** When the permissions of its first job end. */
  expires_at: string;
  status: JobPhaseView;
  progress: JobProgressView;
  completed_at: string | null;
  /** The first of what failed and was not repeated. */
  error: RunErrorView | null;
}

export interface RunsView {
  /** Newest first. */
  runs: RunLineView[];
  /**
   * The `before` of the next page; null on the last one.
   * @isInt
   */
  next: number | null;
}

export interface JobPlaceView {
  /** @isInt */
  index: number;
  /** @isInt */
  total: number;
}

export interface RunJobErrorView extends RunErrorView {
  /** Whether it can be repeated. */
  retryable: boolean;
}

/** One job of a run. */
export interface RunJobView {
  job_id: string;
  processor: NamedView;
  /** Its step, in a workflow. */
  step: string | null;
  /** The job that handed on to it. */
  parent: string | null;
  /** The failed job that it repeats. */
  retries: string | null;
  /** Its slot, where it is one of a scatter. */
  batch: JobPlaceView | null;
  status: JobPhaseView;
  /** How far its request has come; `unknown`: nobody can tell whether it arrived. */
  sending: 'queued' | 'sent' | 'accepted' | 'refused' | 'unknown';
  /** Why its request waits, was refused, or nobody can tell whether it arrived. */
  sending_error: string | null;
  error: RunJobErrorView | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  expires_at: string;
  /** The entity of its log. */
  log: EntityId | null;
  /** What it works on: the first twenty. */
  targets: EntityId[];
  /** @isInt */
  target_count: number;
  /** What it made or hands on: the first twenty. */
  outputs: EntityId[];
  /** @isInt */
  output_count: number;
}

export interface RunView {
  run: RunLineView;
  /** In the order in which they came. */
  jobs: RunJobView[];
  /**
   * How many there are; with `failed` how many of these.
   * @isInt
   */
  total: number;
}

export interface RepeatBody {
  /**
   * For how many seconds the klados gets its permissions.
   * @isInt
   * @minimum 60
   * @maximum 86400
   * @default 3600
   */
  expires_in?: number;
}
