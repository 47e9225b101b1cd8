import { join } from 'node:path';
import { command, type Node, startNode, temporaryFolder } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow } from '../report.ts';

/** A second node pulls everything of the first over the plain interface. `versions` is how many there are. */
export async function measureMirror(node: Node, versions: number): Promise<void> {
  using folder = temporaryFolder();
  await using mirror = await startNode(join(folder.path, 'mirror'));
  await command('remote', 'add', 'origin', node.url, '--key', node.key, '--data', mirror.data);
  node.reset();
  mirror.reset();
  const { seconds } = await command('sync', 'origin', '--once', '--data', mirror.data, '--json');
  atLeastRow('mirror, plain interface', versions / seconds, 'versions/s', 2000);
  loopRow('being mirrored', (await node.loopDelay()).p99);
  loopRow('mirroring', (await mirror.loopDelay()).p99);
  atMostRow('memory of the mirror, peak', mirror.memory().peak, 'MB', 300);
}
