import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { UsageError } from '../config.ts';
import { ValidationError } from '../errors.ts';
import { isCar, isWorkbook, isZip } from '../exchange/file-signature.ts';
import { parseMappingText } from '../exchange/mapping.ts';
import { notUtf8 } from '../exchange/record-place.ts';
import { textEncodings } from '../exchange/text-encoding.ts';
import { fromJson } from '../model/from-json.ts';
import { isEntityId } from '../model/ids.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { counted, number } from './parts/counted.ts';
import { FailureError, issueText, RefusedError } from './parts/failure.ts';
import { progressDisplay } from './parts/progress.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { noFile, sourceOf } from './parts/source-of.ts';
import { printable } from './parts/table.ts';
import { textIn } from './parts/text-file.ts';

interface Options extends GlobalOptions {
  collection?: string;
  type?: string;
  map?: string;
  encoding?: string;
  json?: boolean;
}

/** What the node says of an import (resources/node/imports/wire.ts), as far as it is shown here. */
interface Counts {
  records: number;
  created: number;
  updated: number;
  unchanged: number;
  left_alone: number;
  refused: number;
  repeated: number;
  differing: number;
}

interface Report extends Counts {
  id: string;
  collection: { id: string; label: string; created: boolean };
  left_alone_examples: { id: string; place: string; reason: string }[];
  refused_examples: { place: string; issues: { path: (string | number)[]; message: string }[] }[];
  differing_examples: { id: string; place: string; reason: keyof typeof differs; names: string[] }[];
  unmet_fields: { place: string; field: string }[];
}

/** How a source says of an entity what is not kept. */
const differs = {
  mentioned: 'mentioned otherwise',
  repeated: 'another record with the id of an earlier one',
  replaces: 'replaces a mention that said more',
};

type Line = { progress?: Counts & { bytes: number }; done?: Report; error?: string };

/** `archeion import`: the records of files become entities of a collection. */
export function addImport(program: Command, shell: Shell): void {
  program
    .command('import')
    .description('import NDJSON, JSON arrays and CSV (also .gz) into a collection; importing again changes nothing')
    .argument('<files...>', 'the files, read in this order')
    .option('--collection <id|label>', 'the collection; a label that none has makes one')
    .option('--type <type>', 'without a mapping: the type of every entity (default: record)')
    .option('--map <file>', 'a mapping file: how records become entities and relationships')
    .addOption(
      new Option(
        '--encoding <name>',
        'in what all the files are written, where they do not say so (default: utf-8)',
      ).choices(textEncodings),
    )
    .option('--json', 'print one JSON document with what became of the files')
    .action(async (files: string[], _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      if (options.collection === undefined) throw new UsageError('Give --collection: an id, or a label.');
      const mapping = options.map === undefined ? undefined : await mappingIn(options.map);
      const sizes = await Promise.all(files.map(sizeOf));
      // What has an id was made before, so a node that lacks it, as under a mistyped folder, need not be made.
      await using client = await openClient(shell, options, { mayMake: !isEntityId(options.collection) });
      const body = { collection: options.collection, type: options.type, mapping, encoding: options.encoding };
      const { id } = await client.ask<Report>('POST', '/node/imports', body);
      let report: Report | undefined;
      let begun = 0;
      try {
        for (const file of files) {
          begun++;
          report = await importFile(client, shell, id, file, sizes[begun - 1] ?? null);
        }
      } catch (error) {
        if (error instanceof FailureError && !shell.stopped.aborted)
          throw await brokenOff(client, id, error, { unread: files.slice(begun), encoding: options.encoding });
        throw error;
      }
      if (!report) throw new FailureError('No file was read.', 2);
      // Before anything is said of it: what reads that may leave, which stops the command.
      const unended = await end(client, id);
      if (options.json) shell.out(JSON.stringify({ ...report, files }));
      else for (const line of [...summary(report), ...unmet(report)]) shell.out(line);
      const wrong = [
        ...(report.refused > 0 ? [refusedText(report)] : []),
        ...(report.differing > 0 ? [differingText(report)] : []),
        ...(report.left_alone > 0
          ? [`${counted(report.left_alone, 'changed source')} left alone: what is here stays as it is.`]
          : []),
        ...unended,
      ];
      if (wrong.length > 0) throw new FailureError(wrong.join('\n'));
    });
}

/** Says that an import has ended; what keeps the node from noting that, for people. */
async function end(client: NodeClient, id: string): Promise<string[]> {
  try {
    await client.ask('DELETE', `/node/imports/${id}`);
    return [];
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return [`The files are read, but the node could not keep that the import has ended: ${error.message}`];
  }
}

async function mappingIn(file: string): Promise<unknown> {
  try {
    const text = await textIn(file);
    parseMappingText(text);
    return fromJson(text);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof ValidationError) throw new UsageError(`${file}: ${error.issues.map(issueText).join('; ')}.`);
    throw unreadable(file, error);
  }
}

/** In bytes; null of a pipe, whose end nobody knows. */
async function sizeOf(file: string): Promise<number | null> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new UsageError(`${file} is a folder; name the files in it.`);
    if (!found.isFile()) return null;
    await refuseArchive(file);
    return found.size;
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  }
}

