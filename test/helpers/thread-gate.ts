import { Piscina } from 'piscina';
import { vi } from 'vitest';

/**
 * Keeps the tasks of these names on the way to their threads until it is opened, and notes which there were, long reads by the
 * names of the reads. `vi.restoreAllMocks` takes it away.
 */
export function threadGate(...names: string[]) {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { run } = Piscina.prototype;
  vi.spyOn(Piscina.prototype, 'run').mockImplementation(async function (this: Piscina, task, options) {
    const name = options?.name ?? '';
    if (names.includes(name)) {
      begun.push(name === 'runLongRead' ? task.name : name);
      await promise;
    }
    return run.call(this, task, options);
  });
  return { open, begun };
}
