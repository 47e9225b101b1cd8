import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { type NodeClient, openClient } from './client.ts';
import { FailureError } from './failure.ts';
import type { GlobalOptions, Shell } from './shell.ts';

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
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options);
      const answer = await client.ask<{ conflicts: Conflict[] }>('GET', '/node/conflicts?limit=1000');
      if (options.json) return shell.out(JSON.stringify(answer));
      for (const line of answer.conflicts.flatMap(describe)) shell.out(line);
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
      await using client = await openClient(shell, options);
      const conflict = await read(client, id, options.remote);
      if (options.json) shell.out(JSON.stringify(conflict, null, 2));
      else for (const line of shown(conflict)) shell.out(line);
    });

  conflicts
    .command('resolve <id>')
    .description('decide: where both sides changed the same place, one of them stands; all else is merged')
    .addOption(new Option('--ours', 'what was changed here stands').conflicts(['theirs', 'merged']))
    .addOption(new Option('--theirs', 'what was changed at the remote stands').conflicts(['ours', 'merged']))
    .addOption(new Option('--merged <file>', 'a JSON file with properties and relationships says it all'))
    .option('--remote <name>', 'which, where there are several about one entity')
    .option('--note <text>', 'kept with the version')
    .option('--json', 'print one JSON document')
    .action(async (id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<ResolveOptions>();
      const body = await resolution(options);
      await using client = await openClient(shell, options);
      const { sides } = await read(client, id, options.remote);
      const answer = await client.ask<{ id: string; cid: string; ver: number; deleted: boolean }>(
        'POST',
        `/node/conflicts/${encodeURIComponent(id)}/resolve${query(options.remote)}`,
        { ...body, note: options.note, expect_tip: sides.ours.cid, expect_theirs: sides.theirs.cid },
      );
      if (options.json) shell.out(JSON.stringify(answer));
      else shell.out(`${id} is decided: version ${answer.ver}${answer.deleted ? ', deleted' : ''} (${answer.cid}).`);
    });
}

function query(remote: string | undefined): string {
  return remote === undefined ? '' : `?remote=${encodeURIComponent(remote)}`;
}

function read(client: NodeClient, id: string, remote: string | undefined): Promise<OpenConflict> {
  return client.ask('GET', `/node/conflicts/${encodeURIComponent(id)}${query(remote)}`);
}

async function resolution({ ours, theirs, merged }: ResolveOptions): Promise<object> {
  if (ours) return { resolution: 'ours' };
  if (theirs) return { resolution: 'theirs' };
  if (merged === undefined) throw new FailureError('Say how: --ours, --theirs, or --merged FILE.', 2);
  return { resolution: 'merged', ...(await mergedIn(merged)) };
}

/** Properties and relationships, at the top or under `merged`, as `conflicts show --json` prints them. */
async function mergedIn(file: string): Promise<{ properties: unknown; relationships: unknown }> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new FailureError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`, 2);
  }
  const outer = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const inner = (typeof outer.merged === 'object' && outer.merged !== null ? outer.merged : outer) as typeof outer;
  const { properties, relationships } = inner;
  if (properties === undefined || relationships === undefined)
    throw new FailureError(
      `${file} must hold "properties" and "relationships" (see archeion conflicts show --json).`,
      2,
    );
  return { properties, relationships };
}

function describe({ remote, id, type, label, base, ours, theirs }: Conflict): string[] {
  return [
    `${id} ${type ?? ''} ${label ?? ''} (${remote})`,
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
    `${id} ${type ?? ''} ${label ?? ''} (${remote})`,
    side('base', sides.base),
    side('ours', sides.ours),
    side('theirs', sides.theirs),
    ...clashes.flatMap((clash) => [
      `${clash.path.join(' / ') || 'deleted on one side, changed on the other'}`,
      ...(['base', 'ours', 'theirs'] as const).map((name) => `  ${name.padEnd(7)} ${valueText(clash[name])}`),
    ]),
  ];
}

function valueText(value: unknown): string {
  return value === undefined ? '(nothing)' : JSON.stringify(value);
}
