import type { Command } from 'commander';
import { openClient } from './client.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** An entity that was changed here and there (resources/node/remotes/wire.ts). */
interface Conflict {
  remote: string;
  id: string;
  type: string | null;
  label: string | null;
  base: string | null;
  ours: string;
  theirs: string;
}

/** `archeion conflicts`: what was changed here and at a remote. */
export function addConflicts(program: Command, shell: Shell): void {
  program
    .command('conflicts')
    .description('show what was changed here and at a remote')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await using client = await openClient(shell, options);
      const answer = await client.ask<{ conflicts: Conflict[] }>('GET', '/node/conflicts?limit=1000');
      if (options.json) shell.out(JSON.stringify(answer));
      else for (const line of answer.conflicts.flatMap(describe)) shell.out(line);
    });
}

function describe({ remote, id, type, label, base, ours, theirs }: Conflict): string[] {
  return [
    `${id} ${type ?? ''} ${label ?? ''} (${remote})`,
    `  base    ${base ?? 'none'}`,
    `  ours    ${ours}`,
    `  theirs  ${theirs}`,
  ];
}
