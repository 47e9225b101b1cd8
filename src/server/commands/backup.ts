import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { UsageError } from '../config.ts';
import { type BackedUpNetwork, readManifest } from '../store/backup/backup-manifest.ts';
import { openClient } from './parts/client.ts';
import { counted } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { type AnswerLine, lastOf, type StepProgress, stepText } from './parts/lines.ts';
import { missingLine } from './parts/missing.ts';
import { damagedOf } from './parts/named-files.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

type Flags = GlobalOptions & { json?: boolean };

interface Report {
  dir: string;
  /** Nodes of before do not say it. */
  time?: string;
  networks: BackedUpNetwork[];
  files: number;
  bytes: number;
}

/** `archeion backup`: copies a node into a folder, also while it runs. */
export function addBackup(program: Command, shell: Shell): void {
  program
    .command('backup')
    .description('copy all networks, accounts and files into a new folder, also while the node runs')
    .argument('<dir>', 'a folder that does not exist or is empty')
    .option('--json', 'print one JSON document with what was copied')
    .action(async (dir: string, _options, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      // As of a variable that is not set: it would be the folder that one is in.
      if (dir === '') throw new UsageError('Name a folder for the backup.');
      await using client = await openClient(shell, flags, { network: 'any' });
      const body = Readable.from([JSON.stringify({ dir: resolve(dir) })]);
      const lines = client.send<AnswerLine<StepProgress, Report>>('POST', '/node/backup', body, 'application/json');
      const report = await lastOf(
        shell,
        'backup',
        lines,
        stepText,
        () => 'Nothing of the backup is left, unless it was whole by then.',
      );
      await checkThere(report);
      const missing = report.networks.reduce((sum, { missing_files = 0 }) => sum + missing_files, 0);
      if (flags.json) shell.out(JSON.stringify(report));
      else shell.out(`${counted(report.files, 'file')} (${report.bytes.toLocaleString('en')} bytes) in ${report.dir}`);
      if (!flags.json && missing > 0) shell.out(missingLine(missing));
      const { count, named } = damagedOf(report.networks);
      // Who keeps the last few backups must not let the one go that has them whole.
      if (count > 0)
        throw new FailureError(
          `The backup is made, but ${counted(count, 'file')} of the node ${count === 1 ? 'is' : 'are'} damaged or cannot be read (${named}). Keep earlier backups: they may have ${count === 1 ? 'it' : 'them'} whole.`,
        );
    });
}

/** The node of a service or a container may see other folders under the same names. @throws FailureError */
async function checkThere({ dir, time }: Report): Promise<void> {
  const found = await readManifest(dir).catch(() => null);
  if (found && (time === undefined || found.manifest.time === time)) return;
  throw new FailureError(
    `The node has made the backup where this command does not see it: ${dir} is another folder for the node, as /tmp is for one that runs as a service or in a container, and may go when the node stops. Name a folder that both see.`,
  );
}
