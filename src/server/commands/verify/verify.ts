import { accessSync, constants, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { SignedHead } from '../../attest/head.ts';
import { checkKeptHead, type LogToday } from '../../attest/kept-head.ts';
import { LogThread } from '../../attest/log-thread.ts';
import { verification } from '../../attest/verification.ts';
import { readConfig, UsageError } from '../../config.ts';
import { StorageError, UnavailableError } from '../../errors.ts';
import { type Network, networks } from '../../model/ids.ts';
import { identityFile } from '../../store/accounts/identity-schema.ts';
import { updatedCopy } from '../../store/backup/updated-copy.ts';
import { refuseForeignLogs } from '../../store/foreign-log.ts';
import { lockFolder } from '../../store/lock.ts';
import { refuseLostNetwork } from '../../store/lost-database.ts';
import { filesFolder } from '../../store/network-folders.ts';
import { databaseFile } from '../../store/network-store.ts';
import { isOnlyBegun, isOutdated, refuseNewer } from '../../store/outdated.ts';
import type { Progress } from '../../store/progress.ts';
import { isBackup } from '../../store/startable.ts';
import { runTask } from '../../store/threads/task-run.ts';
import type { VerifyOrder } from '../../store/verify/verify.ts';
import { Findings, type VerifyReport } from '../../store/verify/verify-findings.ts';
import { noNode, openClient } from '../parts/client.ts';
import { counted } from '../parts/counted.ts';
import { FailureError } from '../parts/failure.ts';
import { type AnswerLine, lastOf, type StepProgress, stepText } from '../parts/lines.ts';
import { refuseOthers } from '../parts/node-on-folder.ts';
import type { GlobalOptions, Shell } from '../parts/shell.ts';
import { writtenIn } from '../parts/written-network.ts';
import { statementLines } from './checked-file.ts';
import { logInFolder, logOfNode, readKeptHead } from './verify-head.ts';
import { partLines, type VerifiedPart, wholeReport } from './verify-parts.ts';
import { verifyProof } from './verify-proof.ts';

interface VerifyOptions extends GlobalOptions {
  json?: boolean;
  proof?: string;
  head?: string;
  key?: string;
}

type Line = AnswerLine<StepProgress, VerifyReport>;

/**
 * `archeion verify`: on the running node, else on the data folder itself, so that a node that cannot start can be checked, and
 * so can a backup.
 */
export function addVerify(program: Command, shell: Shell): void {
  program
    .command('verify')
    .description(
      'hash every block again, walk every chain, compare every derived row, check the attestation log and the records of jobs, imports and uploads; ' +
        'of a backup that --data names: compare every file with its list first',
    )
    .option('--json', 'print the report as one JSON document')
    .option('--proof <file>', 'instead check a proof file of GET /node/attestations/proof; it needs no node')
    .option('--head <file>', 'check as well that the log goes on from a signed head that was kept elsewhere')
    .option('--key <key>', "with --proof or --head: the node's public key or its id, as you know it")
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      if (options.proof !== undefined && options.head !== undefined)
        throw new UsageError('--proof and --head are two questions: ask one at a time.');
      if (options.proof !== undefined) return verifyProof(shell, options.proof, options);
      if (options.key !== undefined && options.head === undefined)
        throw new UsageError('--key says which key a --proof or --head must be signed with.');
      const kept = options.head === undefined ? null : await readKeptHead(options.head);
      // Which network it is of the head says itself.
      const flags = kept ? { ...options, network: options.network ?? kept.network } : options;
      const { config } = readConfig(shell.env, flags, shell.dataFolder);
      if (kept && kept.network !== config.network)
        throw new UsageError(`${options.head} is of the ${kept.network} network: leave --network out.`);
      const data = resolve(config.data);
      const backup = isBackup(data);
      // Also a node of which but one of these is left is worth a look.
      if (!backup && ![join(data, identityFile), databaseFile(data, config.network)].some((file) => existsSync(file))) {
        refuseLostNetwork(data, config.network);
        throw noNode(data);
      }
      // The folder's lock tells: who has it is a node that runs, and it is asked instead.
      const lock = backup ? null : free(data);
      const { network } = config;
      const { parts, logged, today } = backup
        ? await onBackup(shell, data, kept)
        : lock
          ? await onFolder(shell, data, { network, lock, kept })
          : await onNode(shell, flags, { network, kept });
      const report = wholeReport(parts);
      // What a log says means nothing where it is not whole itself.
      const head =
        kept && logged?.ok && checkKeptHead(kept, today, { moves: logged.counts.moves, key: options.key ?? null });
      if (options.json) shell.out(JSON.stringify({ ...report, ...(head && { head }) }));
      else {
        for (const line of [...partLines(parts), ...(head ? statementLines(head.statements) : [])]) shell.out(line);
        for (const other of backup ? [] : networks.filter((it) => it !== network && existsSync(databaseFile(data, it))))
          shell.out(`The ${other} network was not checked: archeion verify --network ${other}`);
      }
      if (!report.ok)
        throw new FailureError(
          `${counted(report.problem_count, 'problem')} ${report.problem_count === 1 ? 'was' : 'were'} found.`,
        );
      if (head && !head.ok)
        throw new FailureError(`The log does not go on from ${options.head}: see what is wrong above.`);
    });
}

/** What was found in each part, and what the log says of a kept head, where one is given: its network's part is `logged`. */
interface Verified {
  parts: VerifiedPart[];
  logged: VerifyReport | null;
  today: LogToday | null;
}

