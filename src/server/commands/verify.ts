import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { SignedHead } from '../attest/head.ts';
import { checkKeptHead, type LogToday } from '../attest/kept-head.ts';
import { LogThread } from '../attest/log-thread.ts';
import { verification } from '../attest/verification.ts';
import { readConfig, UsageError } from '../config.ts';
import { UnavailableError } from '../errors.ts';
import type { Network } from '../model/ids.ts';
import { identityFile } from '../store/identity-schema.ts';
import { lockFolder } from '../store/lock.ts';
import { databaseFile } from '../store/network-store.ts';
import { isBackup } from '../store/startable.ts';
import { isOutdated, type VerifyOrder } from '../store/verify.ts';
import type { VerifyReport } from '../store/verify-findings.ts';
import { statementLines } from './checked-file.ts';
import { noNode, openClient } from './client.ts';
import { counted } from './counted.ts';
import { FailureError } from './failure.ts';
import { type AnswerLine, lastOf, type StepProgress, stepText } from './lines.ts';
import type { GlobalOptions, Shell } from './shell.ts';
import { logInFolder, logOfNode, readKeptHead } from './verify-head.ts';
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
    .description('hash every block again, walk every chain, compare every derived row, check the attestation log')
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
      // Also a node of which but one of these is left is worth a look.
      if (![join(data, identityFile), databaseFile(data, config.network)].some((file) => existsSync(file)))
        throw noNode(data);
      // Nobody writes to a backup, and nothing is to be left in it.
      const backup = isBackup(data);
      // The folder's lock tells: who has it is a node that runs, and it is asked instead.
      const lock = backup ? null : free(data);
      const { report, today } =
        backup || lock
          ? await onFolder(shell, data, { network: config.network, lock, kept })
          : await onNode(shell, flags, kept);
      // What a log says means nothing where it is not whole itself.
      const head =
        kept && report.ok && checkKeptHead(kept, today, { moves: report.counts.moves, key: options.key ?? null });
      if (options.json) shell.out(JSON.stringify({ ...report, ...(head && { head }) }));
      else for (const line of [...summary(report), ...(head ? statementLines(head.statements) : [])]) shell.out(line);
      if (!report.ok) throw new FailureError(`${report.problem_count} problems were found.`);
      if (head && !head.ok)
        throw new FailureError(`The log does not go on from ${options.head}: see what is wrong above.`);
    });
}

/** What was found, and what the log says of a kept head, where one is given. */
interface Verified {
  report: VerifyReport;
  today: LogToday | null;
}

async function onNode(shell: Shell, options: GlobalOptions, kept: SignedHead | null): Promise<Verified> {
  await using client = await openClient(shell, options);
  const report = await lastOf(shell, 'verify', client.send<Line>('POST', '/node/verify', Readable.from([])), stepText);
  return { report, today: kept && report.ok ? await logOfNode(client, kept.size) : null };
}

/** The lock of a data folder that no node runs on, null where one does. */
function free(data: string): Disposable | null {
  try {
    return lockFolder(data);
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}

async function onFolder(
  shell: Shell,
  data: string,
  { network, lock, kept }: { network: Network; lock: Disposable | null; kept: SignedHead | null },
): Promise<Verified> {
  using _lock = lock;
  const database = databaseFile(data, network);
  if (!existsSync(database)) {
    const other = network === 'main' ? 'test' : 'main';
    throw new UsageError(
      `Nothing was ever written on the ${network} network of ${data}; --network ${other} names the other one.`,
    );
  }
  if (isOutdated(database))
    throw new FailureError(
      `An earlier Archeion has written ${database}. ${lock ? 'Start the node on it' : 'Restore the backup and start a node on that'} once ("archeion serve"): it keeps a copy and brings it up to date, and then it can be verified.`,
    );
  const folder = resolve(data, network);
  const report = await lastOf(shell, 'verify', linesOf({ database, folder, backup: lock === null }), stepText);
  return { report, today: kept && report.ok ? logInFolder(folder, kept.size) : null };
}

async function* linesOf(order: VerifyOrder): AsyncGenerator<Line, void, undefined> {
  await using thread = new LogThread();
  const task = verification(order, thread);
  for (;;) {
    const next = await task.next();
    if (next.done) return yield { done: next.value };
    yield { progress: next.value };
  }
}

function summary({ ok, counts, problems, problem_count, remarks }: VerifyReport): string[] {
  const { versions, entities, edges, moves, heads } = counts;
  const number = (n: number): string => n.toLocaleString('en');
  return [
    `${counted(versions, 'version')} of ${counted(entities, 'entity')}, ${counted(edges, 'relationship')}, ${counted(moves, 'move')}, ${counted(heads, 'signed head')}: ${ok ? 'all is well' : 'something is wrong'}`,
    ...problems.map(({ kind, message }) => `  ${kind}: ${message}`),
    ...(problem_count > problems.length ? [`  and ${number(problem_count - problems.length)} more`] : []),
    ...remarks,
  ];
}
