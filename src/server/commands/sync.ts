import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { UsageError } from '../config.ts';
import { type NodeClient, openClient } from './parts/client.ts';
import { counted, number } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { type AnswerLine, lastOf, refuseError } from './parts/lines.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { printable } from './parts/table.ts';
import { type RemoteState, remotePath, remotesNamed } from './remote.ts';
import { inTurn } from './sync-turns.ts';
import { watchRemotes } from './sync-watch.ts';

interface Options extends GlobalOptions {
  once?: boolean;
  watch?: boolean;
  dryRun?: boolean;
  json?: boolean;
  acceptLargeChange?: boolean;
}

/** What a run did (resources/node/remotes/wire.ts). */
export interface Report {
  events: number;
  entities: number;
  versions: number;
  created: number;
  updated: number;
  deleted: number;
  restored: number;
  refused: number;
  merged: number;
  conflicts: number;
  troubles: number;
  content: { files: number; bytes: number; missing: number };
  sent: { files: number; bytes: number };
  swept: boolean;
  uncatalogued: boolean;
  lost: { first: number; last: number } | null;
  stopped: string | null;
}

const counts = [
  ...(['events', 'entities', 'versions', 'created', 'updated', 'deleted', 'restored'] as const),
  ...(['refused', 'merged', 'conflicts', 'troubles'] as const),
];
type CountName = (typeof counts)[number];

interface Preview {
  reset: string | null;
  events: number;
  entities: number;
  deletions: { id: string; type: string; label: string }[];
  looked_at_all: boolean;
  compares_all: boolean;
  first: { entities: number; version_bytes: number; files: number; file_bytes: number; unknown: string[] } | null;
  push: { id: string; type: string; label: string; intent: string; lacks: string[] }[];
}

type Line = AnswerLine<Report, Report> & { preview?: Preview };

/** One remote's part of the answer. */
interface Outcome {
  remote: string;
  report?: Report;
  preview?: Preview;
  /** Conflicts, refusals and unverified versions that stand after the run. */
  open?: Pick<RemoteState, 'direction' | 'conflicts' | 'refused' | 'troubles' | 'contents'>;
  error?: string;
}

/**
 * `archeion sync`: pulls and pushes once, or with --watch until it is stopped. Exit code 1 where a run failed
 * or stopped, and where conflicts, refusals, damaged versions or bytes that did not go there are left; 2 where a remote is unknown.
 */
export function addSync(program: Command, shell: Shell): void {
  program
    .command('sync [name]')
    .description('pull what is new and push what was changed, with one remote or with all')
    .option('--once', 'one run, then exit (what it does anyway)')
    .option('--watch', 'go on: pull what is new and push what changes until Ctrl-C')
    .option('--dry-run', 'only say what would be done')
    .option('--accept-large-change', 'agree to very many changes, and to a remote that was reset')
    .option('--json', 'print one JSON document, with --watch one a line')
    .action(async (name: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      if (options.watch && (options.once || options.dryRun))
        throw new UsageError('--watch goes on, --once and --dry-run do not: give one of them.');
      if (options.acceptLargeChange && (options.watch || options.dryRun))
        throw new UsageError(
          '--accept-large-change is for one run that is made: give it without --watch and --dry-run.',
        );
      await using client = await openClient(shell, options);
      const remotes = await remotesNamed(client, name);
      if (options.watch) {
        const names = remotes.map((remote) => remote.name);
        return await watchRemotes(shell, client, names, options);
      }
      // Two bars would be drawn over each other.
      const terminal = remotes.length > 1 ? null : shell.terminal;
      const { err, stopped } = shell;
      const sync = async (remote: string, shows: () => void) => {
        const outcome = options.dryRun
          ? await preview(client, remote)
          : await run(client, { terminal, err, stopped }, remote, {
              accept: options.acceptLargeChange ?? false,
              shows,
            });
        if (!options.json) for (const line of describe(outcome)) shell.out(line);
        return outcome;
      };
      const outcomes = await inTurn(remotes, { sync, brings, takes, join });
      if (options.json) shell.out(JSON.stringify({ remotes: outcomes }));
      const wrong = outcomes.flatMap(problems);
      if (wrong.length > 0) throw new FailureError(wrong.join(' '));
    });
}

