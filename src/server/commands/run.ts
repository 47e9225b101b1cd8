import { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../config.ts';
import { DomainError, StorageError, ValidationError } from '../errors.ts';
import { version } from '../generated/version.ts';
import { networks } from '../model/ids.ts';
import { addBackup } from './backup.ts';
import { addConflicts } from './conflicts.ts';
import { addExport } from './export.ts';
import { addHelp } from './help.ts';
import { addImport } from './import.ts';
import { addImportCar } from './import-car.ts';
import { addKey } from './key.ts';
import { addMcp } from './mcp.ts';
import { addOpen } from './open.ts';
import { FailureError } from './parts/failure.ts';
import { type AskedNode, OtherVersionError } from './parts/other-version.ts';
import type { Shell } from './parts/shell.ts';
import { escaped } from './parts/table.ts';
import { addProcessor } from './processor.ts';
import { addQuery } from './query.ts';
import { addReindex } from './reindex.ts';
import { addRemote } from './remote.ts';
import { addRestore } from './restore.ts';
import { addSearch } from './search.ts';
import { addServe } from './serve.ts';
import { addStatus } from './status.ts';
import { addSync } from './sync.ts';
import { addVerify } from './verify/verify.ts';

/** Exit codes: done; something is wrong with the data, the sync or the node; the command line or a setting is wrong. */
export type ExitCode = 0 | 1 | 2;

/** Runs one command line (without the program's own name). What goes wrong is one sentence on stderr. */
export async function run(args: string[], given: Shell): Promise<ExitCode> {
  let asked: AskedNode | null = null;
  const { told } = given;
  const shell: Shell = {
    ...given,
    // Much of what is said are the words of others: of remotes, files and labels.
    out: (line) => given.out(escaped(line)),
    ...(told && { told: (line: string) => told(escaped(line)) }),
    err: (text) => given.err(text.split('\n').map(escaped).join('\n')),
    asks: (node) => {
      asked = node;
    },
  };
  const program = new Command('archeion')
    .description('A local-first node for versioned entity graphs')
    .version(version)
    .option('--data <dir>', "the data folder (default: ARCHEION_DATA, or the platform's usual place)")
    .addOption(new Option('--network <name>', 'the network to work on (default: main)').choices([...networks]))
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => text.trimEnd().split('\n').forEach(shell.out),
      writeErr: (text) => shell.err(text.trimEnd()),
    });
  addServe(program, shell);
  addKey(program, shell);
  addImport(program, shell);
  addStatus(program, shell);
  addExport(program, shell);
  addImportCar(program, shell);
  addVerify(program, shell);
  addBackup(program, shell);
  addRestore(program, shell);
  addRemote(program, shell);
  addSync(program, shell);
  addConflicts(program, shell);
  addSearch(program, shell);
  addReindex(program, shell);
  addQuery(program, shell);
  addMcp(program, shell);
  addOpen(program, shell);
  addProcessor(program, shell);
  addHelp(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (caught) {
    const error = asked && caught instanceof TypeError ? new OtherVersionError(asked, caught) : caught;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    shell.err(`archeion: ${sentence(error)}`);
    if (error instanceof FailureError) return error.exitCode;
    return error instanceof UsageError || error instanceof ValidationError ? 2 : 1;
  }
}

/** A refusal in its own words; a fault of ours with the place where it happened. */
function sentence(error: unknown): string {
  if (error instanceof StorageError) return error.reason;
  // Of a setting that is read where it is used, with its name as the path.
  if (error instanceof ValidationError)
    return error.issues.map(({ path, message }) => `${[...path, ''].join(': ')}${message}.`).join(' ');
  if (error instanceof DomainError || error instanceof UsageError || error instanceof FailureError)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
