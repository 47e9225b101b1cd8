import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { UnavailableError } from '../errors.ts';
import { findRunningNode } from './running-node.ts';
import type { GlobalOptions, Shell } from './shell.ts';

const linkAnswer = z.object({ url: z.url(), expires_at: z.iso.datetime() });

/** `archeion open`: prints a link that signs a browser in to the page of the node which runs on the data folder. */
export function addOpen(program: Command, shell: Shell): void {
  program
    .command('open')
    .description('print a link to the page: it works once, within five minutes')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalOptions & { json?: true }>();
      const { config } = readConfig(shell.env, flags, shell.dataFolder);
      const { url, authorization } = await findRunningNode(resolve(config.data));
      const link = await requestLink(url, authorization);
      shell.out(flags.json ? JSON.stringify(link) : link.url);
    });
}

/** @throws UnavailableError */
async function requestLink(node: string, authorization: string): Promise<z.infer<typeof linkAnswer>> {
  const request = { method: 'POST', headers: { Authorization: authorization }, redirect: 'error' } as const;
  const answer = await fetch(`${node}/node/session-links`, request).then(
    (response) => response.json(),
    () => null,
  );
  const link = linkAnswer.safeParse(answer);
  if (!link.success) throw new UnavailableError(`The node at ${node} made no link; is it of the same version?`);
  return link.data;
}
