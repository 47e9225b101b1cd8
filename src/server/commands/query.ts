import { type Command, InvalidArgumentError } from 'commander';
import { openClient } from './parts/client.ts';
import { collectionNamed } from './parts/collection-named.ts';
import { counted } from './parts/counted.ts';
import { FailureError, RefusedError } from './parts/failure.ts';
import { indexed } from './parts/indexed.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { printable, table } from './parts/table.ts';

interface Options extends GlobalOptions {
  json?: boolean;
  k?: number;
  kExplore?: number;
  collection?: string;
  explain?: boolean;
}

type Step = { entity: string; label: string; type: string } | { edge: string; direction: 'outgoing' | 'incoming' };

/** The answer of POST /query (resources/query/wire.ts). */
interface Answer {
  results: { entity: { id: string; type: string; label: string }; path: Step[]; score: number }[];
  metadata: {
    total_candidates_explored: number;
    execution_time_ms: number;
    error?: string;
    reason?: string;
    partial_path?: Step[];
    truncated?: boolean;
    plan?: string;
  };
}

/** `archeion query`: a query in the Argo language, and what it finds. */
export function addQuery(program: Command, shell: Shell): void {
  program
    .command('query <argo>')
    .description(
      `find entities with a query in the Argo language: '"horses" type:artwork', '@ID -[*]{,2}-> type:person ~ "painter"'`,
    )
    .option('--k <n>', 'results at most, 1 to 100 (default: 25)', countTo(100))
    .option('--k-explore <n>', 'entities that go on from each hop, 1 to 300 (default: three times --k)', countTo(300))
    .option('--collection <id|label>', 'the collection in which the entry is sought')
    .option('--explain', 'say how the query was understood')
    .option('--json', 'print one JSON document')
    .action(async (argo: string, _options, command: Command) => {
      const { json, k, kExplore, collection, explain, ...options } = command.optsWithGlobals<Options>();
      await using client = await openClient(shell, options);
      const within = collection === undefined ? undefined : await collectionNamed(client, collection);
      // Only texts are looked up in the index.
      const behind = /["']/.test(argo) ? await indexed(shell, client) : undefined;
      const body = { path: argo, k, k_explore: kExplore, collection: within, explain, expand: 'none' };
      const answer = await client.ask<Answer>('POST', '/query', body).catch((error) => {
        throw pointed(error, argo);
      });
      if (json) shell.out(JSON.stringify(answer));
      else for (const line of described(answer)) shell.out(line);
      if (behind) shell.err(behind);
      if (answer.metadata.error === 'unsupported_query') throw new FailureError(unsupported, 2);
    });
}

const unsupported =
  'Nothing was looked for. End the hop with a type, an id or a text, as in \'-> type:person\'; "archeion query --help" has more.';

function countTo(most: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!/^\d+$/.test(text) || n < 1 || n > most)
      throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`);
    return n;
  };
}

/** What cannot be read, with the query and a caret below the place. */
function pointed(error: unknown, argo: string): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { details } = (error.body ?? {}) as { details?: { position?: unknown; issues?: { message: string }[] } };
  if (typeof details?.position !== 'number') return error;
  const before = [...printable(argo.slice(0, details.position))].length;
  const message = details.issues?.[0]?.message ?? error.message;
  return new FailureError(`${message}\n  ${printable(argo)}\n  ${' '.repeat(before)}^`, 2);
}

function described({ results, metadata }: Answer): string[] {
  const { plan, reason, partial_path, truncated, total_candidates_explored, execution_time_ms } = metadata;
  const explored = `${total_candidates_explored} looked at in ${execution_time_ms} ms`;
  return [
    ...(plan === undefined ? [] : [`plan   ${printable(plan)}`]),
    ...(results.length > 0 ? listed(results) : []),
    ...(reason === undefined ? [] : [reason.replace(/\.?$/, '.')]),
    ...(partial_path === undefined ? [] : [`It came to: ${way(partial_path)}`]),
    results.length === 0 ? `No results; ${explored}.` : `${counted(results.length, 'result')}; ${explored}.`,
    ...(truncated
      ? ['There was more to look at: raise --k-explore, or name types or relations, to find the rest.']
      : []),
  ];
}

function listed(results: Answer['results']): string[] {
  const rows = results.map(({ entity, score }) => [score.toFixed(3), entity.id, entity.type, entity.label]);
  const [heads = '', ...lines] = table(['score', 'id', 'type', 'label'], rows);
  const under = results.map(({ path }) => (path.length === 0 ? [] : [`       ${way(path)}`]));
  return [heads, ...lines.flatMap((line, i) => [line, ...(under[i] ?? [])])];
}

function way(path: Step[]): string {
  const steps = path.map((step) => {
    if ('entity' in step) return step.label || step.entity;
    return step.direction === 'outgoing' ? `-${step.edge}->` : `<-${step.edge}-`;
  });
  return printable(steps.join(' '));
}
