import { type Command, InvalidArgumentError } from 'commander';
import { fromJson } from '../model/from-json.ts';
import { openClient } from './parts/client.ts';
import { collectionNamed } from './parts/collection-named.ts';
import { indexed } from './parts/indexed.ts';
import { several } from './parts/several.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { printable, table } from './parts/table.ts';

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
  metadata: { query: string; result_count: number; truncated?: boolean };
}

/** `archeion search`: entities by their texts. */
export function addSearch(program: Command, shell: Shell): void {
  program
    .command('search')
    .description(
      'find entities by words of their texts, and of what they lead to; misspelled ones without digits do as well',
    )
    .argument('<text...>', 'what to look for, at most 500 characters')
    .option('--type <type>', 'only entities of this type; may be given several times', several)
    .option('--collection <id|label>', 'only in this collection; may be given several times', several)
    .option('--filter <json>', 'only what fits a metadata filter, as \'{"_year": {"$gte": 1800}}\'', filter)
    .option('--limit <n>', 'results at most, 1 to 100 (default: 20)', count)
    .option('--json', 'print one JSON document')
    .action(async (words: string[], _options, command: Command) => {
      const { json, limit, type, collection, filter: conditions, ...options } = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options);
      const within = collection && (await Promise.all(collection.map((one) => collectionNamed(client, one))));
      const behind = await indexed(shell, client);
      const body = { query: words.join(' '), limit, types: type, collection_ids: within, filter: conditions };
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
    const value: unknown = fromJson(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The same sentence for both.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

function described({ results, metadata }: Answer): string[] {
  const rows = results.map(({ id, type, label, score }) => [score.toFixed(3), id, type, label]);
  const found = rows.length > 0 ? table(['score', 'id', 'type', 'label'], rows) : [];
  const nothing = rows.length > 0 ? [] : [`Nothing was found for ${printable(metadata.query)}.`];
  const more = 'There was more to look at than one search may: rarer words, --type or --collection find the rest.';
  return [...found, ...nothing, ...(metadata.truncated ? [more] : [])];
}
