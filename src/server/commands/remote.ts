import { type Command, Option } from 'commander';
import { openClient } from './client.ts';
import type { GlobalOptions, Shell } from './shell.ts';

interface AddOptions extends GlobalOptions {
  key?: string;
  collection?: string[];
  direction?: string;
  json?: boolean;
}

/** What the node says of a remote (resources/node/remotes/wire.ts). */
export interface RemoteState {
  name: string;
  url: string;
  direction: string;
  keyed: boolean;
  user: string | null;
  collections: string[];
  mirrored: number;
  pending: number;
  conflicts: number;
  refused: number;
  seen: { first: number; last: number }[];
  lost: { first: number; last: number }[];
  troubles: Record<string, number>;
}

const path = (name: string): string => `/node/remotes/${encodeURIComponent(name)}`;

/** `archeion remote add|list|remove`: the nodes and services that this one syncs with. */
export function addRemote(program: Command, shell: Shell): void {
  const remote = program.command('remote').description('nodes and services to mirror and push to');
  remote
    .command('add <name> <url>')
    .description('make a remote known')
    .option('--key <key>', 'an API key for it; without one nothing is pushed')
    .option(
      '--collection <id>',
      'only this collection; may be given several times',
      (id, all: string[]) => [...all, id],
      [],
    )
    .addOption(
      new Option('--direction <which>', 'default: both with a key, else pull').choices(['both', 'pull', 'push']),
    )
    .option('--json', 'print one JSON document')
    .action(async (name: string, url: string, _options, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const { key, direction, collection: collections = [] } = options;
      await using client = await openClient(shell, options);
      const body = { name, url, key, direction, ...(collections.length > 0 && { collections }) };
      const added = await client.ask<RemoteState>('POST', '/node/remotes', body);
      if (options.json) shell.out(JSON.stringify(added));
      else for (const line of describe(added)) shell.out(line);
    });
  remote
    .command('list')
    .description('show the remotes and how things stand with each')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await using client = await openClient(shell, options);
      const answer = await client.ask<{ remotes: RemoteState[] }>('GET', '/node/remotes');
      if (options.json) shell.out(JSON.stringify(answer));
      else if (answer.remotes.length === 0) shell.out('no remotes; add one with "archeion remote add NAME URL"');
      else for (const line of answer.remotes.flatMap(describe)) shell.out(line);
    });
  remote
    .command('remove <name>')
    .description('forget a remote; what was mirrored from it stays')
    .action(async (name: string, _options, command: Command) => {
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>());
      await client.ask('DELETE', path(name));
    });
}

function describe(remote: RemoteState): string[] {
  const { name, url, direction, keyed, collections, mirrored, pending, conflicts, refused, seen, lost, troubles } =
    remote;
  const number = (n: number): string => n.toLocaleString('en');
  const intervals = (list: RemoteState['seen']) => list.map(({ first, last }) => `${first} to ${last}`).join(', ');
  const trouble = Object.entries(troubles).map(([kind, n]) => `${number(n)} ${kind}`);
  return [
    `${name}  ${url}  ${direction}${keyed ? '' : ', without a key'}${collections.length > 0 ? `, ${collections.length} collections` : ''}`,
    `  ${number(mirrored)} entities mirrored, ${number(pending)} to push, ${number(conflicts)} in conflict, ${number(refused)} refused`,
    `  events seen: ${seen.length === 0 ? 'none' : intervals(seen)}`,
    ...(lost.length > 0 ? [`  events that were gone before: ${intervals(lost)}`] : []),
    ...(trouble.length > 0 ? [`  not taken over: ${trouble.join(', ')}`] : []),
  ];
}
