import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ValidationError } from '../errors.ts';
import { restoreBackup } from '../store/restore.ts';
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
  networks: { network: string; entities: number; versions: number; moves: number; missing_files?: number }[];
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
      if (flags.json) return shell.out(JSON.stringify(report));
      shell.out(`${counted(report.files, 'file')} (${report.bytes.toLocaleString('en')} bytes) in ${report.dir}`);
      const missing = report.networks.reduce((sum, { missing_files = 0 }) => sum + missing_files, 0);
      if (missing > 0) shell.out(missingLine(missing));
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
      const { manifest, strays } = await restoreBackup(dir, data, show)
        .catch((error: unknown) => {
          if (!(error instanceof ValidationError)) throw error;
          throw new FailureError(`${error.issues.map(({ message }) => message).join('; ')}.`, 2);
        })
        .finally(() => display.end());
      const { time, version, networks } = manifest;
      if (flags.json) shell.out(JSON.stringify({ data, time, version, networks, strays }));
      else shell.out(`The backup of ${time} is in ${data}. It has a new instance id from its next start on.`);
      if (!flags.json && strays.length > 0) shell.out(straysLine(strays));
    });
}

const mostNamed = 5;

/** What is said of files in a backup that no node has put there. */
function straysLine(strays: string[]): string {
  const more = strays.length > mostNamed ? ` and ${strays.length - mostNamed} more` : '';
  const named = strays.slice(0, mostNamed).join(', ');
  return `${counted(strays.length, 'file')} in it that no node has written ${strays.length === 1 ? 'was' : 'were'} left out: ${named}${more}.`;
}
