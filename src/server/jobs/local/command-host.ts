import type { FromHost, ToHost } from './command-messages.ts';
import { killGroup } from './process-group.ts';
import { runCommand } from './run-command.ts';

// A process of the node's own that starts commands. To start one, a process is copied first, and while the node itself would
// be, it could answer nobody. When the node goes, however it goes, this ends what it has started, and itself.

interface Run {
  stop: AbortController;
  /** The command's process, once it is known. */
  pid: number | null;
  /** Answers to what was pulled. */
  given: ((part: string | null | Error) => void) | null;
}

const runs = new Map<number, Run>();

const tell = (message: FromHost) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

async function* input(id: number, run: Run): AsyncGenerator<string> {
  for (;;) {
    const part = await new Promise<string | null | Error>((resolve) => {
      run.given = resolve;
      tell({ kind: 'pull', id });
    });
    if (part instanceof Error) throw part;
    if (part === null) return;
    yield part;
  }
}

async function begin(id: number, given: Extract<ToHost, { kind: 'run' }>['run']): Promise<void> {
  const run: Run = { stop: new AbortController(), pid: null, given: null };
  runs.set(id, run);
  const what = { ...given, input: input(id, run), signal: run.stop.signal };
  const outcome = await runCommand(what, (pid) => {
    run.pid = pid;
    tell({ kind: 'started', id, pid });
  });
  runs.delete(id);
  tell({ kind: 'ended', id, outcome: outcome.ended === 'no-input' ? { ended: 'no-input', cause: null } : outcome });
}

process.on('message', (message: ToHost) => {
  if (message.kind === 'run') {
    void begin(message.id, message.run);
    return;
  }
  const run = runs.get(message.id);
  if (message.kind === 'stop') run?.stop.abort();
  else run?.given?.(message.kind === 'input' ? message.text : new Error('there is no input'));
});
process.on('disconnect', () => {
  for (const { stop, pid, given } of runs.values()) {
    stop.abort();
    given?.(null);
    // A node that ends by itself has let them end. The next one begins their jobs anew, beside none that is deaf.
    if (pid !== null) killGroup(pid);
  }
});
// Signals to the whole group are for the node, which then stops this.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
