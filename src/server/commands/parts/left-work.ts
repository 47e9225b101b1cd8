import { counted } from './counted.ts';
import { printable } from './table.ts';

/** What a stop of the node has left, as the node says it (resources/node/status/wire.ts). */
export interface LeftWork {
  what: 'archive' | 'jobs';
  name: string | null;
  done: number | null;
}

/** How it stands with that. `running`: whether the node goes on; one that runs for this command alone ends with it. */
export function leftWork({ what, name, done }: LeftWork, running: boolean): string {
  if (what === 'jobs')
    return running
      ? `looks what became of jobs that a stop of the node left: ${counted(done ?? 0, 'job')} so far`
      : 'a stop of the node left jobs: its next start looks what became of them';
  const file = name === null ? '' : ` (${printable(name)})`;
  return done === null
    ? `an import of an archive${file} broke off: the next start of the node completes it`
    : `completes an interrupted import of an archive${file}: ${counted(done, 'entity')} so far`;
}
