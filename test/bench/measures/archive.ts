import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchive } from '../../../src/server/blocks/archive-reader.ts';
import { FileStore } from '../../../src/server/blocks/file-store.ts';
import { openReader } from '../../../src/server/store/connection.ts';
import { filesFolder } from '../../../src/server/store/network-folders.ts';
import { databaseFile } from '../../../src/server/store/network-store.ts';
import { verifyBlocks } from '../../../src/server/store/verify/verify-blocks.ts';
import { Findings, type VerifyReport } from '../../../src/server/store/verify/verify-findings.ts';
import { command, startNode, temporaryFolder } from '../processes.ts';
import { atLeastRow, loopRow, plainRow, ratioRow } from '../report.ts';

/**
 * Export, import and verification of everything in a data folder, each by a node of its own, so that a peak of memory
 * belongs to its measure. `pipeline` is the rate of the same records in process.
 */
export async function measureArchive(data: string, pipeline: number): Promise<void> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'all.car');
  await measureExport(data, file);
  const versions = await measureVerify(data);
  await measureHashing(data, file);
  await measureCarImport(join(folder.path, 'other'), file, { versions, pipeline });
}

async function measureExport(data: string, file: string): Promise<void> {
  await using node = await startNode(data);
  node.reset();
  const out = await command('export', '--out', file, '--all', '--data', data, '--json');
  loopRow('export', (await node.loopDelay()).p99);
  const megabytes = statSync(file).size / 1e6;
  plainRow('archive', megabytes, 'MB');
  atLeastRow('CAR export', megabytes / out.seconds, 'MB/s', 50);
  plainRow('memory of the export, peak', node.memory().peak, 'MB');
}

/** Gives how many versions there are. */
async function measureVerify(data: string): Promise<number> {
  await using node = await startNode(data);
  node.reset();
  const verified = await command('verify', '--data', data, '--json');
  loopRow('verify', (await node.loopDelay()).p99);
  const { ok, counts } = JSON.parse(verified.stdout) as VerifyReport;
  if (!ok) throw new Error('verify found damage');
  atLeastRow('verify, everything', counts.versions / verified.seconds, 'versions/s', 10_000);
  plainRow('memory of verify, peak', node.memory().peak, 'MB');
  return counts.versions;
}

/** Every block's bytes against its CID and nothing else: of the database, and of the file. In this process. */
async function measureHashing(data: string, file: string): Promise<void> {
  const db = openReader(databaseFile(data, 'main'));
  const findings = new Findings();
  const begun = performance.now();
  await verifyBlocks(db, new FileStore(filesFolder(join(data, 'main'))), findings, () => undefined);
  atLeastRow('verify, hashing and links', findings.counts.bytes / 1e3 / (performance.now() - begun), 'MB/s', 100);
  db.close();
  await using handle = await open(file);
  const opened = performance.now();
  const { counts } = await openArchive(handle);
  atLeastRow('archive, hashing', counts.bytes / 1e3 / (performance.now() - opened), 'MB/s', 100);
}

async function measureCarImport(
  data: string,
  file: string,
  { versions, pipeline }: { versions: number; pipeline: number },
): Promise<void> {
  await using node = await startNode(data);
  node.reset();
  const back = await command('import-car', file, '--data', data, '--json');
  loopRow('CAR import', (await node.loopDelay()).p99);
  const base = { name: 'pipeline, same records', value: pipeline };
  ratioRow('CAR import', versions / back.seconds, 'versions/s', base, 0.6);
  plainRow('memory of the CAR import, peak', node.memory().peak, 'MB');
}
