import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { StorageError } from '../../errors.ts';
import { networks } from '../../model/ids.ts';
import { readNodeKey } from '../../model/node-key.ts';
import { identityFile } from '../accounts/identity-schema.ts';
import { attestFile, attestMigrations, newestHead, openLogReader } from '../attest-log.ts';
import { type Connection, openReader, rollBackJournal } from '../connection.ts';
import type { OpenFiles } from '../file-identity.ts';
import { isOfOthers, notOfOneNode } from '../foreign-database.ts';
import { type Migration, migrate } from '../migrations/migrate.ts';
import { nodeDatabases } from '../node-databases.ts';
import { refuseNewer } from '../outdated.ts';
import { asStorageError, isOfStorage, storageError } from '../storage-error.ts';
import type { Findings } from './verify-findings.ts';

/**
 * The database's own check, with what its indexes hold, since a row that its index does not have is not found, and whether its
 * tables are those that its `steps` make; `name` tells which one it is, where that is not plain.
 */
export function checkDatabase(db: Connection, findings: Findings, steps: readonly Migration[], name = ''): void {
  const said = db.db.pragma('integrity_check(100)') as { integrity_check: string }[];
  const wrong = said.map(({ integrity_check: words }) => words).filter((words) => words !== 'ok');
  for (const words of wrong) findings.problem('database', `${name}${words}.`);
  if (wrong.length > 0 && isOfIndexes(wrong)) findings.remark(`${name}${onlyIndexes}`);
  checkSchema(db, findings, steps, name);
}

/** What says how a table is made SQLite believes as it stands there: its own check sees nothing of it. */
function checkSchema({ db }: Connection, findings: Findings, steps: readonly Migration[], name: string): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  // How a newer program makes them nobody here knows; that it has, others tell.
  if (version > steps.length) return;
  const fresh = new Database(':memory:');
  try {
    migrate(fresh, steps.slice(0, version));
    const [found, made] = [schemaOf(db), schemaOf(fresh)];
    for (const what of new Set([...made.keys(), ...found.keys()]))
      if (found.get(what) !== made.get(what))
        findings.problem(
          'database',
          `${name}How the ${what} is made is not what Archeion has written there: restore the newest backup that verifies.`,
        );
  } finally {
    fresh.close();
  }
}

/** How tables and indexes are made, by their kinds and names, without comments and the breaks of lines. */
function schemaOf(db: Database.Database): Map<string, string> {
  const sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'";
  const rows = db.prepare<[], Record<'type' | 'name' | 'tbl_name', string> & { sql: string | null }>(sql).all();
  const plain = (text: string) => text.replace(/--[^\n]*/g, '').replace(/\s+/g, ' ');
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, `${row.tbl_name}: ${plain(row.sql ?? '')}`]));
}

/**
 * Whether only indexes are damaged: an index that has more entries than its table has rows may tell as well of rows that are lost, so
 * its count says so only where rows are missing from it.
 */
function isOfIndexes(wrong: readonly string[]): boolean {
  const lacking = new Set(wrong.map((words) => rowMissing.exec(words)?.[1]));
  return wrong.every((words) => {
    const counted = wrongCount.exec(words)?.[1];
    return ofIndex.test(words) && (counted === undefined || lacking.has(counted));
  });
}

