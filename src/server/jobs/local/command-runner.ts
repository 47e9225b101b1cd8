import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { workerUrl } from '../../store/threads/worker-url.ts';
import type { FromHost, ToHost } from './command-messages.ts';
import { killGroup, ownGroup } from './process-group.ts';
import { type CommandOutcome, type CommandRun, whyNotStarted } from './run-command.ts';

interface Run {
  host: ChildProcess;
  input: AsyncIterator<string> | Iterator<string>;
  /** The command's process, once it is known. */
  pid?: number;
  /** Why there is no input. */
  fault?: { cause: unknown };
  end: (outcome: CommandOutcome) => void;
}

/** How long the process that runs commands stays without any. */
const idleMs = 60_000;

/** Runs commands in a process of their own (command-host.ts), started when first needed. */
export class CommandRunner implements AsyncDisposable {
  readonly #runs = new Map<number, Run>();
  #host: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  readonly #idleMs: number;

  constructor(options: { idleMs?: number } = {}) {
    this.#idleMs = options.idleMs ?? idleMs;
  }

  /** See run-command.ts. */
  async run({ input, signal, ...given }: CommandRun): Promise<CommandOutcome> {
    if (signal?.aborted) return { ended: 'stopped', errors: '' };
    clearTimeout(this.#idle);
    const id = ++this.#last;
    const stop = () => this.#tell({ kind: 'stop', id });
    try {
      return await new Promise<CommandOutcome>((resolve) => {
        const iterator = Symbol.asyncIterator in input ? input[Symbol.asyncIterator]() : input[Symbol.iterator]();
        this.#host ??= this.#start();
        this.#runs.set(id, { host: this.#host, input: iterator, end: resolve });
        signal?.addEventListener('abort', stop, { once: true });
        this.#tell({ kind: 'run', id, run: given });
      });
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#restLater();
    }
  }

  #restLater(): void {
    clearTimeout(this.#idle);
    if (this.#runs.size > 0) return;
    this.#idle = setTimeout(() => {
      if (this.#runs.size === 0) this.#release();
    }, this.#idleMs).unref();
  }

  #start(): ChildProcess {
    const host = fork(fileURLToPath(workerUrl('command-host', import.meta.url)), [], {
      // Nothing of the node's environment: it may hold secrets.
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // What kills the node with all of its group leaves this, which ends the commands.
      detached: ownGroup,
    });
    host.on('message', (message: FromHost) => void this.#hear(message));
    host.on('error', (error) => {
      if (host.pid === undefined) this.#lost(host, { ended: 'not-started', reason: whyNotStarted(error) });
    });
    host.on('exit', () => this.#lost(host, { ended: 'interrupted' }));
    return host;
  }

  /** Nobody watches over its commands any more. */
  #lost(host: ChildProcess, outcome: CommandOutcome): void {
    if (this.#host === host) this.#host = null;
    for (const [id, run] of this.#runs) {
      if (run.host !== host) continue;
      if (run.pid !== undefined) killGroup(run.pid);
      this.#end(id, outcome);
    }
  }

  async #hear(message: FromHost): Promise<void> {
    const run = this.#runs.get(message.id);
    if (message.kind === 'started') {
      // What is heard of once its host is lost has nobody to end it.
      if (run) run.pid = message.pid;
      else killGroup(message.pid);
      return;
    }
    if (!run) return;
    if (message.kind === 'ended') {
      const { outcome } = message;
      this.#end(message.id, outcome.ended === 'no-input' && run.fault ? { ended: 'no-input', ...run.fault } : outcome);
      return;
    }
    try {
      const { done, value } = await run.input.next();
      this.#tell({ kind: 'input', id: message.id, text: done ? null : value });
    } catch (cause) {
      run.fault = { cause };
      this.#tell({ kind: 'no-input', id: message.id });
    }
  }

  #end(id: number, outcome: CommandOutcome): void {
    const run = this.#runs.get(id);
    if (!run) return;
    this.#runs.delete(id);
    // A command need not read all that it is given; what was being made for it comes to its end first.
    const rest = Promise.resolve(run.input.return?.()).catch(() => undefined);
    void rest.then(() => run.end(asBuffer(outcome)));
  }

  #tell(message: ToHost): void {
    const host = this.#runs.get(message.id)?.host;
    if (host?.connected) host.send(message, () => undefined);
  }

  #release(): ChildProcess | null {
    const host = this.#host;
    this.#host = null;
    if (host?.connected) host.disconnect();
    return host;
  }

  /** To be called when no run is wanted any more: those that are left are ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    const host = this.#release();
    for (const id of [...this.#runs.keys()]) this.#end(id, { ended: 'stopped', errors: '' });
    if (host && host.exitCode === null && host.signalCode === null) await once(host, 'exit');
  }
}

/** Bytes come from another process as a plain array of them. */
function asBuffer(outcome: CommandOutcome): CommandOutcome {
  return outcome.ended === 'exited' ? { ...outcome, output: Buffer.from(outcome.output) } : outcome;
}
