import type { Command } from 'commander';
import { duration } from '../model/duration.ts';
import { openClient } from './parts/client.ts';
import { counted, number } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { type LeftWork, leftWork } from './parts/left-work.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { describe, type RemoteState } from './remote.ts';

/** What the node says of itself (resources/node/status/wire.ts). */
interface Status {
  url: string;
  version: string;
  instance: string;
  data: string;
  free_bytes: number;
  uptime_s: number;
  memory_bytes: number;
  database_problem: string | null;
  networks: {
    network: string;
    entities: number;
    deleted: number;
    moves: number;
    database_bytes: number;
    database_problem: string | null;
    file_bytes: number;
    index: { moves: number; behind: boolean; learning: boolean; problem: string | null };
    /** Not of a node of an earlier version. */
    resumed?: LeftWork[];
    remotes: RemoteState[];
  }[];
}

/** `archeion status`: what the node is, what it holds, and how things stand with its remotes. */
export function addStatus(program: Command, shell: Shell): void {
  program
    .command('status')
    .description('show what the node is and holds, and how things stand with its remotes')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      await using client = await openClient(shell, options, { network: 'any' });
      const status = await client.ask<Status>('GET', '/node/status');
      const networks = status.networks.filter(({ network }) => (options.network ?? network) === network);
      if (networks.length === 0) throw new FailureError(`Nothing is on the network ${options.network} yet.`);
      // A node that was started for this command alone is gone with it.
      const url = client.running ? status.url : null;
      const answer = { running: client.running, ...status, url, networks };
      if (options.json) shell.out(JSON.stringify(answer));
      else for (const line of described(answer)) shell.out(line);
    });
}

function described(status: Omit<Status, 'url'> & { running: boolean; url: string | null }): string[] {
  const { running, url, version, instance, data, free_bytes, uptime_s, memory_bytes } = status;
  const { database_problem, networks } = status;
  return [
    running ? `Archeion ${version} has run at ${url} for ${duration(uptime_s)}` : `Archeion ${version} is not running`,
    `  data folder  ${data}`,
    `  disk left    ${size(free_bytes)}`,
    `  instance     ${instance}`,
    ...(running ? [`  memory       ${size(memory_bytes)}`] : []),
    ...(database_problem === null ? [] : [`    ${database_problem}`]),
    ...networks.flatMap((n) => [
      `  ${n.network.padEnd(11)}  ${counted(n.entities, 'entity')}, ${number(n.deleted)} deleted, ${counted(n.moves, 'move')}, ` +
        `${size(n.database_bytes)} database, ${size(n.file_bytes)} files`,
      ...(n.database_problem === null ? [] : [`    ${n.database_problem}`]),
      ...(n.resumed ?? []).map((one) => `    ${leftWork(one, running)}`),
      ...indexed(n).map((line) => `    ${line}`),
      ...n.remotes.flatMap(describe).map((line) => `    ${line}`),
    ]),
  ];
}

/** What is to be said of an index that is not up to date, or lacks something. */
function indexed({ index: { moves: taken, behind, learning, problem }, moves }: Status['networks'][number]): string[] {
  const remains =
    taken < moves ? `has ${number(taken)} of ${counted(moves, 'move')} so far` : 'takes up labels that have changed';
  const lines: string[] = [];
  if (behind) lines.push(`the search index ${remains}`);
  else if (learning) lines.push('the search still learns which texts are alike');
  if (problem !== null) lines.push(`the search index has a problem: ${problem}`);
  return lines;
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`;
}