/** Before anything is made for it. */
async function refuseArchive(file: string): Promise<void> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(16), 0, 16, 0);
    const start = buffer.subarray(0, bytesRead);
    if (isWorkbook(file, start))
      throw new UsageError(
        `${file} is a workbook of a spreadsheet program: save its table there as CSV, and import that.`,
      );
    const is = isZip(start) ? 'a ZIP file' : isCar(start) ? 'a CAR file' : null;
    if (is !== null)
      throw new UsageError(
        `${file} is ${is}, which has no records: an archive, a bag or a crate is taken in by "archeion import-car".`,
      );
  } finally {
    await opened.close();
  }
}

function unreadable(file: string, error: unknown): UsageError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return missing ? noFile(file) : new UsageError(`${file} cannot be read (${reasonOf(error)}).`);
}

async function importFile(
  client: NodeClient,
  shell: Shell,
  id: string,
  file: string,
  size: number | null,
): Promise<Report> {
  const name = basename(file);
  const source = sourceOf(file, shell);
  const display = progressDisplay(shell, name);
  try {
    for await (const line of client.send<Line>(
      'PUT',
      `/node/imports/${id}/files/${encodeURIComponent(name)}`,
      source,
    )) {
      if (line.error !== undefined) throw refusalOf(new RefusedError(0, line));
      const counts = line.progress ?? line.done;
      if (counts) display.show(line.progress?.bytes ?? size ?? 0, size, countsText(counts));
      if (line.done) return line.done;
    }
    throw new FailureError(`The node did not say what became of ${name}.`);
  } catch (error) {
    if (error instanceof RefusedError) throw refusalOf(error);
    if (!shell.stopped.aborted) throw error;
    throw new FailureError(`Stopped. ${goesOn}`);
  } finally {
    display.end();
  }
}

const goesOn = 'What has been imported stays; the same command goes on from there.';

/** A record that ended the reading of its file. */
class BadFileError extends FailureError {}

/** The command line was right: what is wrong is in the file, or at the node. */
function refusalOf({ message, body }: RefusedError): FailureError {
  const { details } = body as { details?: { issues?: unknown } };
  if (details?.issues === undefined) return new FailureError(message);
  return new BadFileError(message.replace(notUtf8, notUtf8.replace('as windows', 'as --encoding windows')));
}

/** What is wrong, and what is in all the same. */
async function brokenOff(
  client: NodeClient,
  id: string,
  error: FailureError,
  { unread, encoding }: { unread: readonly string[]; encoding: string | undefined },
): Promise<FailureError> {
  const report = await client.ask<Report>('GET', `/node/imports/${id}`).catch(() => null);
  const left = unread.length > 0 ? [`Not read: ${unread.map(printable).join(', ')}`] : [];
  if (!report) return new FailureError([error.message, ...left, goesOn].join('\n  '));
  const way =
    error instanceof BadFileError
      ? `Mend the file${encoding === undefined ? '' : `, or name it in a command of its own where it is not ${encoding},`} and import it again: what is there is met as unchanged.`
      : 'When that is mended, the same command goes on from there.';
  const ways = `${way} To take it back: POST /node/imports/${id}/undo.`;
  return new FailureError([error.message, 'What came before stays:', ...summary(report), ...left, ways].join('\n  '));
}

function countsText({ records, created, updated }: Counts): string {
  return `${counted(records, 'record')}, ${counted(created, 'entity')} created, ${number(updated)} updated`;
}

function summary(report: Report): string[] {
  const { collection, unchanged, left_alone, repeated } = report;
  const some = (count: number, text: string): string[] => (count > 0 ? [`${number(count)} ${text}`] : []);
  return [
    `${collection.created ? 'Made' : 'Into'} the collection "${printable(collection.label)}" (${collection.id})`,
    [countsText(report), ...some(unchanged, 'unchanged'), ...some(repeated, 'repeated records left out')].join(', '),
    ...(left_alone > 0
      ? [`${counted(left_alone, 'changed source')} left alone: edited or deleted here, or made by something else`]
      : []),
    ...report.left_alone_examples.map(
      ({ id, place, reason }) => `  ${printable(place)}: ${id} (${reason.replace('_', ' ')})`,
    ),
  ];
}

/** What is misspelled in a mapping leaves an entity without a label, or a relationship, and looks like what no record has. */
function unmet({ unmet_fields }: Report): string[] {
  if (unmet_fields.length === 0) return [];
  const lines = unmet_fields.slice(0, 10).map(({ place, field }) => `  ${printable(`${field} (${place})`)}`);
  const more = unmet_fields.length - lines.length;
  return ['No record has what the mapping names here:', ...lines, ...(more > 0 ? ['  and more'] : [])];
}

function refusedText(report: Report): string {
  const examples = report.refused_examples.slice(0, 10).map(({ place, issues }) => {
    // Some messages begin with the place themselves, and their path would come before it.
    const bare = issues.map(({ path, message }) => ({ path, message: message.replace(`${place}: `, '') }));
    return printable(`${place}: ${bare.map(issueText).join('; ')}`);
  });
  const few = report.refused === 1 ? '1 record or entity was' : `${number(report.refused)} records or entities were`;
  return [`${few} refused, the others are imported:`, ...examples].join('\n  ');
}

function differingText({ differing, differing_examples }: Report): string {
  const examples = differing_examples.slice(0, 10).map(({ id, place, reason, names }) => {
    const what = names.length > 0 ? `: ${names.join(', ')}` : '';
    return printable(`${place}: ${id} (${differs[reason]}${what})`);
  });
  const places = differing === 1 ? '1 place says' : `${number(differing)} places say`;
  return [`${places} of an entity what is not kept, since something else of it stands:`, ...examples].join('\n  ');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
