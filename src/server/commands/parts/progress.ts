import progress from 'cli-progress';
import type { Shell } from './shell.ts';
import { printable } from './table.ts';

const { Format, Presets, SingleBar } = progress;

/** Shows how far something has come: a bar on a terminal, else a line every few seconds. */
export interface ProgressDisplay {
  /** `done` of `total`, in any unit, null where nobody knows it; `text` says more. */
  show(done: number, total: number | null, text: string): void;
  end(): void;
}

/** Between lines, and between those that say the same. */
const [lineMs, sameMs] = [5000, 60_000];

/** On stderr, so that stdout has nothing but the answer. */
export function progressDisplay(shell: Pick<Shell, 'terminal' | 'err'>, title: string): ProgressDisplay {
  return shell.terminal ? bar(shell.terminal, printable(title)) : lines(shell.err, title);
}

function bar(stream: NodeJS.WriteStream, title: string): ProgressDisplay {
  const known = `${title} [{bar}] {percentage}% | {text} | {eta_formatted}`;
  const single = new SingleBar(
    {
      format: (options, params, payload: { text: string; total: number | null }) =>
        payload.total === null
          ? `${title} ${payload.text}`
          : Format.Formatter({ ...options, format: known }, params, payload),
      stream,
      hideCursor: true,
      clearOnComplete: false,
    },
    Presets.shades_classic,
  );
  single.start(1, 0, { text: '', total: null });
  return {
    show(done, total, text) {
      single.setTotal(Math.max(total ?? 1, 1));
      single.update(done, { text, total });
    },
    end: () => single.stop(),
  };
}

function lines(write: (line: string) => void, title: string): ProgressDisplay {
  let told = performance.now();
  let last = '';
  return {
    show(done, total, text) {
      const part = total === null ? '' : `${Math.floor((100 * done) / Math.max(total, 1))} %, `;
      const line = `${title}: ${part}${text}`;
      if (performance.now() - told < (line === last ? sameMs : lineMs)) return;
      [told, last] = [performance.now(), line];
      write(line);
    },
    end: () => undefined,
  };
}