async function onNode(
  shell: Shell,
  options: GlobalOptions,
  { network, kept }: { network: Network; kept: SignedHead | null },
): Promise<Verified> {
  await using client = await openClient(shell, options);
  const lines = client.send<Line>('POST', '/node/verify', Readable.from([]));
  const left = () =>
    "Damaged files that were found by then, if any, lie in files/damaged of the network's folder; nothing else was changed.";
  const report = await lastOf(shell, 'verify', lines, stepText, left);
  const today = kept && report.ok ? await logOfNode(client, kept.size) : null;
  return { parts: [{ what: network, report }], logged: report, today };
}

/** The lock of a data folder that no node runs on, null where one does. */
function free(data: string): Disposable | null {
  try {
    return lockFolder(data);
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    refuseOthers(data);
    refuseReadOnly(data, [data]);
    throw error;
  }
}

/** A database that a node writes to is read by writing beside it, also while there is no node. @throws FailureError */
function refuseReadOnly(data: string, folders: string[]): void {
  try {
    for (const folder of folders) accessSync(folder, constants.W_OK);
  } catch {
    throw new FailureError(
      `Nothing was verified: the data folder ${data} can only be read, and its databases are read by writing beside them. ` +
        'Copy it to where you may write ("cp -a"), and name the copy with --data. Backups are verified where they are.',
    );
  }
}

async function onFolder(
  shell: Shell,
  data: string,
  { network, lock, kept }: { network: Network; lock: Disposable; kept: SignedHead | null },
): Promise<Verified> {
  using _lock = lock;
  refuseForeignLogs(data);
  const database = writtenIn(data, network);
  const folder = resolve(data, network);
  refuseReadOnly(data, [data, folder]);
  refuseNewer(database);
  if (isOnlyBegun(database)) throw onlyBegun(database);
  if (isOutdated(database)) throw outdated(database);
  const report = await lastOf(shell, 'verify', linesOf(shell, { database, folder }), stepText);
  const today = kept && report.ok ? logInFolder(folder, kept.size) : null;
  return { parts: [{ what: network, report }], logged: report, today };
}

/** Every file on its list, and each network that is in it. Nobody writes to a backup, and nothing is changed in it. */
async function onBackup(shell: Shell, data: string, kept: SignedHead | null): Promise<Verified> {
  if (kept) writtenIn(data, kept.network);
  const present = networks.filter((network) => existsSync(databaseFile(data, network)));
  refuseStrayLogs(present.map((network) => databaseFile(data, network)));
  for (const network of present) refuseNewer(databaseFile(data, network));
  const comparison = runTask({ name: 'verifyBackup', args: { folder: data } });
  const list = await lastOf(shell, 'verify', told(shell, comparison), stepText);
  const verified: Verified = { parts: [{ what: 'list', report: list }], logged: null, today: null };
  for (const network of present) {
    const folder = resolve(data, network);
    const report = await ofBackup(shell, databaseFile(data, network), folder);
    verified.parts.push({ what: network, report });
    if (kept?.network !== network) continue;
    verified.logged = report;
    if (report.ok) verified.today = logInFolder(folder, kept.size);
  }
  return verified;
}

/** SQLite would take what lies there for a part of the database, and write beside it. @throws FailureError */
function refuseStrayLogs(databases: string[]): void {
  const stray = databases.flatMap((it) => [`${it}-wal`, `${it}-journal`]).find((it) => existsSync(it));
  if (stray !== undefined)
    throw new FailureError(
      `${stray} is none of the backup, and lies beside a database of it. Move it away, and verify again; a restore does not take it.`,
    );
}

/** What is in a network of a backup; of one that an earlier program has made, in a copy, since nothing is changed in it. */
async function ofBackup(shell: Shell, database: string, folder: string): Promise<VerifyReport> {
  const verify = (file: string) =>
    lastOf(shell, 'verify', linesOf(shell, { database: file, folder, backup: true }), stepText);
  if (!isOutdated(database) && !isOnlyBegun(database)) return verify(database);
  const made = await updatedCopy(database).catch((error: unknown) => {
    if (error instanceof StorageError) return error;
    throw error;
  });
  if (made instanceof StorageError) {
    const findings = new Findings();
    findings.problem(
      'database',
      `An earlier Archeion has written ${database}, and no copy of it can be brought up to date where temporary files lie ` +
        `(${made.reason}). Make room there, or restore the backup and start a node on that once ("archeion serve").`,
    );
    return findings.report();
  }
  await using copy = made;
  const report = await verify(copy.database);
  report.remarks.push(`An earlier Archeion has written ${database}: a copy of it was brought up to date and verified.`);
  return report;
}

function onlyBegun(database: string): FailureError {
  return new FailureError(
    `There is nothing in ${database}: the start that made it failed, as on a full disk. Start the node on it once more ("archeion serve").`,
  );
}

function outdated(database: string): FailureError {
  return new FailureError(
    `An earlier Archeion has written ${database}. Start the node on it once ("archeion serve"): it keeps a copy and brings it up to date, and then it can be verified.`,
  );
}

async function* linesOf(shell: Shell, order: VerifyOrder): AsyncGenerator<Line, void, undefined> {
  await using thread = new LogThread();
  const aside = order.backup ? null : join(filesFolder(order.folder), 'damaged');
  yield* told(shell, verification(order, thread), aside);
}

/** `aside`: where what is damaged is put. @throws FailureError once the command is told to stop */
async function* told(
  { stopped }: Shell,
  task: AsyncGenerator<Progress, VerifyReport, undefined>,
  aside: string | null = null,
): AsyncGenerator<Line, void, undefined> {
  for (;;) {
    const next = await task.next();
    if (next.done) return yield { done: next.value };
    if (stopped.aborted) {
      await task.throw(stopped.reason).catch(() => undefined);
      const isLeft = aside !== null && existsSync(aside);
      throw new FailureError(`Stopped. ${isLeft ? `Damaged files lie in ${aside}.` : 'Nothing was changed.'}`);
    }
    yield { progress: next.value };
  }
}
