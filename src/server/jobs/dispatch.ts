import type { Network } from '../model/ids.ts';
import type { JobRequest } from '../model/job-request.ts';

/** One request to a processor. It has been recorded before it is sent. */
export interface Dispatch {
  network: Network;
  processor: { id: string; type: 'agent' | 'klados'; endpoint: string };
  request: JobRequest;
}

/** What became of it. */
export type Outcome =
  /** The processor has taken the job; its log says the rest. */
  | { kind: 'accepted' }
  /** It has answered that it does not take it; `retryAfter` in seconds, as it said. */
  | { kind: 'refused'; error: string; retryAfter?: number }
  /** It surely did not get the request: it may be sent again. */
  | { kind: 'unreached'; error: string }
  /** It may have got it: it is never sent again, and its log is waited for (decisions.md, Processors). */
  | { kind: 'unknown'; error: string };

/** Why a job is given up, and whether it may be resumed: with what has handed on, that would begin once more. */
export interface GivenUp {
  message: string;
  retryable: boolean;
}

/** A way to processors. Which one takes a job depends on the processor's endpoint. */
export interface Dispatcher {
  takes(endpoint: string): boolean;
  /** The processor runs within this node, so that its work ends with it: after a restart it is sent again. */
  readonly local: boolean;
  /** Why a processor cannot work now, where that shows without asking it; null where it may. */
  unready?(
    processor: Pick<Dispatch, 'network'> & Pick<Dispatch['processor'], 'id' | 'endpoint'>,
  ): Promise<string | null>;
  /**
   * Ends the log of a job that was under way within this node and is not begun again, also where its processor is out of use by
   * now. Resolves when that is done, or cannot be, or the signal is given; true where the job turns out to have done its work.
   * Never rejects.
   */
  giveUp?(dispatch: Dispatch, why: GivenUp, signal: AbortSignal): Promise<boolean>;
  /**
   * Ends the log of a job within this node whose permissions have ended, as where the node was down by then. Resolves when that is
   * done, or cannot be. Never rejects.
   */
  endLate?(dispatch: Dispatch, signal: AbortSignal): Promise<void>;
  /** Resolves when the processor has taken or refused the job, not when the job is done. Never rejects. */
  send(dispatch: Dispatch, signal: AbortSignal): Promise<Outcome>;
}
