/**
 * How far the request of a job has come. `queued`: it is to be sent; `sent`: it may have arrived; `unknown`: nobody can
 * tell whether it has; the other two are the processor's answers. What the job itself does stands in its log.
 */
export type JobState = 'queued' | 'sent' | 'accepted' | 'refused' | 'unknown';

/** What is known of a job's request. */
export interface Sending {
  state: JobState;
  /** How often it was sent. */
  attempts: number;
  /** Why it is refused, unknown or queued again. */
  error: string | null;
  /** Seconds, as the processor said. */
  retryAfter: number | null;
}

export type SendingEvent =
  /** It is about to be sent. */
  | { kind: 'sending' }
  | { kind: 'accepted' }
  | { kind: 'refused'; error: string; retryAfter?: number }
  /** It did not arrive. */
  | { kind: 'unreached'; error: string }
  /** It was not taken, and nobody waits for the answer: it is sent again later. */
  | { kind: 'put_back'; error: string; retryAfter?: number }
  | { kind: 'unknown'; error: string }
  /** It may have been sent by the node that this one was restored from. */
  | { kind: 'held'; error: string }
  /** The node begins anew. `local`: the processor ended with it; `begun`: it had begun the log of the job. */
  | { kind: 'restarted'; local: boolean; begun: boolean };

/** Why nobody can tell what became of a request that was under way when the node stopped: nobody was answered by then. */
export const stoppedMeanwhile = 'the node stopped before the processor had answered';

/** How often a processor that refuses the connection is tried while somebody waits. */
export const maxAttempts = 4;

export const newSending: Sending = { state: 'queued', attempts: 0, error: null, retryAfter: null };

/** The state after an event. An answer that has been given stays, whatever comes later; nothing unknown is sent again. */
export function afterSending(now: Sending, event: SendingEvent): Sending {
  switch (event.kind) {
    case 'sending':
      return now.state === 'queued'
        ? { ...now, state: 'sent', attempts: now.attempts + 1, error: null, retryAfter: null }
        : now;
    case 'accepted':
      return now.state === 'sent' ? { ...now, state: 'accepted', error: null } : now;
    case 'refused': {
      const { error, retryAfter = null } = event;
      return now.state === 'sent' ? { ...now, state: 'refused', error, retryAfter } : now;
    }
    case 'unreached': {
      if (now.state !== 'sent') return now;
      return { ...now, state: now.attempts < maxAttempts ? 'queued' : 'refused', error: event.error };
    }
    case 'put_back': {
      const { error, retryAfter = null } = event;
      return now.state === 'sent' ? { ...now, state: 'queued', error, retryAfter } : now;
    }
    case 'unknown':
      return now.state === 'sent' ? { ...now, state: 'unknown', error: event.error } : now;
    case 'held':
      return now.state === 'queued' ? { ...now, state: 'unknown', error: event.error } : now;
    case 'restarted':
      return restarted(now, event);
  }
}

function restarted(now: Sending, { local, begun }: Extract<SendingEvent, { kind: 'restarted' }>): Sending {
  if (now.state !== 'sent' && now.state !== 'accepted') return now;
  if (local) {
    // It waited its turn within the node: a stop then says nothing of it.
    if (!begun) return { ...now, state: 'queued', attempts: now.attempts - 1 };
    // What ran within the node ran into the void; how often it is begun anew is bounded.
    if (now.attempts < maxAttempts) return { ...now, state: 'queued' };
    return { ...now, state: 'refused', error: `the node stopped ${now.attempts} times while it ran` };
  }
  return now.state === 'sent' ? { ...now, state: 'unknown', error: stoppedMeanwhile } : now;
}

/** Milliseconds to wait before a processor is tried again that did not take the connection. */
export function pauseBefore(attempt: number): number {
  return attempt === 0 ? 0 : 100 * 3 ** Math.min(attempt - 1, 5);
}
