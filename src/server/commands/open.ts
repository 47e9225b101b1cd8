import type { Command } from 'commander';
import { openClient } from './parts/client.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

/** What the node answers (resources/node/sessions/wire.ts). */
interface Link {
  url: string;
  expires_at: string;
}

/** `archeion open`: prints a link that signs a browser in to the page of the node which runs on the data folder. */
export function addOpen(program: Command, shell: Shell): void {
  program
    .command('open')
    .description('print a link to the page: it works once, within five minutes')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await using client = await openClient(shell, options, { mustRun: true, network: 'any' });
      const link = await client.ask<Link>('POST', '/node/session-links');
      shell.out(options.json ? JSON.stringify(link) : link.url);
    });
}
