import { basename, dirname, join } from 'node:path';
import { damagedFolder, FileStore, unwantedFolder } from '../../blocks/file-store.ts';
import { StorageError } from '../../errors.ts';
import { type Network, networks } from '../../model/ids.ts';
import { type Connection, openReader } from '../connection.ts';
import type { OpenFiles } from '../file-identity.ts';
import { migrations } from '../migrations/migrate.ts';
import { filesFolder } from '../network-folders.ts';
import type { Progress } from '../progress.ts';
import { missingContent } from './missing-content.ts';
import { verifyBlocks } from './verify-blocks.ts';
import {
  checkAccounts,
  checkDatabase,
  checkLogDatabase,
  checkNodeDatabases,
  checkNodeKey,
  refuseFull,
} from './verify-databases.ts';
import { verifyEntities } from './verify-entities.ts';
import { Findings, type VerifyReport } from './verify-findings.ts';
import { verifyImports, verifyLeftovers } from './verify-leftovers.ts';
import { verifyRecords } from './verify-records.ts';

type Reporter = (progress: Progress) => void;

/** A network's storage. Nothing is changed in a backup, whose bytes are what a restore compares with its list. */
export interface VerifyOrder {
  database: string;
  folder: string;
  backup?: boolean;
  /** Of the databases that a node of this process has open. */
  openFiles?: OpenFiles;
}

/**
 * Checks a network's store against itself: the database's own check, every block re-hashed and linked, every derived row
 * made again from its block, every move, every kept file. Reads pages in short transactions, so a node may go on writing.
 */
export async function verifyStore(
  { database, folder, backup = false, openFiles = {} }: VerifyOrder,
  report: Reporter,
): Promise<VerifyReport> {
  const findings = new Findings();
  let db: Connection | null = null;
  try {
    db = openReader(database, openFiles[database]);
    report({ step: 'database', done: 0 });
    // Those of a backup are compared with its list.
    if (!backup) checkNodeDatabases(dirname(folder), findings, openFiles);
    checkDatabase(db, findings, migrations);
    checkLogDatabase(folder, findings, openFiles);
    checkAccounts(db, folder, findings, openFiles);
    checkNodeKey(folder, findings, openFiles);
    const files = new FileStore(filesFolder(folder));
    await verifyBlocks(db, files, findings, report);
    const moves = await verifyEntities(db, findings, report);
    for (const other of networks.filter((it) => it !== basename(folder)))
      if (findings.entitiesOf[other] > 0) findings.problem('entity', exchanged(findings.entitiesOf[other], other));
    await verifyLeftovers(db, findings, moves);
    await verifyRecords(db, findings);
    verifyImports(db, { folder, backup }, findings);
    // As it stands in the data folder.
    const place = join(basename(folder), basename(filesFolder(folder)));
    await verifyFiles(files, findings, report, (cid) => (backup ? elsewhere : setAside(files, place, cid)));
    if (!backup) await remarkAside(files, place, findings);
    await remarkMissing(db, files, findings);
  } catch (error) {
    refuseFull(error);
    // A damaged database may fail anywhere; what was found until then is the answer.
    const why = error instanceof StorageError ? error.reason : `${error instanceof Error ? error.message : error}.`;
    findings.problem('database', `The check could not go on: ${why}`);
  } finally {
    db?.close();
  }
  return findings.report();
}

function exchanged(count: number, other: Network): string {
  return `Entities of the ${other} network lie here (${count}): put back the database that belongs here, or the whole folder, where it was exchanged.`;
}

const elsewhere = 'Another backup may have it whole.';

/** Every kept file is hashed; `treat` does what is to be done with a damaged one, and says so. */
async function verifyFiles(
  files: FileStore,
  findings: Findings,
  report: Reporter,
  treat: (cid: string) => Promise<string> | string,
): Promise<void> {
  for await (const cid of files.list()) {
    findings.counts.files++;
    report({ step: 'files', done: findings.counts.files });
    const wrong = await problemOf(files, cid);
    if (wrong === null) continue;
    findings.counts.damaged_files++;
    findings.problem('file', wrong.isDamaged ? `${wrong.words} ${await treat(cid)}` : wrong.words);
  }
}

async function remarkAside(files: FileStore, place: string, findings: Findings): Promise<void> {
  const damaged = await files.aside(damagedFolder);
  if (damaged > 0)
    findings.remark(
      `${damaged} damaged ${damaged === 1 ? 'file lies' : 'files lie'} aside in ${join(place, damagedFolder)}; when the right bytes have come they may be deleted.`,
    );
  const unwanted = await files.aside(unwantedFolder);
  if (unwanted > 0)
    findings.remark(
      unwanted === 1
        ? `A file that no version names lies aside in ${join(place, unwantedFolder)}: the node deletes it when it has been there for four weeks.`
        : `${unwanted} files that no version names lie aside in ${join(place, unwantedFolder)}: the node deletes each when it has been there for four weeks.`,
    );
}

async function problemOf(files: FileStore, cid: string): Promise<{ words: string; isDamaged: boolean } | null> {
  try {
    if (await files.isSound(cid)) return null;
    return { words: `The bytes of ${cid} are not those of its CID.`, isDamaged: true };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // It was given up meanwhile, as nobody names it any more.
    if (code === 'ENOENT') return null;
    return { words: `The bytes of ${cid} cannot be read (${message}).`, isDamaged: code === 'EIO' };
  }
}

/**
 * Out of the way, where the folder can be written to, it counts as missing, so that the right bytes can come again, and holds
 * up no export.
 */
async function setAside(files: FileStore, place: string, cid: string): Promise<string> {
  try {
    const path = await files.setAside(cid);
    if (path === null) return 'The right ones have come meanwhile.';
    return `They lie now in ${join(place, path)}, and count as missing: an archive or package that has the right ones, an upload or a sync brings them.`;
  } catch (error) {
    return `They stay where they are, since they cannot be set aside (${(error as Error).message}).`;
  }
}

const mostNamed = 20;

/** What a version names and is not here may never have come, so it is only told of. */
async function remarkMissing(db: Connection, files: FileStore, findings: Findings): Promise<void> {
  const named: string[] = [];
  for await (const { cid, id } of missingContent(db, files)) {
    findings.counts.missing_files++;
    if (named.length < mostNamed) named.push(`${cid} of ${id}`);
  }
  const missing = findings.counts.missing_files;
  if (missing === 0) return;
  const more = missing > named.length ? `, and ${missing - named.length} more` : '';
  findings.remark(
    `${missing} of the files that versions name are not here: they have not been uploaded, have not come, or were lost (${named.join(', ')}${more}).`,
  );
}
