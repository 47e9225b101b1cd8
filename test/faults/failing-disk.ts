import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./failing-disk.c', import.meta.url));

/** Whether a disk can be made to fail here. */
export function canFail(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
}

/** The environment of a process whose disk fails while files that are named there exist (failing-disk.c); made in a folder. */
export function failingDisk(place: string): { LD_PRELOAD: string; FAILING_SYNCS: string; FAILING_WRITES: string } {
  const library = join(place, 'failing-disk.so');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  return { LD_PRELOAD: library, FAILING_SYNCS: join(place, 'syncs'), FAILING_WRITES: join(place, 'writes') };
}
