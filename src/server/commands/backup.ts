import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ValidationError } from '../errors.ts';
import { type BackedUpNetwork, readManifest } from '../store/backup/backup-manifest.ts';
import { type Restored, restoreBackup } from '../store/backup/restore-backup.ts';
import { openClient } from './client.ts';
import { counted } from './counted.ts';
import { FailureError } from './failure.ts';
import { type AnswerLine, lastOf, type StepProgress, stepText } from './lines.ts';
import { missingLine } from './missing.ts';
import { progressDisplay } from './progress.ts';
import type { GlobalOptions, Shell } from './shell.ts';

type Flags = GlobalOptions & { json?: boolean };

interface Report {
  dir: string;
  /** Nodes of before do not say it. */
  time?: string;
  networks: BackedUpNetwork[];
  files: number;
  bytes: number;
}

/** `archeion backup` and `archeion restore`. */
export function addBackup(program: Command, shell: Shell): void {
  program
    .command('backup')
    .description('copy all networks, accounts and files into a new folder, also while the node runs')
    .argument('<dir>', 'a folder that does not exist or is empty')
    .option('--json', 'print one JSON document with what was copied')
    .action(async (dir: string, _options, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await using client = await openClient(shell, flags);
      const body = Readable.from([JSON.stringify({ dir: resolve(dir) })]);
      const lines = client.send<AnswerLine<StepProgress, Report>>('POST', '/node/backup', body, 'application/json');
      const report = await lastOf(shell, 'backup', lines, stepText);
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
  program
    .command('restore')
    .description('make a data folder of a backup; nothing is ever overwritten')
    .argument('<dir>', 'the folder of the backup')
    .option('--json', 'print one JSON document with what was restored')
    .action(async (dir: string, _options, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const { config } = readConfig(shell.env, flags, shell.dataFolder);
      const data = resolve(config.data);
      const display = progressDisplay(shell, 'restore');
      const show = (progress: StepProgress) => {
        const { done, total, text } = stepText(progress);
        display.show(done, total, text);
      };
      const { manifest, strays, leftOut, heldJobs, imports } = await restoreBackup(dir, data, show, shell.stopped)
        .catch((error: unknown) => {
          if (shell.stopped.aborted) throw new FailureError('Stopped. Nothing was restored.');
          if (!(error instanceof ValidationError)) throw error;
          throw new FailureError(`${error.issues.map(({ message }) => message).join('; ')}.`, 2);
        })
        .finally(() => display.end());
      const { time, version, networks } = manifest;
      if (flags.json)
        shell.out(
          JSON.stringify({
            data,
            time,
            version,
            networks,
            strays,
            left_out: leftOut,
            held_jobs: heldJobs,
            imports: { under_way: imports.goOn.length, lost: imports.lost.length },
          }),
        );
      else shell.out(`The backup of ${time} is in ${data}. It has a new instance id from its next start on.`);
      if (!flags.json && heldJobs > 0)
        shell.out(
          `${counted(heldJobs, 'job')} had not ended when the backup was made. The node that it is of may have gone on, so this one does not send ${heldJobs === 1 ? 'it' : 'them'} again by itself: resume the runs, or start them anew.`,
        );
      if (!flags.json) for (const line of importLines(imports)) shell.out(line);
      if (!flags.json && strays.length > 0)
        shell.out(
          `${counted(strays.length, 'file')} in it that no node has written ${strays.length === 1 ? 'was' : 'were'} left out: ${listed(strays)}.`,
        );
      const { count, named } = damagedOf(networks);
      if (!flags.json && count > 0)
        shell.out(
          `${counted(count, 'file')} ${count === 1 ? 'was' : 'were'} damaged when the backup was made (${named}): an earlier one may have ${count === 1 ? 'it' : 'them'} whole.`,
        );
      if (leftOut.length > 0)
        throw new FailureError(
          `The data folder is made, without ${counted(leftOut.length, 'file')} of content that ${leftOut.length === 1 ? 'is' : 'are'} damaged in the backup, or cannot be read there (${listed(leftOut)}). Copy from another backup what it has whole to the same place, or let an archive, an upload or a sync bring it.`,
        );
    });
}

/** What becomes of imports of archives that had not ended. */
function importLines({ goOn, lost }: Restored['imports']): string[] {
  const underWay = (count: number) =>
    `${counted(count, 'import')} of an archive ${count === 1 ? 'was' : 'were'} not complete when the backup was made`;
  const named = listed(lost.map(({ run, file }) => run.name ?? file));
  return [
    ...(goOn.length > 0
      ? [`${underWay(goOn.length)}: the node completes ${goOn.length === 1 ? 'it' : 'them'} at its next start.`]
      : []),
    ...(lost.length > 0
      ? [
          `${underWay(lost.length)}, and cannot be completed, since the backup does not have the archive whole (${named}): import it again.`,
        ]
      : []),
  ];
}

/** The node of a service or a container may see other folders under the same names. @throws FailureError */
async function checkThere({ dir, time }: Report): Promise<void> {
  const found = await readManifest(dir).catch(() => null);
  if (found && (time === undefined || found.manifest.time === time)) return;
  throw new FailureError(
    `The node has made the backup where this command does not see it: ${dir} is another folder for the node, as /tmp is for one that runs as a service or in a container, and may go when the node stops. Name a folder that both see.`,
  );
}

function damagedOf(networks: readonly BackedUpNetwork[]): { count: number; named: string } {
  const count = networks.reduce((sum, { damaged_files = 0 }) => sum + damaged_files, 0);
  return {
    count,
    named: listed(
      networks.flatMap(({ damaged = [] }) => damaged),
      count,
    ),
  };
}

const mostNamed = 20;

/** The first of some names, and how many more there are. */
function listed(names: readonly string[], all = names.length): string {
  const more = all > mostNamed ? `, and ${(all - mostNamed).toLocaleString('en')} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}
