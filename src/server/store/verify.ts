import { createHash } from 'node:crypto';
import { digestOf } from '../blocks/car-format.ts';
import { cidBytes } from '../blocks/cid.ts';
import { contentCid } from '../blocks/encode.ts';
import { FileStore } from '../blocks/file-store.ts';
import { type Connection, openReader } from './connection.ts';
import { knownVersion, migrations } from './migrations/migrate.ts';
import { filesFolder } from './network-folders.ts';
import type { Progress } from './progress.ts';
import { verifyBlocks } from './verify-blocks.ts';
import { verifyEntities } from './verify-entities.ts';
import { Findings, type VerifyReport } from './verify-findings.ts';
import { verifyLeftovers } from './verify-leftovers.ts';

/** Whether an earlier program has written a database, which has to be brought up to date before it can be verified. */
export function isOutdated(database: string): boolean {
  let db: Connection | null = null;
  try {
    db = openReader(database);
    return knownVersion(db.db, migrations) < migrations.length;
  } catch {
    // What is wrong with it verifying tells.
    return false;
  } finally {
    db?.close();
  }
}

/**
 * Checks a network's store against itself: the database's own check, every block re-hashed and linked, every derived row
 * made again from its block, every move, every kept file. Reads pages in short transactions, so a node may go on writing.
 */
export async function verifyStore(
  { database, folder }: { database: string; folder: string },
  report: (progress: Progress) => void,
): Promise<VerifyReport> {
  const findings = new Findings();
  let db: Connection | null = null;
  try {
    db = openReader(database);
    report({ step: 'database', done: 0 });
    checkDatabase(db, findings);
    await verifyBlocks(db, findings, report);
    const moves = await verifyEntities(db, findings, report);
    await verifyLeftovers(db, findings, moves);
    await verifyFiles(folder, findings, report);
  } catch (error) {
    // A damaged database may fail anywhere; what was found until then is the answer.
    findings.problem('database', `The check could not go on: ${error instanceof Error ? error.message : error}.`);
  } finally {
    db?.close();
  }
  return findings.report();
}

function checkDatabase(db: Connection, findings: Findings): void {
  const said = db.db.pragma('quick_check(100)') as { quick_check: string }[];
  for (const { quick_check: words } of said) if (words !== 'ok') findings.problem('database', words);
}

/** Every kept file is hashed. One that a version names and that is not here may be an upload that has not come yet. */
async function verifyFiles(folder: string, findings: Findings, report: (progress: Progress) => void): Promise<void> {
  const files = new FileStore(filesFolder(folder));
  let named = 0;
  for await (const cid of files.list()) {
    findings.counts.files++;
    if (findings.named.has(digestOf(cidBytes(cid)))) named++;
    report({ step: 'files', done: findings.counts.files });
    try {
      const hash = createHash('sha256');
      for await (const chunk of files.read(cid)) hash.update(chunk);
      if (contentCid(hash.digest()) !== cid) findings.problem('file', `The bytes of ${cid} are not those of its CID.`);
    } catch (error) {
      findings.problem('file', `The bytes of ${cid} cannot be read (${(error as Error).message}).`);
    }
  }
  const missing = findings.named.size - named;
  if (missing > 0)
    findings.remark(
      `${missing} of the files that versions name are not here: they have not been uploaded, or not come.`,
    );
}
