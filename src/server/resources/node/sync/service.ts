import { type Caller, operator } from '../../../model/caller.ts';
import { fromJson } from '../../../model/from-json.ts';
import type { Networks } from '../../../store/networks.ts';
import { countConflicts } from '../../../store/remotes/conflict-rows.ts';
import { listRemotes } from '../../../store/remotes/remotes.ts';
import { type SyncLogQuery, type SyncLogRow, syncLogPage } from '../../../store/remotes/sync-log.ts';
import { gaugesOf } from '../../../sync/gauges.ts';
import { emptyReport } from '../../../sync/report.ts';
import type { Run, Runs } from '../../../sync/runs.ts';
import type { SyncRunView } from '../remotes/wire.ts';
import type { SyncEventView, SyncLogView, SyncStateView } from './wire.ts';

/** What is open with all remotes together, and what happened with them. */
export class SyncLogService {
  readonly #networks: Networks;
  readonly #runs: Runs;
  readonly #now: () => number;

  constructor({ networks, runs, now }: { networks: Networks; runs: Runs; now: () => number }) {
    this.#networks = networks;
    this.#runs = runs;
    this.#now = now;
  }

  async state(caller: Caller): Promise<SyncStateView> {
    operator(caller);
    const store = await this.#networks.get(caller.network);
    const watched = new Map(store.read(listRemotes).map(({ name, watch }) => [name, watch]));
    return {
      remotes: (await gaugesOf(store, this.#runs, this.#now())).map(
        ({ remote: name, pending, conflicts, refused, failing, running }) => ({
          ...{ name, pending, conflicts, refused, failing, running },
          watch: watched.get(name) ?? false,
        }),
      ),
      conflicts: store.read(countConflicts),
    };
  }

  /** Newest first. */
  async log(caller: Caller, query: SyncLogQuery): Promise<SyncLogView> {
    operator(caller);
    const store = await this.#networks.get(caller.network);
    const rows = store.read((db) => syncLogPage(db, query));
    return { events: rows.map(eventView), next: rows.length === query.limit ? (rows.at(-1)?.seq ?? null) : null };
  }
}

const runs = new Set(['run', 'stopped', 'failed', 'ended']);
/** What is told with these is a version, which the entity's history shows. */
const versions = new Set(['conflict', 'decided']);

function eventView({ seq, time, remote, kind, id, type, label, detail }: SyncLogRow): SyncEventView {
  return {
    ...{ seq, remote, kind },
    time: new Date(time).toISOString(),
    entity: id === null ? null : { id, type, label },
    run: runs.has(kind) && detail !== null ? runView(detail, time) : null,
    words: runs.has(kind) || versions.has(kind) ? null : detail,
  };
}

function runView(detail: string, time: number): SyncRunView {
  const { started, error, fault, report } = fromJson(detail) as Pick<Run, 'started' | 'error' | 'fault' | 'report'>;
  return {
    started_at: new Date(started).toISOString(),
    ended_at: new Date(time).toISOString(),
    report: { ...emptyReport(), ...report },
    error,
    fault,
  };
}