function preview(client: NodeClient, remote: string): Promise<Outcome> {
  return outcomeOf(remote, async () => {
    for await (const line of client.send<Line>('POST', `${remotePath(remote)}/sync?dry_run=true`, Readable.from([]))) {
      refuseError(line);
      if (line.preview) return { remote, preview: line.preview };
    }
    throw new FailureError(`The node did not say what a sync with ${remote} would do.`);
  });
}

function run(
  client: NodeClient,
  shell: Pick<Shell, 'terminal' | 'err' | 'stopped'>,
  remote: string,
  { accept, shows }: { accept: boolean; shows: () => void },
): Promise<Outcome> {
  return outcomeOf(remote, async () => {
    const query = accept ? '?accept_large_change=true' : '';
    const lines = client.send<Line>('POST', `${remotePath(remote)}/sync${query}`, Readable.from([]));
    const left = () => 'What was synced by then stays; the same command goes on from there.';
    const show = (progress: Report) => {
      if (isBegun(progress)) shows();
      return shown(progress);
    };
    const report = await lastOf(shell, `sync ${remote}`, lines, show, left);
    const { direction, conflicts, refused, troubles, contents } = await client.ask<RemoteState>(
      'GET',
      remotePath(remote),
    );
    return { remote, report, open: { direction, conflicts, refused, troubles, contents } };
  });
}

/** One remote that fails does not keep the others waiting. */
async function outcomeOf(remote: string, done: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await done();
  } catch (error) {
    if (error instanceof FailureError) return { remote, error: error.message };
    throw error;
  }
}

function brings({ report }: Outcome): boolean {
  return report !== undefined && report.versions > 0;
}

function takes({ report, open }: Outcome): boolean {
  return report !== undefined && report.stopped === null && open?.direction !== 'pull';
}

/** What two runs in a row came to, as if they were one. */
function join(first: Outcome, second: Outcome): Outcome {
  const [a, b] = [first.report, second.report];
  return { ...first, ...second, ...(a && { report: b ? joined(a, b) : a }) };
}

function joined(a: Report, b: Report): Report {
  const sum = Object.fromEntries(counts.map((name) => [name, a[name] + b[name]])) as Record<CountName, number>;
  const { files: came, bytes: received } = a.content;
  const { files: went, bytes: given } = a.sent;
  return {
    ...{ ...b, ...sum, swept: a.swept || b.swept, lost: b.lost ?? a.lost },
    content: { ...b.content, files: came + b.content.files, bytes: received + b.content.bytes },
    sent: { ...b.sent, files: went + b.sent.files, bytes: given + b.sent.bytes },
  };
}

/** Whether anything has come of a run, or gone there. */
function isBegun(report: Report): boolean {
  return counts.some((name) => report[name] > 0) || report.content.bytes + report.sent.bytes > 0;
}

/** How much there will be is not known before the walk of the feed ends. */
function shown(report: Report): { done: number; total: number | null; text: string } {
  if (!isBegun(report)) return { done: 0, total: null, text: 'nothing has come of it yet' };
  const pushed = report.created + report.updated + report.deleted + report.restored;
  return {
    done: report.entities,
    total: Math.max(report.events, report.entities),
    text: `${counted(report.versions, 'version')} pulled, ${counted(pushed, 'entity')} pushed${files(report)}`,
  };
}

const mb = (bytes: number): string => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

/** How much a first mirror is, with what is not known of it. */
function firstLook({ first }: Preview): string[] {
  if (first === null) return [];
  const { entities, version_bytes, files, file_bytes, unknown } = first;
  return [
    `  collections list ${counted(entities, 'entity')} (${mb(version_bytes)} of versions), with ${counted(files, 'file')} (${mb(file_bytes)})`,
    ...unknown.map((it) => `  ${it}`),
  ];
}

/** What became of the bytes of files. */
function files({ content, sent }: Report): string {
  const part = (n: number, bytes: number, how: string) =>
    n + bytes > 0 ? [`, ${counted(n, 'file')} ${how} (${mb(bytes)})`] : [];
  return [...part(content.files, content.bytes, 'fetched'), ...part(sent.files, sent.bytes, 'sent')].join('');
}

/** Of a remote that is only pushed to nothing is looked for that is not known here. */
function compared({ uncatalogued }: Report, open: Outcome['open']): string {
  return uncatalogued || open?.direction === 'push' ? 'what is known was compared' : 'everything was compared';
}

