import { Presets, SingleBar } from 'cli-progress';
import type { Shell } from './shell.ts';

/** Shows how far something has come: a bar on a terminal, else a line every few seconds. */
export interface ProgressDisplay {
  /** `done` of `total`, in any unit; `text` says more. */
  show(done: number, total: number, text: string): void;
  end(): void;
}

const lineMs = 5000;

/** On stderr, so that stdout has nothing but the answer. */
export function progressDisplay(shell: Pick<Shell, 'terminal' | 'err'>, title: string): ProgressDisplay {
  return shell.terminal ? bar(shell.terminal, title) : lines(shell.err, title);
}

function bar(stream: NodeJS.WriteStream, title: string): ProgressDisplay {
  const format = `${title} [{bar}] {percentage}% | {text} | {eta_formatted}`;
  const single = new SingleBar({ format, stream, hideCursor: true, clearOnComplete: false }, Presets.shades_classic);
  single.start(1, 0, { text: '' });
  return {
    show(done, total, text) {
      single.setTotal(Math.max(total, 1));
      single.update(done, { text });
    },
    end: () => single.stop(),
  };
}

function lines(write: (line: string) => void, title: string): ProgressDisplay {
  let told = performance.now();
  return {
    show(done, total, text) {
      if (performance.now() - told < lineMs) return;
      told = performance.now();
      write(`${title}: ${Math.floor((100 * done) / Math.max(total, 1))} %, ${text}`);
    },
    end: () => undefined,
  };
}
