import './sqlite-thread.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { DamagedArchiveError } from '../../blocks/damaged-archive-error.ts';
import { DomainError, ValidationError } from '../../errors.ts';
import type { Progress } from '../progress.ts';
import { storageError } from '../storage-error.ts';
import { type TaskOrder, tasks } from './long-tasks.ts';

/** What a thread could not do, as plain data. */
export type Failure =
  | { kind: 'damaged'; reason: string; offset: number; sound: boolean }
  | { kind: 'invalid'; issues: ValidationError['issues'] }
  | { kind: 'refused'; message: string }
  | { kind: 'storage'; reason: string; full: boolean };

/** Messages from a thread: that it has begun, progress now and then, then a result or a failure. */
export type FromTask = { begun: true } | { progress: Progress } | { result: unknown } | { failed: Failure };

const port = parentPort;
if (port) {
  const post = (message: FromTask) => port.postMessage(message);
  const { name, args } = workerData as TaskOrder;
  const task = tasks[name] as (
    args: unknown,
    report: (progress: Progress) => void,
    stopped: AbortSignal,
  ) => Promise<unknown>;
  const stop = new AbortController();
  post({ begun: true });
  // The one message that comes.
  port.once('message', () => stop.abort());
  task(args, (progress) => post({ progress }), stop.signal)
    .then(
      (result) => post({ result }),
      (error: unknown) => post({ failed: failure(error) }),
    )
    .finally(() => port.close());
}

function failure(error: unknown): Failure {
  if (error instanceof DamagedArchiveError) {
    const { reason, offset, sound } = error;
    return { kind: 'damaged', reason, offset, sound };
  }
  if (error instanceof ValidationError) return { kind: 'invalid', issues: error.issues };
  if (error instanceof DomainError && error.code === 'UNAVAILABLE') return { kind: 'refused', message: error.message };
  return { kind: 'storage', ...storageError(error) };
}
