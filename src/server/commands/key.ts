import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../config.ts';
import { isApiKey, keyPrefixLength } from '../model/credentials.ts';
import { operatorKeyFile, readOperatorKey } from '../store/accounts/operator-key.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { FailureError, RefusedError } from './parts/failure.ts';
import { pathPart } from './parts/path-part.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { table } from './parts/table.ts';

interface Options extends GlobalOptions {
  label?: string;
  service?: boolean;
  expiresIn?: string;
  json?: boolean;
}

/** What the node says of a key that it has made (resources/node/keys/wire.ts), and of one that it lists. */
interface Key {
  key_prefix: string;
  label: string | null;
  created_at: string;
  expires_at: string | null;
}
type MadeKey = Key & { key: string };
type ListedKey = Key & { service: boolean; last_used_at: string | null };

/** `archeion key`: `create` prints one API key, which cannot be had again; `list` and `revoke` are for all that were made. */
export function addKey(program: Command, shell: Shell): void {
  const keys = program.command('key').description('API keys');
  keys
    .command('create')
    .description("make an API key of the operator's and print it")
    .option('--label <text>', 'what it is for, at most 100 characters')
    .option('--service', "make a service account's key")
    .option('--expires-in <seconds>', 'how long it is good for, at most a year (default: 90 days)')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const expires_in = seconds(options.expiresIn);
      await using client = await openClient(shell, options, { mayMake: true, network: 'any' });
      const { label, service } = options;
      const made = await client.ask<MadeKey>('POST', '/node/keys', { label, service, expires_in });
      const text = options.json ? JSON.stringify(made) : made.key;
      if (shell.told) await shell.told(text).catch((error: Error) => takeBack(client, made, error));
      else shell.out(text);
    });
  keys
    .command('list')
    .description("list the operator's keys and the service account's, by their first characters")
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options, { network: 'any' });
      const answer = await client.ask<{ keys: ListedKey[] }>('GET', '/node/keys');
      if (options.json) shell.out(JSON.stringify(answer));
      else if (answer.keys.length === 0) shell.out('no keys; make one with "archeion key create"');
      else for (const line of table(heads, answer.keys.map(cells))) shell.out(line);
    });
  keys
    .command('revoke <prefix>')
    .description('revoke the key that begins so; it is refused from then on')
    .action(async (prefix: string, _options, command: Command) => {
      // Who has found one that leaked has all of it; the node keeps no more of a key than its beginning.
      const beginning = isApiKey(prefix) ? prefix.slice(0, keyPrefixLength) : prefix;
      const part = pathPart(beginning, 'beginning of a key: "archeion key list" shows them');
      await using client = await openClient(shell, command.optsWithGlobals<GlobalOptions>(), { network: 'any' });
      await client.ask('DELETE', `/node/keys/${part}`).catch((error) => {
        if (!(error instanceof RefusedError)) throw error;
        // It is on no list: commands need it themselves.
        const file = operatorKeyFile(resolve(client.config.data));
        if (prefix.length >= shortest && readOperatorKey(file)?.startsWith(prefix))
          throw new UsageError(
            `That is the key in ${file}: delete this file and start the node again, which makes another key and refuses this one.`,
          );
        if (error.status !== 404) throw error;
        throw new UsageError(`There is no key that begins with ${beginning}: "archeion key list" shows them.`);
      });
      shell.out(`The key that begins with ${beginning} is revoked.`);
    });
}

/** A key that was not printed is known to nobody, and would be good for as long as any. @throws FailureError */
async function takeBack(client: NodeClient, { key_prefix }: MadeKey, { message }: Error): Promise<never> {
  const lost = `The key could not be printed (${message})`;
  await client.ask('DELETE', `/node/keys/${key_prefix}`).catch((error: unknown) => {
    if (!(error instanceof FailureError)) throw error;
    throw new FailureError(
      `${lost}, nor revoked (${error.message}): revoke it by "archeion key revoke ${key_prefix}".`,
    );
  });
  throw new FailureError(`${lost}, so it is revoked again.`);
}

/** Characters of a key that say which one is meant. */
const shortest = 4;

const heads = ['key', 'of', 'label', 'made', 'ends', 'last used'];

function cells({ key_prefix, service, label, created_at, expires_at, last_used_at }: ListedKey): string[] {
  const day = (time: string | null) => time?.slice(0, 10) ?? 'never';
  const of = service ? 'service' : 'operator';
  return [`${key_prefix}…`, of, label ?? '', day(created_at), day(expires_at), day(last_used_at)];
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // With 0, by which some mean for ever, the node makes one that has ended already.
  if (!/^\d{1,8}$/.test(text) || Number(text) === 0)
    throw new UsageError('--expires-in is a number of seconds, from 1 to 31536000 (a year).');
  return Number(text);
}
