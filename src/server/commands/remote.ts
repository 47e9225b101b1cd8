import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../config.ts';
import { openClient } from './client.ts';
import type { GlobalOptions, Shell } from './shell.ts';

interface Options extends GlobalOptions {
  key?: string;
  collection?: string[];
  direction?: string;
  json?: boolean;
  watch?: boolean;
  maxKbps?: number | 'none';
  hours?: string;
}

/** What the node says of a remote, as far as the commands read it (resources/node/remotes/wire.ts). */
export interface RemoteState {
  name: string;
  url: string;
  direction: string;
  keyed: boolean;
  collections: string[];
  words: string[];
  conflicts: number;
  refused: number;
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
    .addOption(watchOption())
    .addOption(rateOption())
    .addOption(hoursOption())
    .option('--json', 'print one JSON document')
    .action(async (name: string, url: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const { key, direction, collection: collections = [] } = options;
      await using client = await openClient(shell, options);
      const scope = collections.length > 0 ? { collections } : {};
      const body = { name, url, key, direction, ...settingsOf(options), ...scope };
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
    .command('set <name>')
    .description('set how the node syncs with a remote by itself')
    .addOption(watchOption())
    .option('--no-watch', 'sync with it only when told to')
    .addOption(rateOption())
    .addOption(hoursOption())
    .option('--json', 'print one JSON document')
    .action(async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const settings = settingsOf(options);
      if (Object.values(settings).every((one) => one === undefined))
        throw new UsageError('There is nothing to set: give --watch, --no-watch, --max-kbps or --hours.');
      await using client = await openClient(shell, options);
      const set = await client.ask<RemoteState>('PUT', path(name), settings);
      if (options.json) shell.out(JSON.stringify(set));
      else for (const line of describe(set)) shell.out(line);
    });
  remote
    .command('remove <name>')
    .description('forget a remote; what was mirrored from it stays')
    .action(async (name: string, _options, command: Command) => {
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>());
      await client.ask('DELETE', path(name));
    });
}

const watchOption = () => new Option('--watch', 'sync with it by itself while "archeion serve" runs');

const rateOption = () =>
  new Option('--max-kbps <n>', 'kilobits a second at most, or "none"').argParser((text: string) => {
    if (text === 'none') return text;
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number, or "none".');
    return Number(text);
  });

const hoursOption = () =>
  new Option('--hours <from-to>', 'watch it only in these hours of the day, as 22-6, or "always"');

function settingsOf({ watch, maxKbps, hours }: Options) {
  return { watch, max_kbps: maxKbps === 'none' ? null : maxKbps, hours: hours === 'always' ? null : hours };
}

/** A remote in words; `archeion status` shows the same. */
export function describe({ name, url, direction, keyed, collections, words }: RemoteState): string[] {
  const only = collections.length > 0 ? `, ${collections.length} collections` : '';
  return [`${name}  ${url}  ${direction}${keyed ? '' : ', without a key'}${only}`, ...words.map((it) => `  ${it}`)];
}
