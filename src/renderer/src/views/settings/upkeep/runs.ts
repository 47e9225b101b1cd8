import { useSyncExternalStore } from 'react';
import { api, currentNetwork } from '../../../api/client.ts';
import { Failure, failureOf, unreachable } from '../../../api/failure.ts';
import { jsonLines } from '../../../api/lines.ts';
import type { components } from '../../../api/schema.d.ts';

type Schemas = components['schemas'];
export type Step = Schemas['StepView'];

/** What each task of the node ends with. */
export interface Results {
  verify: Schemas['VerifyView'];
  backup: Schemas['BackupView'];
  reindex: Schemas['ReindexedView'];
}
export type Task = keyof Results;

/** How far a task has come that this page has started. */
export type Run<T extends Task = Task> =
  | { state: 'running'; step: Step | null }
  | { state: 'done'; result: Results[T]; at: number }
  | { state: 'failed'; error: unknown };

// A task goes on when its screen is left, and is found where it stands when somebody comes back.
const runs = new Map<string, Run>();
const listeners = new Set<() => void>();

const nameOf = (task: Task) => `${task} ${currentNetwork()}`;

function put(name: string, run: Run): void {
  runs.set(name, run);
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The run of a task on the network that is shown, if one was started. */
export function useRun<T extends Task>(task: T): Run<T> | undefined {
  return useSyncExternalStore(subscribe, () => runs.get(nameOf(task))) as Run<T> | undefined;
}

const requests = {
  verify: () => api.POST('/node/verify', { parseAs: 'stream' }),
  backup: (dir: string) => api.POST('/node/backup', { body: { dir }, parseAs: 'stream' }),
  reindex: () => api.POST('/node/reindex', { parseAs: 'stream' }),
};

/** Starts a task, unless it is under way, and follows it to its end; what comes of it is in `useRun`. `dir` is where a backup goes. */
export async function start(task: Task, dir = ''): Promise<void> {
  const name = nameOf(task);
  if (runs.get(name)?.state === 'running') return;
  put(name, { state: 'running', step: null });
  try {
    put(name, { state: 'done', result: await follow(name, task, dir), at: Date.now() });
  } catch (error) {
    put(name, { state: 'failed', error: error instanceof Failure ? error : unreachable(error) });
  }
}

async function follow(name: string, task: Task, dir: string): Promise<Results[Task]> {
  const { data, error, response } = await requests[task](dir);
  if (!response.ok || !data) throw failureOf(response.status, error);
  type Line = { progress?: Step; done?: Results[Task]; error?: string; details?: Record<string, unknown> };
  for await (const line of jsonLines<Line>(data as ReadableStream<Uint8Array>)) {
    if (line.done) return line.done;
    if (line.error !== undefined) throw new Failure('broken', line.error, 0, line.details);
    if (line.progress) put(name, { state: 'running', step: line.progress });
  }
  throw new Failure('unreachable', 'the answer ended early');
}
