import { UnavailableError } from '../../errors.ts';

/** Whether a thread could not begin. */
export function isOfStart(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INIT_FAILED';
}

export function withoutThread(fault: unknown): UnavailableError {
  const cause = fault instanceof Error ? ` (${fault.message})` : '';
  const reason =
    `The thread that this waited for has stopped, or could not be started${cause}. Try again; where that goes on, this process may ` +
    'open too few files ("ulimit -n" says how many), or has too little memory.';
  return new UnavailableError('Service unavailable', { service: 'threads', reason });
}
