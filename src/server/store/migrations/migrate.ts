import type Database from 'better-sqlite3';
import { StorageError } from '../../errors.ts';
import { initial } from './0001-initial.ts';
import { nameMoves } from './0002-moves-named.ts';
import { remoteMarks } from './0003-remote-marks.ts';
import { keepEnds } from './0004-import-ends.ts';
import { troublesAgain } from './0005-troubles-again.ts';
import { keptApart } from './0006-kept-apart.ts';
import { pushMark } from './0007-push-mark.ts';
import { quietFeeds } from './0008-quiet-feeds.ts';
import { answeredPushes } from './0009-answered-pushes.ts';
import { unlistedCollections } from './0010-unlisted.ts';
import { namedTroubles } from './0011-named-troubles.ts';
import { blockKeys } from './0012-block-keys.ts';
import { deletedRows } from './0013-deleted-rows.ts';
import { foreignGraves } from './0014-foreign-graves.ts';
import { cutTexts } from './0015-cut-texts.ts';
import { logAuthors } from './0016-log-authors.ts';
import { jobParents } from './0017-job-parents.ts';
import { jobStates } from './0018-job-states.ts';

/** A step from one schema version to the next: SQL, or a function over the open connection. */
export type Migration = string | ((db: Database.Database) => void);

/** In order; the database's `user_version` is how many of them it has seen. Forward only. */
export const migrations: readonly Migration[] = [
  initial,
  nameMoves,
  remoteMarks,
  keepEnds,
  troublesAgain,
  keptApart,
  pushMark,
  quietFeeds,
  answeredPushes,
  unlistedCollections,
  namedTroubles,
  blockKeys,
  deletedRows,
  foreignGraves,
  cutTexts,
  logAuthors,
  jobParents,
  jobStates,
];

/** The schema's version; `name` is what the database is called in words. @throws StorageError where a newer program has written the database; it is not touched */
export function knownVersion(db: Database.Database, steps: readonly Migration[], name = 'This database'): number {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > steps.length)
    throw new StorageError(
      `${name} was written by a newer Archeion (schema ${version}, this program knows ${steps.length}). Update the program.`,
    );
  return version;
}

/** A step that is about to be made, by its number from 1, and how many there are. */
export interface UpgradeStep {
  step: number;
  of: number;
}

/** What is told of a database that is not new: `backup` before the first step, `begun` before each. */
interface Told {
  backup?: (version: number) => void;
  begun?: (step: UpgradeStep) => void;
}

/**
 * Brings a database to the newest schema, one transaction a step, of a new one a single transaction. What a step has written is
 * brought from the log into the database before the next: it may be all of it, and nobody else makes checkpoints yet.
 * @throws StorageError where the database was written by a newer program
 */
export function migrate(db: Database.Database, steps: readonly Migration[], { backup, begun }: Told = {}): void {
  const version = knownVersion(db, steps);
  const take = (step: Migration) => (typeof step === 'string' ? db.exec(step) : step(db));
  const stepsTo = db.transaction((from: number, to: number) => {
    for (const step of steps.slice(from, to)) take(step);
    db.pragma(`user_version = ${to}`);
  });
  // Half of a new one would be taken for an earlier program's.
  if (version === 0) {
    stepsTo(0, steps.length);
    return;
  }
  if (version < steps.length) backup?.(version);
  for (let made = version; made < steps.length; made++) {
    begun?.({ step: made + 1, of: steps.length });
    stepsTo(made, made + 1);
    emptyLog(db);
  }
}

function emptyLog(db: Database.Database): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // On a full disk, say: what was written is whole in the log, and the next checkpoint tries again.
  }
}
