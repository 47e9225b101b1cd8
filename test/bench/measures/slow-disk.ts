import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { load } from '../load.ts';
import { repository, startNode, temporaryFolder } from '../processes.ts';
import { atMostRow, loopRow, plainRow } from '../report.ts';
import { sampleBody } from '../samples.ts';

/** Creates on a disk that takes 5 ms more for each sync, and reads beside them. Needs a C compiler and Linux. */
export async function measureSlowDisk(): Promise<void> {
  using folder = temporaryFolder();
  const library = join(folder.path, 'slow-sync.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(repository, 'test/bench/slow-sync.c'), '-ldl']);
  } catch {
    process.stderr.write('no C compiler: the slower disk is not measured\n');
    return;
  }
  await using node = await startNode(join(folder.path, 'data'), { LD_PRELOAD: library });
  const body = JSON.stringify(sampleBody(1));
  const created = await fetch(`${node.url}/entities`, { method: 'POST', headers: node.headers, body });
  const { id } = (await created.json()) as { id: string };
  const [creates, reads] = await Promise.all([
    load(node, { method: 'POST', path: '/entities', body, headers: node.headers, connections: 32 }, 8),
    load(node, { path: `/entities/${id}`, connections: 8 }, 8),
  ]);
  plainRow('creates, 5 ms more a sync', creates.rate, '/s');
  plainRow('creates p99, 5 ms more a sync', creates.p99, 'ms');
  atMostRow('reads beside them, p99', reads.p99, 'ms', 12);
  loopRow('creates on a slower disk', Math.min(creates.loop, reads.loop));
}
