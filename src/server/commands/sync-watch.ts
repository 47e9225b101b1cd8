import { Readable } from 'node:stream';
import type { NodeClient } from './parts/client.ts';
import { counted } from './parts/counted.ts';
import { FailureError } from './parts/failure.ts';
import { refuseError } from './parts/lines.ts';
import type { Shell } from './parts/shell.ts';
import { remotePath } from './remote.ts';
import type { Report } from './sync.ts';

/** What the node says of a remote that is watched (resources/node/remotes/wire.ts). */
interface WatchLine {
  run: { started_at: string; ended_at: string; report: Report; error: string | null } | null;
  next_run_at: string | null;
  error?: string;
}

/** Shows the syncs of remotes as they end, until the command is stopped. @throws FailureError where the node stops first */
export async function watchRemotes(
  shell: Shell,
  client: NodeClient,
  remotes: string[],
  { json }: { json?: boolean },
): Promise<void> {
  if (!json) shell.out(`watching ${remotes.join(', ')}; Ctrl-C ends it`);
  try {
    await Promise.all(remotes.map((remote) => watchOne(shell, client, remote, json === true)));
  } catch (error) {
    // Who is told to stop has done what was asked of it.
    if (!shell.stopped.aborted) throw error;
  }
}

async function watchOne(shell: Shell, client: NodeClient, remote: string, json: boolean): Promise<void> {
  let failed = false;
  for await (const line of client.send<WatchLine>('POST', `${remotePath(remote)}/watch`, Readable.from([]))) {
    refuseError(line);
    if (json) shell.out(JSON.stringify({ remote, ...line }));
    else for (const text of described(remote, line, failed)) shell.out(text);
    if (line.run !== null) failed = line.run.error !== null || line.run.report.stopped !== null;
  }
  if (!shell.stopped.aborted) throw new FailureError(`The node does not watch ${remote} any more.`);
}

/** What a run did; of those without anything to do nothing is said, but where the one before failed or stopped. */
function described(remote: string, { run }: WatchLine, failed: boolean): string[] {
  if (run === null) return [];
  const { versions, entities, created, updated, deleted, restored, refused, conflicts, stopped } = run.report;
  const at = new Date(run.ended_at).toLocaleTimeString('en-GB');
  const parts = [
    ...(versions > 0 ? [`${counted(versions, 'version')} of ${counted(entities, 'entity')} pulled`] : []),
    ...Object.entries({ created, updated, deleted, restored, refused }).flatMap(([what, n]) =>
      n > 0 ? [`${n} ${what} there`] : [],
    ),
    ...(conflicts > 0 ? [`${counted(conflicts, 'new conflict')}: archeion conflicts`] : []),
    ...(stopped === null ? [] : [stopped]),
    ...(run.error === null ? [] : [run.error]),
  ];
  if (parts.length === 0 && failed) parts.push('in step again');
  return parts.length === 0 ? [] : [`${at} ${remote}: ${parts.join('; ')}`];
}
