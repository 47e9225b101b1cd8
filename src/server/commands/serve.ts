import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { startServer } from '../server.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** `archeion serve`: runs a node until it is told to stop. Its one line on stdout says where it answers. */
export function addServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('run a node')
    .option('--port <n>', 'the port to listen on, 0 for any free one (default: 4747)')
    .option('--host <name>', 'the address to listen on (default: 127.0.0.1)')
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalOptions & { port?: string; host?: string }>();
      const { config, secrets } = readConfig(shell.env, flags, shell.dataFolder);
      await using node = await startServer(config, secrets, { pid: shell.pid, ui: shell.ui });
      shell.out(JSON.stringify({ ready: { url: node.url } }));
      await aborted(shell.stopped);
      node.ctx.log.info('stopping');
    });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