/** What the check says of an index whose table is whole (SQLite's pragma.c). */
const ofIndex = /^(?:row \d+ missing from index|row \d+ values differ from index|wrong # of entries in index) /;
const rowMissing = /^row \d+ missing from index (\S+)/;
const wrongCount = /^wrong # of entries in index (\S+)/;

const onlyIndexes =
  'What is stored is whole, and only what finds it (indexes) is damaged: make a backup now and restore it into an empty folder, which makes every index anew. Where verifying that finds the same again, restore an earlier backup that verifies.';

/** The same for the databases that a data folder has for all its networks: accounts and keys, chats. */
export function checkNodeDatabases(data: string, findings: Findings, openFiles: OpenFiles): void {
  for (const [name, steps] of nodeDatabases) {
    const file = join(data, name);
    if (!existsSync(file)) {
      if (name === identityFile) findings.problem('database', `${name} is not there.`);
      continue;
    }
    let db: Connection | null = null;
    try {
      rollBackJournal(file, openFiles[file]);
      db = openReader(file, openFiles[file]);
      checkDatabase(db, findings, steps, `${name}: `);
    } catch (error) {
      refuseFull(error);
      const why = error instanceof StorageError ? error.reason : `${error instanceof Error ? error.message : error}.`;
      findings.problem('database', `${name} cannot be read: ${why}`);
    } finally {
      db?.close();
    }
  }
  checkNodeVersions(data, findings, openFiles);
}

/** @throws StorageError where there is no room to open a database, of which nothing is found then, and nothing is wrong */
export function refuseFull(error: unknown): void {
  if (storageError(error).full) throw asStorageError(error);
}

/** The same for the attestation log's. What cannot be read of it the check of the log tells. */
export function checkLogDatabase(folder: string, findings: Findings, openFiles: OpenFiles): void {
  const file = attestFile(folder);
  let db: Connection | null = null;
  try {
    db = openLogReader(file, openFiles[file]);
    if (db) checkDatabase(db, findings, attestMigrations, 'attest.db: ');
  } catch (error) {
    if (!isOfStorage(error)) throw error;
  } finally {
    db?.close();
  }
}

/** Whether the accounts that lie beside a network are those of its node. What cannot be read of them is found elsewhere. */
export function checkAccounts(db: Connection, folder: string, findings: Findings, openFiles: OpenFiles): void {
  const file = join(dirname(folder), identityFile);
  const network = networks.find((it) => it === basename(folder));
  if (network === undefined || !existsSync(file)) return;
  let accounts: Connection | null = null;
  try {
    accounts = openReader(file, openFiles[file]);
    const operator = accounts.get<{ id: string }>('SELECT id FROM account WHERE operator = 1')?.id;
    const isOther = operator !== undefined && db.snapshot((reader) => isOfOthers(reader, network, operator));
    if (isOther) findings.problem('database', `The database ${network}/archeion.db ${notOfOneNode}`);
  } catch (error) {
    if (!isOfStorage(error)) throw error;
  } finally {
    accounts?.close();
  }
}

/** A signing key that a changed byte has made another one signs as well as ever, as somebody else: the newest head tells. */
export function checkNodeKey(folder: string, findings: Findings, openFiles: OpenFiles): void {
  const [file, logFile] = [join(dirname(folder), identityFile), attestFile(folder)];
  if (!existsSync(file)) return;
  let [accounts, log]: (Connection | null)[] = [null, null];
  try {
    accounts = openReader(file, openFiles[file]);
    log = openLogReader(logFile, openFiles[logFile]);
    const key = accounts.get<{ value: string }>("SELECT value FROM setting WHERE name = 'node_key'")?.value;
    const head = log && newestHead(log);
    if (key !== undefined && head && keyId(key) !== head.key_id)
      findings.problem(
        'database',
        `${identityFile}: The node's signing key is not the one that has signed the newest head: restore a backup; what was signed before stays good.`,
      );
  } catch (error) {
    if (!isOfStorage(error)) throw error;
  } finally {
    accounts?.close();
    log?.close();
  }
}

function keyId(text: string): string | null {
  try {
    return readNodeKey(text).id;
  } catch {
    return null;
  }
}

/** Whether a newer program has written those: this one would not start with them. */
export function checkNodeVersions(data: string, findings: Findings, openFiles: OpenFiles = {}): void {
  for (const [name, steps] of nodeDatabases)
    try {
      const file = join(data, name);
      refuseNewer(file, { steps, name, fileId: openFiles[file] ?? null });
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      findings.problem('database', error.reason);
    }
}
