import { useSyncExternalStore } from 'react';
import { endOf } from '../../../api/answer-lines.ts';
import { api, currentNetwork } from '../../../api/client.ts';
import { Failure, unreachable } from '../../../api/failure.ts';
import type { components } from '../../../api/schema.d.ts';
import { newListeners } from '../../../listeners.ts';

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
const { subscribe, tell } = newListeners();

const nameOf = (task: Task) => `${task} ${currentNetwork()}`;

function put(name: string, run: Run): void {
  runs.set(name, run);
  tell();
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
    const result = await endOf<Step, Results[Task]>(requests[task](dir), (step) =>
      put(name, { state: 'running', step }),
    );
    put(name, { state: 'done', result, at: Date.now() });
  } catch (error) {
    put(name, { state: 'failed', error: error instanceof Failure ? error : unreachable(error) });
  }
}
