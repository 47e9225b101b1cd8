import type { Command } from 'commander';
import { UsageError } from '../config.ts';
import { openClient } from './client.ts';
import type { GlobalOptions, Shell } from './shell.ts';

interface Options extends GlobalOptions {
  label?: string;
  service?: boolean;
  expiresIn?: string;
  json?: boolean;
}

interface Key {
  key: string;
  key_prefix: string;
  label: string | null;
  created_at: string;
  expires_at: string | null;
}

/** `archeion key create`: prints one API key, which cannot be had again. */
export function addKey(program: Command, shell: Shell): void {
  program
    .command('key')
    .description('API keys')
    .command('create')
    .description("make an API key of the operator's and print it")
    .option('--label <text>', 'what it is for, at most 100 characters')
    .option('--service', "make a service account's key")
    .option('--expires-in <seconds>', 'how long it is good for, at most a year (default: 90 days)')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const expires_in = seconds(options.expiresIn);
      await using client = await openClient(shell, options, { mayMake: true });
      const { label, service } = options;
      const made = await client.ask<Key>('POST', '/node/keys', { label, service, expires_in });
      shell.out(options.json ? JSON.stringify(made) : made.key);
    });
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,8}$/.test(text)) throw new UsageError('--expires-in is a number of seconds, at most 31536000 (a year).');
  return Number(text);
}
