import { statSync } from 'node:fs';
import { join } from 'node:path';
import { command, type Node, startNode, temporaryFolder } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow, plainRow, ratioRow } from '../report.ts';

/** Export, import and verification of everything on a node. `pipeline` is the rate of the same records in process. */
export async function measureArchive(node: Node, pipeline: number): Promise<void> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'all.car');
  node.reset();
  const out = await command('export', '--out', file, '--all', '--data', node.data, '--json');
  loopRow('export', (await node.loopDelay()).p99);
  const megabytes = statSync(file).size / 1e6;
  plainRow('archive', megabytes, 'MB');
  atLeastRow('CAR export', megabytes / out.seconds, 'MB/s', 50);

  node.reset();
  const verified = await command('verify', '--data', node.data, '--json');
  loopRow('verify', (await node.loopDelay()).p99);
  const report = JSON.parse(verified.stdout) as VerifyReport;
  if (!report.ok) throw new Error('verify found damage');
  atLeastRow('verify, everything', report.versions / verified.seconds, 'versions/s', 10_000);
  atMostRow('memory after export and verify, peak', node.memory().peak, 'MB', 300);

  await using other = await startNode(join(folder.path, 'other'));
  const back = await command('import-car', file, '--data', other.data, '--json');
  loopRow('CAR import', (await other.loopDelay()).p99);
  const base = { name: 'pipeline, same records', value: pipeline };
  ratioRow('CAR import', report.versions / back.seconds, 'versions/s', base, 0.6);
  atMostRow('memory after CAR import, peak', other.memory().peak, 'MB', 300);
}

interface VerifyReport {
  ok: boolean;
  versions: number;
}
