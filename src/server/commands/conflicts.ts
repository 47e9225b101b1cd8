import { type Command, Option } from 'commander';
import { z } from 'zod';
import { UsageError } from '../config.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonLoss } from '../model/json-loss.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { FailureError, issueText } from './parts/failure.ts';
import { pathPart } from './parts/path-part.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { printable } from './parts/table.ts';
import { textIn } from './parts/text-file.ts';

/** An entity that was changed here and there (resources/node/conflicts/wire.ts). */
interface Conflict {
  remote: string;
  id: string;
  type: string | null;
  label: string | null;
  base: string | null;
  ours: string;
  theirs: string;
}

interface Side {
  cid: string | null;
  ver: number;
  ts: string;
  edited_by: string;
  deleted: boolean;
}

interface OpenConflict extends Conflict {
  sides: { base: Side | null; ours: Side; theirs: Side };
  clashes: { path: string[]; base?: unknown; ours?: unknown; theirs?: unknown }[];
  merged: { deleted: boolean; properties: object; relationships: object[] };
}

type Options = GlobalOptions & { json?: boolean; remote?: string };
type ResolveOptions = Options & { ours?: true; theirs?: true; merged?: string; note?: string };

/** `archeion conflicts`: what was changed here and at a remote, and its decision. */
export function addConflicts(program: Command, shell: Shell): void {
  const conflicts = program
    .command('conflicts')
    .description('show what was changed here and at a remote')
    // As other groups have it by themselves, which do nothing without one of their commands.
    .helpCommand(true)
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options);
      const answer = await client.ask<{ conflicts: Conflict[]; total: number }>('GET', '/node/conflicts?limit=1000');
      if (options.json) return shell.out(JSON.stringify(answer));
      for (const line of answer.conflicts.flatMap(describe)) shell.out(line);
      const more = answer.total - answer.conflicts.length;
      if (more > 0) shell.out(`and ${more.toLocaleString('en')} more, which come here when these are decided.`);
      if (answer.conflicts.length === 0) shell.out('No conflicts.');
      else shell.out('Decide one with: archeion conflicts resolve ID --ours|--theirs|--merged FILE');
    });

  conflicts
    .command('show <id>')
    .description('show the places that both sides changed; ID is the id of the entity')
    .option('--remote <name>', 'which, where there are several about one entity')
    .option('--json', 'print one JSON document, which is a good start for --merged')
    .action(async (id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const path = pathOf(id);
      await using client = await openClient(shell, options);
      const conflict = await read(client, path, options.remote);
      const lines = options.json ? JSON.stringify(conflict, null, 2).split('\n') : shown(conflict);
      for (const line of lines) shell.out(line);
    });

  conflicts
    .command('resolve <id>')
    .description('decide: where both sides changed the same place, one of them stands; all else is merged')
    .addOption(new Option('--ours', 'what was changed here stands').conflicts(['theirs', 'merged']))
    .addOption(new Option('--theirs', 'what was changed at the remote stands').conflicts(['ours', 'merged']))
    .addOption(new Option('--merged <file>', 'what "conflicts show ID --json" printed, with "merged" as it is to be'))
    .option('--remote <name>', 'which, where there are several about one entity')
    .option('--note <text>', 'kept with the version')
    .option('--json', 'print one JSON document')
    .action(async (id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<ResolveOptions>();
      const path = pathOf(id);
      const { sides: looked, ...body } = await resolution(id, options);
      await using client = await openClient(shell, options);
      const sides = looked ?? (await read(client, path, options.remote)).sides;
      const answer = await client.ask<{ id: string; cid: string; ver: number; deleted: boolean }>(
        'POST',
        `${path}/resolve${query(options.remote)}`,
        { ...body, note: options.note, expect_tip: sides.ours.cid, expect_theirs: sides.theirs.cid },
      );
      if (options.json) shell.out(JSON.stringify(answer));
      else shell.out(`${id} is decided: version ${answer.ver}${answer.deleted ? ', deleted' : ''} (${answer.cid}).`);
    });
}

function query(remote: string | undefined): string {
  return remote === undefined ? '' : `?remote=${encodeURIComponent(remote)}`;
}

/** @throws UsageError */
function pathOf(id: string): string {
  return `/node/conflicts/${pathPart(id, 'id of an entity: "archeion conflicts" lists them')}`;
}

function read(client: NodeClient, path: string, remote: string | undefined): Promise<OpenConflict> {
  return client.ask('GET', `${path}${query(remote)}`);
}

/** The versions that a decision is about: what a file was made from, or those that stand now. */
interface Looked {
  ours: { cid: string | null };
  theirs: { cid: string | null };
}

type Resolution = { resolution: 'ours' | 'theirs' | 'merged'; properties?: unknown; relationships?: unknown } & {
  sides?: Looked;
};

async function resolution(id: string, { ours, theirs, merged }: ResolveOptions): Promise<Resolution> {
  if (ours) return { resolution: 'ours' };
  if (theirs) return { resolution: 'theirs' };
  if (merged === undefined) throw new FailureError('Say how: --ours, --theirs, or --merged FILE.', 2);
  return { resolution: 'merged', ...(await mergedIn(id, merged)) };
}

const cid = z.string().nullable();
const mergedFile = z.object({
  id: z.string(),
  sides: z.object({ ours: z.object({ cid }), theirs: z.object({ cid }) }),
  merged: z.object({ properties: z.unknown(), relationships: z.unknown() }),
});

/** What is to be, and the versions it was made from: what was written since then is no part of it. */
async function mergedIn(id: string, file: string): Promise<Omit<Resolution, 'resolution'>> {
  let value: unknown;
  try {
    const text = await textIn(file);
    value = fromJson(text);
    const loss = jsonLoss(text);
    if (loss) throw new UsageError(`${file}: ${issueText(loss)}.`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new FailureError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`, 2);
  }
  const read = mergedFile.safeParse(value);
  if (!read.success || read.data.merged.properties === undefined || read.data.merged.relationships === undefined)
    throw new FailureError(
      `${file} must be what archeion conflicts show ${id} --json prints: "sides" says what it was made from, and "merged" holds "properties" and "relationships".`,
      2,
    );
  if (read.data.id !== id) throw new FailureError(`${file} is about ${printable(read.data.id)}.`, 2);
  return { ...read.data.merged, sides: read.data.sides };
}

function describe({ remote, id, type, label, base, ours, theirs }: Conflict): string[] {
  return [
    `${id} ${printable(`${type ?? ''} ${label ?? ''}`)} (${remote})`,
    `  base    ${base ?? 'none'}`,
    `  ours    ${ours}`,
    `  theirs  ${theirs}`,
  ];
}

function shown({ remote, id, type, label, sides, clashes }: OpenConflict): string[] {
  const side = (name: string, it: Side | null) =>
    it === null
      ? `  ${name.padEnd(7)} none`
      : `  ${name.padEnd(7)} version ${it.ver}${it.deleted ? ' (deleted)' : ''} of ${it.ts} by ${it.edited_by}`;
  return [
    `${id} ${printable(`${type ?? ''} ${label ?? ''}`)} (${remote})`,
    side('base', sides.base),
    side('ours', sides.ours),
    side('theirs', sides.theirs),
    ...clashes.flatMap((clash) => [
      `${printable(clash.path.join(' / ')) || 'deleted on one side, changed on the other'}`,
      ...(['base', 'ours', 'theirs'] as const).map((name) => `  ${name.padEnd(7)} ${valueText(clash[name])}`),
    ]),
  ];
}

function valueText(value: unknown): string {
  return value === undefined ? '(nothing)' : printable(JSON.stringify(value));
}
