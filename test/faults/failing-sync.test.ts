import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findTip } from '../../src/server/store/entities.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { first, idOf } from '../helpers/store.ts';

const writer = fileURLToPath(new URL('./failing-sync-writer.ts', import.meta.url));
const source = fileURLToPath(new URL('./failing-sync.c', import.meta.url));

function canBuild(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
}

// A commit whose sync fails stands whole in the log, and SQLite takes it for one when the database is next opened.
test.runIf(canBuild()).each([
  ['once', 'nothing of this write was kept'],
  ['always', 'it is not known whether this write was kept'],
])('what is told of a write whose sync fails (%s) is so after a kill', async (times, words) => {
  const place = mkdtempSync(join(tmpdir(), 'archeion-syncs-'));
  try {
    const library = join(place, 'failing-sync.so');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
    const data = join(place, 'data');
    mkdirSync(data);
    const env = { ...process.env, LD_PRELOAD: library, FAILING_SYNCS: join(place, 'failing') };
    const { stdout } = spawnSync(process.execPath, [writer, data, times], { env, encoding: 'utf8' });
    expect(stdout).toContain(words);
    await using store = await opened(data);
    expect(store.tip(idOf(1))).toBe(first(idOf(1)).cid);
    if (times === 'once') expect(store.tip(idOf(2))).toBeUndefined();
  } finally {
    rmSync(place, { recursive: true });
  }
});

async function opened(data: string): Promise<{ tip: (id: string) => string | undefined } & AsyncDisposable> {
  const store = await NetworkStore.open(data, 'main', 'here');
  return { tip: (id) => store.read((db) => findTip(db, id)), [Symbol.asyncDispose]: () => store.close() };
}
