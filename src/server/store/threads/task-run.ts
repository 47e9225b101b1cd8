import { Worker } from 'node:worker_threads';
import { DamagedArchiveError } from '../../blocks/damaged-archive-error.ts';
import { StorageError, UnavailableError, ValidationError } from '../../errors.ts';
import type { Progress } from '../progress.ts';
import type { TaskName, TaskOrder, TaskResult } from './long-tasks.ts';
import type { Failure, FromTask } from './task-thread.ts';
import { isOfStart, withoutThread } from './without-thread.ts';
import { workerUrl } from './worker-url.ts';

const exitMs = 5000;
const stopped = 'stopped';
/** Tasks that have first to take away what they have begun; the others may be ended at any time. */
const endThemselves: readonly TaskName[] = ['backup'];

/**
 * Runs a task in a thread of its own and gives its progress as it comes and returns its result. Leaving off, or aborting
 * `signal`, ends the thread, or tells it to end, and waits until it has ended.
 * @throws DamagedArchiveError, ValidationError, UnavailableError, StorageError; the reason of `signal`
 */
export async function* runTask<N extends TaskName>(
  order: TaskOrder<N>,
  signal?: AbortSignal,
): AsyncGenerator<Progress, TaskResult<N>, undefined> {
  const worker = new Worker(workerUrl('task-thread'), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  const messages: (FromTask | typeof stopped)[] = [];
  let wake = () => {};
  const put = (message: FromTask | typeof stopped) => {
    messages.push(message);
    wake();
  };
  const stop = () => put(stopped);
  // It must not be ended before (sqlite-thread.ts).
  const begun = new Promise<unknown>((resolve) => worker.once('message', resolve).once('exit', resolve));
  let ended = false;
  worker.on('message', put);
  worker.on('error', (error) => {
    const reason = isOfStart(error) ? withoutThread(error).sentence : error.message;
    put({ failed: { kind: 'storage', reason, full: false } });
  });
  worker.on('exit', () => put({ failed: { kind: 'storage', reason: 'A thread stopped unexpectedly.', full: false } }));
  signal?.addEventListener('abort', stop);
  try {
    signal?.throwIfAborted();
    for (;;) {
      const message = messages.shift();
      if (!message)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else if (message === stopped) signal?.throwIfAborted();
      else if ('begun' in message) continue;
      else if ('progress' in message) yield message.progress;
      else {
        ended = true;
        if ('failed' in message) throw errorOf(message.failed);
        return message.result as TaskResult<N>;
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    if (ended) await exit(worker);
    else if (endThemselves.includes(order.name)) await told(worker);
    else {
      await begun;
      await worker.terminate();
    }
  }
}

async function told(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(stopped);
  await exited;
}

/** A thread that has said its last word closes its databases and goes by itself; one that does not is ended. */
async function exit(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const timer = setTimeout(() => void worker.terminate(), exitMs);
  await new Promise((resolve) => worker.once('exit', resolve));
  clearTimeout(timer);
}

function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'damaged':
      return new DamagedArchiveError(failure.reason, failure.offset, failure.sound);
    case 'invalid':
      return new ValidationError(failure.issues);
    case 'refused':
      return new UnavailableError(failure.message);
    case 'storage':
      return new StorageError(failure.reason, failure.full);
  }
}
