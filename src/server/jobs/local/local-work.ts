import type { Addition, NodeApi } from '../../kit/node-api.ts';
import { untilAnswered } from '../../kit/patience.ts';
import { endingOf, type Handler, type Made, type MadeOutput } from '../../kit/run-job.ts';
import { allContents } from '../../model/content-entries.ts';
import { fromJson } from '../../model/from-json.ts';
import { derivedId } from '../../model/ids.ts';
import type { Manifest } from '../../model/manifest.ts';
import { type CommandResult, isExisting, type NewOutput, resultOf } from './command-result.ts';
import type { LocalCommand } from './command-settings.ts';
import { type JobFolder, openJobFolder } from './job-folder.ts';
import { jobInput } from './job-input.ts';
import type { ProcessorNode } from './ports.ts';
import { type CommandOutcome, type CommandRun, graceMs } from './run-command.ts';

export interface WorkPlace {
  /** The folder in which jobs have their folders. */
  work: string;
  /** The node's environment, of which a command sees what its settings name. */
  environment: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  now: () => number;
  /** Runs the command when it is its turn. */
  run(command: LocalCommand, given: CommandRun): Promise<CommandOutcome>;
}

/**
 * The work of a klados that is a command: runs it, and writes what it says that it has made. What it came to stays in the job's
 * folder, which is for the caller to leave.
 */
export function localHandler(klados: string, command: LocalCommand, node: ProcessorNode, place: WorkPlace): Handler {
  return async ({ job, signal, note, api }) => {
    const expires = Date.parse(job.expires_at);
    const patience = { until: expires, now: place.now, signal };
    const putContent: ProcessorNode['putContent'] = (...given) =>
      untilAnswered(() => node.putContent(...given), patience);
    const folder = await openJobFolder(place.work, { id: job.job_id, expires });
    const { run, timeoutMs, maxOutputBytes } = command;
    const ran = async (): Promise<CommandResult> => {
      const outcome = await place.run(command, {
        ...{ run, timeoutMs, maxOutputBytes, signal },
        // One that does not hear that its time is up leaves time to say so.
        graceMs: Math.min(graceMs, endingOf(expires - place.now()) / 2),
        folder: command.folder ?? folder.path,
        environment: { ...visible(command, place.environment), TMPDIR: folder.path },
        input: jobInput(job, klados, node, folder, command),
      });
      const result = resultOf(outcome, command);
      await folder.keep(JSON.stringify(result), filesOf(result));
      return result;
    };
    const result = folder.kept === null ? await ran() : (fromJson(folder.kept) as CommandResult);
    /** Whether an earlier run of the job has written this: what others changed there since stays. */
    const isWritten: IsWritten = async (entity, isSuch) =>
      folder.kept !== null &&
      (await untilAnswered(() => node.hasWritten(entity, expires - longestMs, isSuch), patience));
    for (const { level, message, metadata } of result.messages) note(level, message, metadata);
    const make = (kind: string, index: number, one: NewOutput) =>
      made(
        { create: (entity) => api.create(entity), putContent, isWritten },
        folder,
        { id: derivedId(job.network, kind, job.job_id, String(index)), collection: job.target_collection },
        one,
      );
    for (const [index, one] of result.records.entries()) await make('record', index, one);
    // The next step reads what they make of the entities.
    for (const { entity, note, some } of noted(result.updates, job.job_id))
      if (!(await isWritten(entity, (version) => version.note?.split('\n').includes(note) === true)))
        await api.addNow(some);
    return outputsOf(result, make);
  };
}

/** The longest that permissions of a job last: it writes nothing before. */
const longestMs = 86_400_000;
/** So many additions to one entity become one version at most. */
const maxTogether = 1000;

type IsWritten = (entity: string, isSuch: (version: Manifest) => boolean) => Promise<boolean>;

/** Additions by the versions that they become, each with a note by which that is known again. */
function* noted(
  updates: readonly Addition[],
  job: string,
): Generator<{ entity: string; note: string; some: Addition[] }> {
  for (const [entity, all] of Map.groupBy(updates, ({ entity_id }) => entity_id))
    for (let from = 0; from < all.length; from += maxTogether) {
      const note = from === 0 ? `By ${job}` : `By ${job}, from ${from}`;
      yield { entity, note, some: all.slice(from, from + maxTogether).map((one) => ({ ...one, note })) };
    }
}

/** The paths of the files that it has made. */
function filesOf({ records, outputs }: CommandResult): string[] {
  const made = outputs.filter((one) => typeof one !== 'string' && !isExisting(one));
  return [...records, ...(made as NewOutput[])].flatMap(({ content }) => content.map(({ path }) => path));
}

async function outputsOf(
  { outputs, output_properties }: CommandResult,
  make: (kind: string, index: number, one: NewOutput) => Promise<string>,
): Promise<Made> {
  const all: MadeOutput[] = [];
  for (const [index, one] of outputs.entries()) {
    if (typeof one === 'string' || isExisting(one)) all.push(one);
    else all.push({ ...one.route, entity_id: await make('output', index, one) });
  }
  return { outputs: all, outputProperties: output_properties };
}

/** A new entity with its content. Its id follows from the job, so that a job that is run again makes it once. */
async function made(
  node: Pick<NodeApi, 'create'> & Pick<ProcessorNode, 'putContent'> & { isWritten: IsWritten },
  folder: JobFolder,
  { id, collection }: { id: string; collection: string },
  { type, properties, relationships, content }: NewOutput,
): Promise<string> {
  const files = [];
  for (const { path, key, content_type, filename } of content)
    files.push({ key, type: content_type ?? null, filename, ...(await folder.made(path)) });
  await node.create({ id, type, collection, properties, relationships });
  for (const file of files)
    if (!(await node.isWritten(id, (version) => allContents(version).some(({ key }) => key === file.key))))
      await node.putContent(id, file);
  return id;
}

function visible({ environment }: LocalCommand, all: WorkPlace['environment']): Record<string, string> {
  return Object.fromEntries(environment.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

export async function labelOf(node: ProcessorNode, klados: string): Promise<string> {
  const { label } = (await node.read(klados)).properties;
  return typeof label === 'string' ? label : klados;
}
