import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../errors.ts';
import { identityFile, identityMigrations } from '../accounts/identity-schema.ts';
import { chatMigrations } from '../chats/chat-schema.ts';
import { chatFile } from '../chats/chats.ts';
import { type Connection, openReader, rollBackJournal } from '../connection.ts';
import { refuseNewer } from '../outdated.ts';
import type { Findings } from './verify-findings.ts';

/** The database's own check; `name` tells which one it is, where that is not plain. */
export function checkDatabase(db: Connection, findings: Findings, name = ''): void {
  const said = db.db.pragma('quick_check(100)') as { quick_check: string }[];
  for (const { quick_check: words } of said) if (words !== 'ok') findings.problem('database', `${name}${words}`);
}

const ofNode = [
  [identityFile, identityMigrations],
  [chatFile, chatMigrations],
] as const;

/** The same for the databases that a data folder has for all its networks: accounts and keys, chats. */
export function checkNodeDatabases(data: string, findings: Findings): void {
  for (const [name] of ofNode) {
    const file = join(data, name);
    if (!existsSync(file)) {
      if (name === identityFile) findings.problem('database', `${name} is not there.`);
      continue;
    }
    let db: Connection | null = null;
    try {
      rollBackJournal(file);
      db = openReader(file);
      checkDatabase(db, findings, `${name}: `);
    } catch (error) {
      findings.problem('database', `${name} cannot be read: ${error instanceof Error ? error.message : error}.`);
    } finally {
      db?.close();
    }
  }
  checkNodeVersions(data, findings);
}

/** Whether a newer program has written those: this one would not start with them. */
export function checkNodeVersions(data: string, findings: Findings): void {
  for (const [name, steps] of ofNode)
    try {
      refuseNewer(join(data, name), steps, name);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      findings.problem('database', error.reason);
    }
}
