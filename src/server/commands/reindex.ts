import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { openClient } from './parts/client.ts';
import { counted } from './parts/counted.ts';
import { type AnswerLine, lastOf, type StepProgress, stepText } from './parts/lines.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';

/** What became of it (resources/node/upkeep/wire.ts). */
interface Report {
  network: string;
  entities: number;
  moves: number;
}

/** `archeion reindex`: makes the search index of a network anew. */
export function addReindex(program: Command, shell: Shell): void {
  program
    .command('reindex')
    .description('make the search index anew from the entities, also while the node runs')
    .option('--json', 'print one JSON document with what was indexed')
    .action(async (_options, command: Command) => {
      const flags = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await using client = await openClient(shell, flags);
      const lines = client.send<AnswerLine<StepProgress, Report>>('POST', '/node/reindex', Readable.from([]));
      const goesOn = client.running
        ? 'The node goes on with the index'
        : 'The node goes on with the index when it runs again';
      const left = () => `${goesOn}; until it is whole a search may find less.`;
      const report = await lastOf(shell, 'reindex', lines, stepText, left);
      if (flags.json) shell.out(JSON.stringify(report));
      else shell.out(`Indexed: ${counted(report.entities, 'entity')} of the ${report.network} network.`);
    });
}
