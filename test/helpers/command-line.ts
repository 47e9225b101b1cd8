import { Writable } from 'node:stream';
import type { Shell } from '../../src/server/commands/parts/shell.ts';
import { run } from '../../src/server/commands/run.ts';

/** One command line in this process: its exit code, and what it printed, joined. `dataFolder` is used where none is named. */
export async function commandLine(
  dataFolder: string,
  args: readonly string[],
  stopped: Shell['stopped'] = new AbortController().signal,
  terminal: Shell['terminal'] = null,
): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run([...args], {
    env: {},
    pid: 1,
    dataFolder,
    ui: null,
    terminal,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    stopped,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** A terminal, and what was written to it. */
export function screen(): { terminal: NodeJS.WriteStream; shown: string[] } {
  const shown: string[] = [];
  const stream = new Writable({
    write(text, _encoding, next) {
      shown.push(String(text));
      next();
    },
  });
  return { terminal: Object.assign(stream, { isTTY: true, columns: 200 }) as unknown as NodeJS.WriteStream, shown };
}
