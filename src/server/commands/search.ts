import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type NodeClient, openClient } from './client.ts';
import { FailureError } from './failure.ts';
import { progressDisplay } from './progress.ts';
import type { GlobalOptions, Shell } from './shell.ts';
import { printable, table } from './table.ts';

interface Options extends GlobalOptions {
  json?: boolean;
  limit?: number;
  collection?: string[];
  type?: string[];
  filter?: object;
}

/** The answer of POST /search/entities (resources/search/wire.ts). */
interface Answer {
  results: { id: string; type: string; label: string; score: number }[];
  metadata: { query: string; result_count: number };
}

/** How far the index of a network has come (resources/node/status/wire.ts). */
interface Standing {
  networks: { network: string; moves: number; index: { moves: number; behind: boolean; problem: string | null } }[];
}

/** `archeion search`: entities by their texts. */
export function addSearch(program: Command, shell: Shell): void {
  program
    .command('search')
    .description('find entities by words of their texts, and of what they lead to; misspelled ones do as well')
    .argument('<text...>', 'what to look for, at most 500 characters')
    .option('--type <type...>', 'only entities of these types')
    .option('--collection <id...>', 'only in these collections')
    .option('--filter <json>', 'only what fits a metadata filter, as \'{"_year": {"$gte": 1800}}\'', filter)
    .option('--limit <n>', 'results at most, 1 to 100 (default: 20)', count)
    .option('--json', 'print one JSON document')
    .action(async (words: string[], _options, command: Command) => {
      const { json, limit, type, collection, filter: conditions, ...options } = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options);
      const behind = await indexed(shell, client);
      const body = { query: words.join(' '), limit, types: type, collection_ids: collection, filter: conditions };
      const answer = await client.ask<Answer>('POST', '/search/entities', body);
      if (json) shell.out(JSON.stringify(answer));
      else for (const line of described(answer)) shell.out(line);
      if (behind) shell.err(behind);
    });
}

function count(text: string): number {
  const n = Number(text);
  if (!/^\d+$/.test(text) || n < 1 || n > 100) throw new InvalidArgumentError('It must be a number from 1 to 100.');
  return n;
}

function filter(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The same sentence for both.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

const lookMs = 100;

/**
 * Waits for the index of a node that ends with this command, since nobody would make it up later. Says in words what the
 * index of a running node still lacks; undefined where that is nothing.
 */
async function indexed(shell: Shell, client: NodeClient): Promise<string | undefined> {
  const look = async () => {
    const { networks } = await client.ask<Standing>('GET', '/node/status');
    return networks.find(({ network }) => network === client.config.network);
  };
  let standing = await look();
  if (client.running)
    return standing?.index.behind
      ? `The index has ${part(standing)} changes so far: there may be more to find in a moment.`
      : undefined;
  const display = progressDisplay(shell, 'index');
  try {
    while (standing?.index.behind && standing.index.problem === null) {
      if (shell.stopped.aborted) throw new FailureError('Stopped.');
      display.show(standing.index.moves, standing.moves, `${part(standing)} changes`);
      await delay(lookMs);
      standing = await look();
    }
  } finally {
    display.end();
  }
  return undefined;
}

function part({ index, moves }: Standing['networks'][number]): string {
  return `${index.moves.toLocaleString('en')} of ${moves.toLocaleString('en')}`;
}

function described({ results, metadata }: Answer): string[] {
  if (results.length === 0) return [`Nothing was found for ${printable(metadata.query)}.`];
  const rows = results.map(({ id, type, label, score }) => [score.toFixed(3), id, type, label]);
  return table(['score', 'id', 'type', 'label'], rows);
}