const uncataloguedWords =
  'The remote does not list its collections: what rested there for longer than its feed tells is not known.';

function describe({ remote, report, preview, open, error }: Outcome): string[] {
  if (error !== undefined) return [`${remote}: ${error}`];
  if (preview)
    return [
      `${remote}: ${counted(preview.events, 'event')} of ${counted(preview.entities, 'entity')} to pull, ${counted(preview.push.length, 'entity')} to push`,
      ...(preview.reset === null
        ? []
        : [`  It is not what it was: ${preview.reset}. What it has forgotten would go there again.`]),
      ...firstLook(preview),
      ...preview.deletions.map(({ id, type, label }) => `  deletes here ${id} ${printable(`${type} ${label}`)}`),
      ...(preview.compares_all
        ? ['  Its feed does not tell all that was changed: everything would be compared, which is not counted here.']
        : []),
      ...(preview.looked_at_all ? [] : ['  Not all was looked at: there may be more deletions.']),
      ...preview.push.flatMap(({ intent, id, type, label, lacks }) => [
        // What it changed is not known before a run has read it.
        `  ${intent === 'ask' ? 'look at' : intent} ${id} ${printable(`${type} ${label}`)}`,
        ...lacks.map((peer) => `    points at ${peer}, which is not there`),
      ]),
    ];
  if (!report) return [];
  const troubles = Object.entries(open?.troubles ?? {}).map(([kind, n]) => `${number(n)} ${kind}`);
  return [
    `${remote}: ${counted(report.versions, 'version')} of ${counted(report.entities, 'entity')} pulled; ` +
      `${number(report.created)} created, ${number(report.updated)} updated, ${number(report.deleted)} deleted, ${number(report.restored)} restored there${files(report)}`,
    ...(open && open.conflicts > 0 ? [`  ${number(open.conflicts)} in conflict`] : []),
    ...(open && open.refused > 0 ? [`  ${number(open.refused)} refused by the remote`] : []),
    ...(troubles.length > 0 ? [`  not taken over: ${troubles.join(', ')}`] : []),
    ...(report.content.missing > 0
      ? [`  the bytes of ${counted(report.content.missing, 'file')} could not be had: archeion remote list`]
      : []),
    ...(open?.contents.unsent
      ? [
          `  the bytes of ${counted(open.contents.unsent, 'file')} are still to go there: it gives no address for them now`,
        ]
      : []),
    ...(report.merged > 0
      ? [`  ${number(report.merged)} merged: both sides had changed them in different places`]
      : []),
    ...(report.lost
      ? [
          `  events ${report.lost.first} to ${report.lost.last} were gone before they were seen` +
            (report.swept ? `; ${compared(report, open)} instead` : ''),
        ]
      : report.swept
        ? [`  ${compared(report, open)}`]
        : []),
    ...(report.uncatalogued ? [`  ${uncataloguedWords}`] : []),
    ...(report.stopped === null ? [] : [`  ${report.stopped}`]),
  ];
}

/** Why the command ends with 1; that the remote does not show everything to everybody is no reason. */
function problems({ remote, report, open, error }: Outcome): string[] {
  if (error !== undefined) return [`${remote} could not be synced.`];
  if (!report || !open) return [];
  const harmless = ['forbidden', 'missing', 'failing'];
  const damaged = Object.keys(open.troubles).filter((kind) => !harmless.includes(kind));
  return [
    ...(report.stopped === null ? [] : [`${remote} was not synced to the end.`]),
    ...(report.lost && !report.swept ? [`Events of ${remote} were missed.`] : []),
    ...(open.conflicts > 0 ? [`${remote} has conflicts: archeion conflicts.`] : []),
    ...(open.refused > 0 ? [`${remote} refused changes: archeion remote list.`] : []),
    ...(damaged.length > 0 ? [`${remote} has versions that cannot be verified.`] : []),
    ...(open.troubles.failing ? [`${remote} fails at some entities: archeion remote list.`] : []),
    ...(open.contents.unsent ? [`${remote} does not have all bytes of files: archeion remote list.`] : []),
    ...(open.contents.mismatch ? [`${remote} gave other bytes than its files name: archeion remote list.`] : []),
  ];
}
