import type { Command } from 'commander';
import { idleSettings, isShortSecret, readConfig, UsageError, unknownSettings } from '../config.ts';
import { isSessionSecret } from '../model/sessions.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { whileInUse } from './parts/while-in-use.ts';

/** A command may have the data folder for a moment, in milliseconds. */
const waitMs = 5000;

/**
 * `archeion serve`: runs a node until it is told to stop. Its one line on stdout says where it answers; for the
 * page it prints a link to stderr, unless that is the system's journal, or whoever started it has given it a token.
 */
export function addServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('run a node')
    .option('--port <n>', 'the port to listen on, 0 for any free one (default: 4747)')
    .option('--host <name>', 'the address to listen on (default: 127.0.0.1)')
    .action(async (_options, command: Command) => {
      shell.goOnUnread?.();
      const flags = command.optsWithGlobals<GlobalOptions & { port?: string; host?: string }>();
      const { config, secrets } = readConfig(shell.env, flags, shell.dataFolder);
      const token = takeRunToken(shell.env);
      delete shell.env.ARCHEION_SEAL_KEY;
      for (const name of unknownSettings(shell.env))
        shell.err(`There is no setting ${name}, so it changes nothing: look whether it is misspelled.`);
      for (const { name, needs } of idleSettings(shell.env))
        shell.err(`${name} changes nothing without ${needs.join(' or ')}.`);
      const { startServer } = await import('../server.ts');
      const { pid, isRunning, ui } = shell;
      await using node = await whileInUse(shell, waitMs, () =>
        startServer(config, secrets, { pid, isRunning, ui, watch: true }),
      );
      if (isShortSecret(secrets))
        shell.err(
          'ARCHEION_JWT_SECRET is short: whoever has a token can find it by trying, and sign in as anybody. Have the identity provider use one of 32 bytes or more.',
        );
      if (token !== undefined) node.ctx.sessions.acceptToken(token);
      shell.out(JSON.stringify({ ready: { url: node.url } }));
      if (token === undefined && ui !== null) {
        const link = () => node.ctx.sessions.issueLink(node.url).url;
        shell.err(
          shell.isJournaled
            ? `"archeion open" makes a link to the page at ${node.url}/ui/`
            : `The page, for one use within five minutes ("archeion open" makes another link): ${link()}`,
        );
      }
      await aborted(shell.stopped);
      node.ctx.log.info('stopping');
    });
}

/**
 * The desktop's token for its window. It comes by the environment, since everybody can read a command line, and leaves
 * it, so that processes which this one starts do not get it.
 */
function takeRunToken(env: Shell['env']): string | undefined {
  const token = env.ARCHEION_RUN_TOKEN;
  delete env.ARCHEION_RUN_TOKEN;
  if (token !== undefined && !isSessionSecret(token))
    throw new UsageError('ARCHEION_RUN_TOKEN: must be 32 bytes as base64url.');
  return token;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
