import { run } from '../../src/server/commands/run.ts';
import type { Shell } from '../../src/server/commands/shell.ts';

/** One command line in this process: its exit code, and what it printed, joined. `dataFolder` is used where none is named. */
export async function commandLine(
  dataFolder: string,
  args: readonly string[],
  stopped: Shell['stopped'] = new AbortController().signal,
): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run([...args], {
    env: {},
    pid: 1,
    dataFolder,
    ui: null,
    terminal: null,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    stopped,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
