import type { RemoteGauges } from '../../../sync/gauges.ts';
import type { Family, Sample } from './text.ts';

// What is measured, as families of the text format: functions of numbers.

export interface ProcessNumbers {
  version: string;
  residentBytes: number;
  cpuSeconds: number;
  uptimeSeconds: number;
  /** By quantile; what a turn of the event loop was late since the last look, in seconds. */
  loopDelay: { p50: number; p99: number; max: number };
}

export function processFamilies(it: ProcessNumbers): Family[] {
  const { p50, p99, max } = it.loopDelay;
  const quantiles: [string, number][] = [
    ['0.5', p50],
    ['0.99', p99],
    ['1', max],
  ];
  return [
    gauge('archeion_info', 'The program.', [{ labels: { version: it.version }, value: 1 }]),
    gauge('process_resident_memory_bytes', 'Resident memory.', [{ value: it.residentBytes }]),
    counter('process_cpu_seconds_total', 'Processor time, of users and of the system.', [{ value: it.cpuSeconds }]),
    gauge('archeion_uptime_seconds', 'Since the node began.', [{ value: it.uptimeSeconds }]),
    gauge(
      'archeion_event_loop_delay_seconds',
      'How late the event loop was since the last scrape.',
      quantiles.map(([quantile, value]) => ({ labels: { quantile }, value })),
    ),
  ];
}

/** The requests of one endpoint (http/request-tally.ts). */
export interface RouteNumbers {
  method: string;
  route: string;
  statuses: readonly number[];
  durations: readonly number[];
  seconds: number;
}

export function requestFamilies(routes: RouteNumbers[], bounds: readonly number[]): Family[] {
  const asked = routes.filter(({ statuses }) => statuses.some((n) => n > 0));
  return [
    counter(
      'archeion_http_requests_total',
      'Requests by endpoint and class of their status; none: the client left before an answer.',
      asked.flatMap(({ method, route, statuses }) =>
        statuses.flatMap((value, kind) =>
          value > 0 ? [{ labels: { method, route, status: kind === 0 ? 'none' : `${kind}xx` }, value }] : [],
        ),
      ),
    ),
    {
      name: 'archeion_http_request_duration_seconds',
      help: 'From the first byte of a request to the last of its answer.',
      type: 'histogram',
      bounds,
      series: asked.map(({ method, route, durations, seconds }) => ({
        labels: { method, route },
        counts: durations,
        sum: seconds,
      })),
    },
  ];
}

export interface StoreNumbers {
  network: string;
  commits: number;
  groups: number;
  versions: number;
  moves: number;
  waitingBytes: number;
  longReads: number;
  databaseBytes: number;
  logBytes: number;
  checkpointFault: string | null;
}

export function storeFamilies(stores: StoreNumbers[], largeRequests: number): Family[] {
  const each = (value: (it: StoreNumbers) => number): Sample[] =>
    stores.map((it) => ({ labels: { network: it.network }, value: value(it) }));
  return [
    counter(
      'archeion_commits_total',
      'Commits that were kept.',
      each((it) => it.commits),
    ),
    counter(
      'archeion_commit_groups_total',
      'Groups of commits, each written with one sync of the disk.',
      each((it) => it.groups),
    ),
    counter(
      'archeion_versions_written_total',
      'Versions that commits brought.',
      each((it) => it.versions),
    ),
    counter(
      'archeion_moves_total',
      'Tips that commits moved.',
      each((it) => it.moves),
    ),
    gauge(
      'archeion_commit_queue_bytes',
      'Commits that wait to be written.',
      each((it) => it.waitingBytes),
    ),
    gauge(
      'archeion_database_bytes',
      'The database.',
      each((it) => it.databaseBytes),
    ),
    gauge(
      'archeion_database_log_bytes',
      "The database's log.",
      each((it) => it.logBytes),
    ),
    gauge(
      'archeion_checkpoint_failing',
      "1 where the log of the database, or of the attestation log's, could not be brought into it: it grows. `archeion status` says why.",
      each((it) => (it.checkpointFault === null ? 0 : 1)),
    ),
    gauge(
      'archeion_long_reads',
      'Long reads under way or waiting.',
      each((it) => it.longReads),
    ),
    gauge('archeion_large_requests', 'Large requests under way or waiting.', [{ value: largeRequests }]),
  ];
}

/** `faults`: by the file of a database of the whole node, as far as it has one. */
export function nodeDatabaseFamilies(faults: Record<string, string | null>): Family[] {
  return [
    gauge(
      'archeion_node_checkpoint_failing',
      '1 where the log of that database could not be brought into it: it grows. `archeion status` says why.',
      Object.entries(faults).map(([database, fault]) => ({ labels: { database }, value: fault === null ? 0 : 1 })),
    ),
  ];
}

export function syncFamilies(remotes: (RemoteGauges & { network: string })[]): Family[] {
  const each = (value: (it: RemoteGauges) => number | null): Sample[] =>
    remotes.flatMap((it) => {
      const found = value(it);
      return found === null ? [] : [{ labels: { network: it.network, remote: it.remote }, value: found }];
    });
  const seconds = (ms: number | null) => ms && ms / 1000;
  return [
    gauge(
      'archeion_sync_unread_events',
      'Events of the remote that are not dealt with.',
      each((it) => it.unread),
    ),
    gauge(
      'archeion_sync_level_timestamp_seconds',
      'When all its events had last been dealt with.',
      each((it) => seconds(it.level)),
    ),
    gauge(
      'archeion_sync_last_run_timestamp_seconds',
      'The end of the last sync.',
      each((it) => seconds(it.ended)),
    ),
    gauge(
      'archeion_sync_last_success_timestamp_seconds',
      'The end of the last sync without an error, as far as is known.',
      each((it) => seconds(it.succeeded)),
    ),
    gauge(
      'archeion_sync_failing',
      'Whether the last sync failed, or stopped until somebody looks.',
      each((it) => Number(it.failing)),
    ),
    gauge(
      'archeion_sync_running',
      'Whether a sync is under way.',
      each((it) => Number(it.running)),
    ),
    gauge(
      'archeion_sync_pending',
      'Entities that wait to be pushed.',
      each((it) => it.pending),
    ),
    gauge(
      'archeion_sync_conflicts',
      'Entities in conflict.',
      each((it) => it.conflicts),
    ),
    gauge(
      'archeion_sync_refused',
      'Entities that the remote did not take.',
      each((it) => it.refused),
    ),
    gauge(
      'archeion_sync_troubles',
      'Entities that could not be taken over.',
      remotes.flatMap(({ network, remote, troubles }) =>
        Object.entries(troubles).map(([reason, value]) => ({ labels: { network, remote, reason }, value })),
      ),
    ),
  ];
}

function gauge(name: string, help: string, samples: Sample[]): Family {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: Sample[]): Family {
  return { name, help, type: 'counter', samples };
}
