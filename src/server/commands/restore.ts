import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ValidationError } from '../errors.ts';
import { type Restored, restoreBackup } from '../store/backup/restore-backup.ts';
import { counted } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { type StepProgress, stepText } from './parts/lines.ts';
import { damagedOf, listed } from './parts/named-files.ts';
import { progressDisplay } from './parts/progress.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

/** `archeion restore`: makes a data folder of a backup. */
export function addRestore(program: Command, shell: Shell): void {
  program
    .command('restore')
    .description('make a data folder of a backup; nothing is ever overwritten')
    .argument('<dir>', 'the folder of the backup')
    .option('--json', 'print one JSON document with what was restored')
    .action(async (dir: string, _options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
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
          `${counted(heldJobs, 'job')} had not ended when the backup was made. The node that it is of may have gone on, so this one does not send ${heldJobs === 1 ? 'it' : 'them'} again by itself: repeat what has failed when its permissions have ended, or start it anew.`,
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
