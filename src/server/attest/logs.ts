import type { Log } from '../log.ts';
import type { Network } from '../model/ids.ts';
import type { NodeKey } from '../model/node-key.ts';
import type { Checkpoint } from '../store/checkpoints/checkpoints.ts';
import type { OpenFiles } from '../store/file-identity.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { SideThread } from '../store/threads/side-thread.ts';
import { AttestationLog } from './log.ts';
import { LogThread } from './log-thread.ts';
import { verification } from './verification.ts';

export interface LogsEnv {
  key: NodeKey;
  instance: string;
  now: () => number;
  log: Log;
  /** Finds out why the log of a database does not get into it. */
  checkpoint?: Checkpoint;
}

/** The attestation log of each network that has been used. */
export class AttestationLogs implements AsyncDisposable {
  readonly #env: LogsEnv;
  readonly #thread: LogThread;
  readonly #logs = new Map<Network, AttestationLog>();

  /** `thread`: where they are written, shared with others. */
  constructor(env: LogsEnv, thread?: SideThread) {
    this.#env = env;
    this.#thread = new LogThread(thread);
  }

  /** The network's log, which follows its moves from the first call on. */
  of(store: NetworkStore): AttestationLog {
    const known = this.#logs.get(store.network);
    if (known) return known;
    const { key, instance, now, log, checkpoint } = this.#env;
    const signer = { network: store.network, instance, key };
    const made = new AttestationLog({
      ...{ store, thread: this.#thread, signer, now, checkpoint },
      log: log.child({ name: 'attest' }),
    });
    this.#logs.set(store.network, made);
    return made;
  }

  /** Follows a network no more whose store is about to be closed; one that is opened anew is followed anew. */
  async drop({ network }: NetworkStore): Promise<void> {
    const known = this.#logs.get(network);
    this.#logs.delete(network);
    await known?.close();
  }

  /** Which file the network's log is written to (file-identity.ts); null where there is none yet. */
  fileIdOf(store: NetworkStore): string | null {
    return this.#logs.get(store.network)?.fileId ?? null;
  }

  /** Verifies a network's storage and its log; see verification.ts. `openFiles`: of what the node has open. */
  verify(store: NetworkStore, openFiles: OpenFiles, signal?: AbortSignal): ReturnType<typeof verification> {
    return verification({ database: store.database, folder: store.folder, openFiles }, this.#thread, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#logs.values()].map((log) => log.close()));
    await this.#thread[Symbol.asyncDispose]();
  }
}
