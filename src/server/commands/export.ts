import { existsSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { UsageError } from '../config.ts';
import { indexOfFile } from '../exchange/archive-file-index.ts';
import { type ExportTarget, exportTarget } from './export-target.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { collectionNamed } from './parts/collection-named.ts';
import { counted } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { leftOutLine, missingLine } from './parts/missing.ts';
import { progressDisplay } from './parts/progress.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

interface Options extends GlobalOptions {
  out?: string;
  format: string;
  collection?: string;
  entity?: string;
  all?: boolean;
  history: string;
  since?: string;
  json?: boolean;
}

/** `archeion export`: a network, a collection or an entity into a file. */
export function addExport(program: Command, shell: Shell): void {
  program
    .command('export')
    .description(
      'export every version of each history as a CAR file that anyone can verify; or a table, lines, a bag or a crate',
    )
    .option(
      '--out <file>',
      'the file that is written; one of that name is replaced once the new one is whole, a pipe or device written to',
    )
    .addOption(
      new Option(
        '--format <name>',
        'car; ndjson: a version a line; csv: a table; bagit, ro-crate: a ZIP with the archive, the lines and the files',
      )
        .choices(['car', 'ndjson', 'csv', 'bagit', 'ro-crate'])
        .default('car'),
    )
    .addOption(
      new Option('--collection <id|label>', 'only a collection and what is in it').conflicts(['entity', 'all']),
    )
    .addOption(new Option('--entity <id>', 'only an entity').conflicts('all'))
    .option('--all', 'the whole network (the default)')
    .addOption(
      new Option('--history <which>', 'every version, or the newest alone').choices(['all', 'tip']).default('all'),
    )
    .option(
      '--since <file|checkpoint>',
      'only for car: leave out what an earlier CAR file has, or an earlier export had',
    )
    .option('--json', 'print one JSON document with what was written')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      if (options.out === undefined) throw new UsageError('Give --out: the file that is written.');
      const target = exportTarget(options.out, shell);
      const say = target.isStdout ? shell.err : shell.out;
      if (options.since !== undefined && options.format !== 'car')
        throw new UsageError('--since is for the format car.');
      if (options.since !== undefined && isSameFile(options.since, target.path))
        throw new UsageError(
          `${options.out} is the file that --since names: what is in it already is left out of the new one, so keep it, and name another with --out.`,
        );
      await using client = await openClient(shell, options);
      const { collection: wanted } = options;
      const collection = wanted === undefined ? undefined : await collectionNamed(client, wanted);
      const { path, earlier } = requestOf({ ...options, collection });
      const response = await client.fetch(earlier ? 'POST' : 'GET', path, earlier);
      // Else what another version answers would take the place of an export that is whole; run.ts says of which version it is.
      if (response.headers['x-archeion-entities'] === undefined) {
        response.destroy();
        throw new TypeError('The answer does not say how many entities are exported.');
      }
      const bytes = await receive(shell, response, target, () => reasonOf(client, response));
      const report = {
        out: options.out,
        bytes,
        entities: Number(response.headers['x-archeion-entities']),
        checkpoint: String(response.headers['x-archeion-checkpoint']),
        missing_files: Number(response.headers['x-archeion-missing-files']),
        left_out_versions: Number(response.headers['x-archeion-left-out-versions'] ?? 0),
      };
      if (options.json) say(JSON.stringify(report));
      else {
        const entities = counted(report.entities, 'entity');
        const what =
          options.since === undefined ? `${entities} in` : `What has changed since then, of ${entities} in all, in`;
        say(`${what} ${options.out} (${bytes.toLocaleString('en')} bytes)`);
        const hasFiles = options.format !== 'csv' && options.format !== 'ndjson';
        if (hasFiles && report.missing_files > 0) say(missingLine(report.missing_files));
        if (report.left_out_versions > 0) say(leftOutLine(report.left_out_versions));
        if (options.format === 'car')
          say(`An export of only what comes from now on: archeion export --since ${report.checkpoint} --out FILE`);
      }
    });
}

/** Whether both are there and one file, whatever ways lead to it. */
function isSameFile(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}

function requestOf({ format, collection, entity, history, since }: Options): { path: string; earlier?: Readable } {
  const query = new URLSearchParams({ format, history });
  if (collection !== undefined) query.set('collection', collection);
  if (entity !== undefined) query.set('entity', entity);
  if (since === undefined) return { path: `/node/export?${query}` };
  if (existsSync(since)) return { path: `/node/export?${query}`, earlier: Readable.from(indexOf(since)) };
  if (!/^[0-9a-f-]{36}\.\d+$/.test(since)) throw new UsageError(`There is no file ${since}, and it is no checkpoint.`);
  query.set('since', since);
  return { path: `/node/export?${query}` };
}

/** The index of the archive that `--since` names. @throws FailureError */
async function* indexOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* indexOfFile(file);
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, '');
    throw new FailureError(`${file}, which --since names, is no archive that an export can go on from: ${why}.`);
  }
}

/** What the node has to say of an answer that broke off; null where it is not the node that ended it. */
async function reasonOf(client: NodeClient, { headers }: IncomingMessage): Promise<string | null> {
  try {
    const { error } = await client.ask<{ error?: string }>('GET', `/node/exports/${headers['x-archeion-export']}`);
    return error ?? null;
  } catch {
    return null;
  }
}

/** Writes the answer, which has its own name when it is whole and on disk. */
async function receive(
  shell: Shell,
  response: IncomingMessage,
  target: ExportTarget,
  reason: () => Promise<string | null>,
): Promise<number> {
  const display = progressDisplay(shell, 'export');
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      display.show(0, null, `${(bytes / 1e6).toFixed(1)} MB`);
      next(null, chunk);
    },
  });
  try {
    await pipeline(response, counter, target.open(), { signal: shell.stopped });
    if (!response.complete) throw new Error('it ended early');
    await target.close(true);
    return bytes;
  } catch (error) {
    await target.close(false);
    if (shell.stopped.aborted) throw new FailureError(`Stopped. ${target.left}`);
    const why = await reason();
    const told = why === null ? ` (${(error as Error).message}).` : `: ${why}`;
    throw new FailureError(`The export broke off${told} ${target.left}`);
  } finally {
    display.end();
  }
}
