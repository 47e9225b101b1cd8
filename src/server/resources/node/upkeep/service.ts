import { isAbsolute } from 'node:path';
import type { AttestationLogs } from '../../../attest/logs.ts';
import { ForbiddenError, UnavailableError, ValidationError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import type { SearchEngine } from '../../../search/engine.ts';
import type { OpenFiles } from '../../../store/file-identity.ts';
import type { Networks } from '../../../store/networks.ts';
import { runTask } from '../../../store/threads/task-run.ts';
import type { SyncEngine } from '../../../sync/engine.ts';
import { OneAtATime } from '../archives/one-at-a-time.ts';
import { UnderWay } from '../under-way.ts';
import type { BackupLineView, ReindexLineView, VerifyLineView } from './wire.ts';

export interface UpkeepSurroundings {
  networks: Networks;
  /** The data folder. */
  data: string;
  /** Of the databases that the node has open. */
  openFiles: () => OpenFiles;
  instance: string;
  version: string;
  now: () => number;
  logs: AttestationLogs;
  /** What an import must not run beside. */
  alone: OneAtATime;
  /** The same for verifying, which an import may run beside. */
  verifying: OneAtATime;
  search: SearchEngine;
  sync: Pick<SyncEngine, 'compareContent'>;
}

/** What keeps a node's data sound. Closing waits for the tasks whose callers have left. */
export class UpkeepService implements AsyncDisposable {
  readonly #env: UpkeepSurroundings;
  /** Tasks that work on the data folder. */
  readonly #running = new UnderWay();
  readonly #indexing = new OneAtATime();

  constructor(env: UpkeepSurroundings) {
    this.#env = env;
  }

  /**
   * Checks the caller's network and its attestation log, in threads. What it sets aside the next syncs bring again. `leaving`
   * ends it. @throws the reason of `leaving`
   */
  async *verify(caller: Caller, leaving?: AbortSignal): AsyncGenerator<VerifyLineView, void, undefined> {
    operator(caller);
    using _alone = this.#env.verifying.begin('verification');
    using _running = this.#running.begin();
    const store = await this.#env.networks.get(caller.network);
    // A log that cannot go on is among what is found.
    await this.#env.logs
      .of(store)
      .settle()
      .catch(() => undefined);
    const task = this.#env.logs.verify(store, this.#env.openFiles(), leaving);
    // Of one that ends early nobody knows what it has set aside.
    let lost = true;
    try {
      for (;;) {
        const next = await task.next();
        if (next.done) lost = next.value.counts.damaged_files > 0;
        if (next.done) return yield { done: next.value };
        yield { progress: next.value };
      }
    } finally {
      if (lost) this.#env.sync.compareContent(caller.network);
    }
  }

  /**
   * Copies all networks and accounts into a folder of this machine; `local`: the request came from it. A path of the
   * caller's choice is written to, so the key alone does not suffice. `leaving` ends it, and nothing of it is left.
   * @throws the reason of `leaving`
   */
  async *backup(
    caller: Caller,
    dir: string,
    { local, leaving }: { local: boolean; leaving: AbortSignal },
  ): AsyncGenerator<BackupLineView, void, undefined> {
    operator(caller);
    if (!local) throw new ForbiddenError('A backup is made on the machine of the node: run "archeion backup" there');
    if (!isAbsolute(dir) || dir.includes('\0')) throw ValidationError.at(['dir'], 'must be an absolute path');
    if (!dir.isWellFormed()) throw ValidationError.at(['dir'], 'holds an unpaired surrogate');
    const { alone, data, instance, version, now } = this.#env;
    using _alone = alone.begin('backup');
    using _running = this.#running.begin();
    const time = new Date(now()).toISOString();
    const openFiles = this.#env.openFiles();
    const task = runTask({ name: 'backup', args: { data, to: dir, instance, version, time, openFiles } }, leaving);
    for (;;) {
      const next = await task.next();
      if (!next.done) {
        yield { progress: next.value };
        continue;
      }
      const { networks, files } = next.value;
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      return yield { done: { dir, time, networks, files: files.length, bytes } };
    }
  }

  /** Makes the index of the caller's network anew, in its thread. */
  async *reindex(caller: Caller): AsyncGenerator<ReindexLineView, void, undefined> {
    operator(caller);
    using _alone = this.#indexing.begin('reindexing');
    const { network } = caller;
    const task = this.#env.search.rebuild(await this.#env.networks.get(network));
    for (;;) {
      const next = await task.next();
      if (!next.done) {
        const { cursor, last, behind } = next.value;
        const then = behind ? ', now labels that have changed' : ', now what is learned of them';
        yield { progress: { step: `changes${cursor < last ? '' : then}`, done: cursor, total: last } };
        continue;
      }
      const { entities, cursor, behind } = next.value;
      if (behind) throw new UnavailableError('The node is closing. It goes on with the index at its next start.');
      return yield { done: { network, entities, moves: cursor } };
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#running.ended();
  }
}
