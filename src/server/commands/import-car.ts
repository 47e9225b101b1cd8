import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../config.ts';
import { isText } from '../exchange/file-signature.ts';
import { openClient } from './parts/client.ts';
import { counted, number } from './parts/counted.ts';
import { FailureError, LostNodeError, RefusedError } from './parts/failure.ts';
import { type AnswerLine, lastOf } from './parts/lines.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { noFile, sourceOf } from './parts/source-of.ts';

/** What the node says of an import (resources/node/archives/wire.ts), as far as it is shown here. */
interface Report {
  entities: number;
  versions: number;
  created: number;
  advanced: number;
  unchanged: number;
  forks: number;
  fork_examples: { id: string; ours: string; theirs: string }[];
  remarks: string[];
}

/** `archeion import-car`: an archive over what is there. */
export function addImportCar(program: Command, shell: Shell): void {
  program
    .command('import-car')
    .description('import a CAR file, a bag or a crate that export made: verified whole first, over what is there')
    .argument('<file>', 'the CAR file, or the ZIP of a bag or crate')
    .option('--json', 'print one JSON document with what became of it')
    .action(async (file: string, _options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      const found = statOf(file);
      if (!found) throw noFile(file);
      if (found.isDirectory()) throw new UsageError(`${file} is a folder; name the file in it.`);
      if (found.isFile() && isText(startOf(file)))
        throw new UsageError(
          `${file} is text, and no CAR file, bag or crate: records are taken in by "archeion import".`,
        );
      await using client = await openClient(shell, options, { mayMake: true });
      const lines = client.send<AnswerLine<{ entities: number; total: number }, Report>>(
        'POST',
        `/node/import-car?name=${encodeURIComponent(basename(file).slice(0, 255))}`,
        sourceOf(file, shell),
      );
      const shown = ({ entities, total }: { entities: number; total: number }) => ({
        done: entities,
        total,
        text: counted(entities, 'entity'),
      });
      const report = await lastOf(shell, 'import-car', lines, shown, leftOf).catch((error: unknown) => {
        // Not the command line is wrong, but what is in the file.
        if (error instanceof RefusedError) throw new FailureError(error.message);
        throw error instanceof LostNodeError ? new FailureError(`${error.message} ${leftOf(false)}`) : error;
      });
      if (options.json) shell.out(JSON.stringify({ file, ...report }));
      else for (const line of summary(report)) shell.out(line);
      if (report.forks > 0)
        throw new FailureError(
          `${counted(report.forks, 'entity')} in conflict: "archeion conflicts" shows what was changed here and in the archive.`,
        );
    });
}

/** What a node does with an archive whose sender leaves (car-import-service.ts). */
function leftOf(begun: boolean): string {
  const goesOn = 'the node completes it, also at its next start';
  return begun
    ? `The import had begun: ${goesOn}.`
    : `Nothing was changed, or the import has just begun: then ${goesOn}. The same command tells what is there.`;
}

/** Undefined where nothing is there. @throws UsageError where nobody can say, as of links in a circle */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as Error).message}).`);
  }
}

/** Nothing of what cannot be read, which is said where it is sent. */
function startOf(file: string): Uint8Array {
  try {
    const opened = openSync(file, 'r');
    try {
      const start = Buffer.alloc(16);
      return start.subarray(0, readSync(opened, start, 0, 16, 0));
    } finally {
      closeSync(opened);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function summary({
  entities,
  versions,
  created,
  advanced,
  unchanged,
  forks,
  fork_examples,
  remarks,
}: Report): string[] {
  const counts = `${number(created)} created, ${number(advanced)} moved on, ${number(unchanged)} unchanged`;
  return [
    `${counted(entities, 'entity')}, ${counted(versions, 'new version')}: ${counts}, ${number(forks)} in conflict`,
    ...remarks,
    ...fork_examples.map(({ id, ours, theirs }) => `  ${id}: here ${ours}, there ${theirs}`),
  ];
}
