import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../config.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { counted } from './parts/counted.ts';
import { FailureError, RefusedError } from './parts/failure.ts';
import { several } from './parts/several.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { printable } from './parts/table.ts';

interface Options extends GlobalOptions {
  key?: string | false;
  url?: string;
  collection?: string[];
  direction?: string;
  json?: boolean;
  watch?: boolean;
  maxKbps?: number | 'none';
  hours?: string;
  type?: string[];
  allTypes?: boolean;
  allCollections?: boolean;
  content?: boolean;
}

/** What the node says of a remote, as far as the commands read it (resources/node/remotes/wire.ts). */
export interface RemoteState {
  name: string;
  url: string;
  direction: string;
  keyed: boolean;
  collections: string[];
  types: string[];
  content: string;
  words: string[];
  conflicts: number;
  refused: number;
  troubles: Record<string, number>;
  contents: Record<string, number>;
  last_run: { fault: string | null } | null;
}

/** Where the node has a remote. */
export const remotePath = (name: string): string => `/node/remotes/${encodeURIComponent(name)}`;

/** `archeion remote add|set|list|remove`: the nodes and services that this one syncs with. */
export function addRemote(program: Command, shell: Shell): void {
  const remote = program.command('remote').description('nodes and services to mirror and push to');
  remote
    .command('add <name> <url>')
    .description('make a remote known')
    .option('--key <key>', 'an API key for it; without one nothing is pushed')
    .addOption(collectionOption())
    .addOption(typeOption())
    .option('--no-content', 'without the bytes of files')
    .addOption(directionOption('both with a key, else pull'))
    .addOption(watchOption())
    .addOption(rateOption())
    .addOption(hoursOption())
    .option('--json', 'print one JSON document')
    .action(async (name: string, url: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const { key, direction } = options;
      await using client = await openClient(shell, options, { mayMake: true });
      const body = { name, url, key, direction, ...settingsOf(options), ...scopeOf(options) };
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
    .description('set how the node syncs with a remote by itself, and what of it comes here')
    .addOption(collectionOption())
    .option('--url <url>', 'its address, where it has another one')
    .option('--key <key>', 'another API key for it')
    .option('--no-key', 'no key any more; nothing is pushed then')
    .addOption(directionOption('as it was; with its first key both, without one pull'))
    .addOption(new Option('--all-collections', 'all collections again').conflicts('collection'))
    .addOption(typeOption())
    .addOption(new Option('--all-types', 'entities of all types again').conflicts('type'))
    .addOption(new Option('--content', 'with the bytes of files'))
    .option('--no-content', 'without the bytes of files')
    .addOption(watchOption())
    .option('--no-watch', 'sync with it only when told to')
    .addOption(rateOption())
    .addOption(hoursOption())
    .option('--json', 'print one JSON document')
    .action(async (name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const { key, direction } = options;
      const settings = { ...settingsOf(options), ...scopeOf(options) };
      const sets = Object.values(settings).some((one) => one !== undefined);
      if (direction !== undefined && key === undefined) throw new UsageError('Give --key with --direction.');
      const { url } = options;
      if (!sets && key === undefined && url === undefined)
        throw new UsageError('There is nothing to set: "archeion remote set --help" names what can be.');
      await using client = await openClient(shell, options);
      await remotesNamed(client, name);
      let state: RemoteState | undefined;
      // The key last: one that was replaced is gone for good, and any setting may be refused.
      if (sets) state = await client.ask<RemoteState>('PUT', remotePath(name), settings);
      const rekey = key === undefined ? undefined : { key: key === false ? null : key, direction };
      // Both at once: the key of before is not shown to another address.
      if (url !== undefined) state = await changed(client, name, 'address', { url, ...rekey }, sets);
      else if (rekey) state = await changed(client, name, 'key', rekey, sets);
      if (options.json) shell.out(JSON.stringify(state));
      else if (state) for (const line of describe(state)) shell.out(line);
    });
  remote
    .command('remove <name>')
    .description('forget a remote; what was mirrored from it stays')
    .action(async (name: string, _options, command: Command) => {
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>());
      await remotesNamed(client, name);
      await client.ask('DELETE', remotePath(name));
      shell.out(`${printable(name)} is removed. What was mirrored from it stays here.`);
    });
}

/** Gives a remote another key, or address. @throws FailureError, which says where other settings have been made already */
async function changed(
  client: NodeClient,
  name: string,
  what: 'key' | 'address',
  body: { url?: string; key?: string | null; direction?: string | undefined },
  others: boolean,
): Promise<RemoteState> {
  try {
    return await client.ask<RemoteState>('PUT', `${remotePath(name)}/${what}`, body);
  } catch (error) {
    if (!others || !(error instanceof RefusedError)) throw error;
    const kept =
      what === 'address' && body.key !== undefined ? 'address and the key are as they were' : `${what} is as it was`;
    throw new FailureError(`${error.message}\nThe ${kept}; the other settings are made.`, error.exitCode);
  }
}

/** A remote; `isSilent`: it did not answer the last time. */
export interface NamedRemote {
  name: string;
  isSilent: boolean;
}

/**
 * All remotes, or the one that is named; those last that did not answer the last time, so that no other one waits for them.
 * @throws UsageError where there is none
 */
export async function remotesNamed(client: NodeClient, name?: string): Promise<NamedRemote[]> {
  const { remotes } = await client.ask<{ remotes: RemoteState[] }>('GET', '/node/remotes');
  if (remotes.length === 0) throw new UsageError('There is no remote. Add one with "archeion remote add NAME URL".');
  const wanted = name === undefined ? remotes : remotes.filter((remote) => remote.name === name);
  if (wanted.length > 0)
    return wanted
      .map((remote) => ({ name: remote.name, isSilent: remote.last_run?.fault === 'unreachable' }))
      .toSorted((a, b) => Number(a.isSilent) - Number(b.isSilent));
  throw new UsageError(`There is no remote ${name}: "archeion remote list" shows them.`);
}

const watchOption = () => new Option('--watch', 'sync with it by itself while "archeion serve" runs');

const directionOption = (unasked: string) =>
  new Option('--direction <which>', `default: ${unasked}`).choices(['both', 'pull', 'push']);

const rateOption = () =>
  new Option('--max-kbps <n>', 'kilobits a second at most, or "none"').argParser((text: string) => {
    if (text === 'none') return text;
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number, or "none".');
    return Number(text);
  });

const hoursOption = () =>
  new Option('--hours <from-to>', 'watch it only in these hours of the day, as 22-6, or "always"');

const collectionOption = () =>
  new Option('--collection <id>', 'only this collection; may be given several times').argParser(several);

const typeOption = () =>
  new Option('--type <type>', 'only entities of this type, and collections; may be given several times').argParser(
    several,
  );

function scopeOf({ collection, allCollections, type, allTypes, content }: Options) {
  return {
    collections: allCollections ? [] : collection,
    types: allTypes ? [] : type,
    content: content === undefined ? undefined : content ? 'tips' : 'none',
  };
}

function settingsOf({ watch, maxKbps, hours }: Options) {
  return { watch, max_kbps: maxKbps === 'none' ? null : maxKbps, hours: hours === 'always' ? null : hours };
}

/** A remote in words; `archeion status` shows the same. */
export function describe({ name, url, direction, keyed, words, ...scope }: RemoteState): string[] {
  const { collections, types, content } = scope;
  const only = [
    ...(collections.length > 0 ? [`, ${counted(collections.length, 'collection')}`] : []),
    ...(types.length > 0 ? [`, only ${types.join(', ')}`] : []),
    ...(content === 'none' ? [', without the bytes of files'] : []),
  ].join('');
  return [`${name}  ${url}  ${direction}${keyed ? '' : ', without a key'}${only}`, ...words.map((it) => `  ${it}`)];
}
