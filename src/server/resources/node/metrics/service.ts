import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cpuUsage, memoryUsage } from 'node:process';
import { type Caller, isOperator, registered } from '../../../model/caller.ts';
import type { CheckpointFaults } from '../../../store/checkpoints/checkpoint-faults.ts';
import { databaseSize } from '../../../store/database-size.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { gaugesOf } from '../../../sync/gauges.ts';
import type { Runs } from '../../../sync/runs.ts';
import {
  nodeDatabaseFamilies,
  type ProcessNumbers,
  processFamilies,
  type RouteNumbers,
  requestFamilies,
  type StoreNumbers,
  storeFamilies,
  syncFamilies,
} from './families.ts';
import { metricsText } from './text.ts';

export interface MetricsNeeds {
  networks: Networks;
  runs: Runs;
  requests: { all(): RouteNumbers[] };
  /** Upper bounds of the durations that `requests` tells apart, in seconds. */
  bounds: readonly number[];
  large: { underWay: number };
  checkpointFaults: CheckpointFaults;
  version: string;
  now: () => number;
}

/** How often the event loop's delay is measured, in milliseconds. */
const resolution = 20;

/** What a monitoring system asks for every few seconds; it costs little, and walks no entities on the event loop. */
export class MetricsService implements Disposable {
  readonly #needs: MetricsNeeds;
  readonly #started: number;
  readonly #delay = monitorEventLoopDelay({ resolution });

  constructor(needs: MetricsNeeds) {
    this.#needs = needs;
    this.#started = needs.now();
    this.#delay.enable();
  }

  /** Who is not the operator does not learn of the remotes. @throws UnauthorizedError, ForbiddenError */
  async text(caller: Caller): Promise<string> {
    registered(caller);
    const { networks, requests, bounds, large, runs, now, checkpointFaults } = this.#needs;
    const stores = networks.opened();
    const remotes = isOperator(caller)
      ? await Promise.all(
          stores.map(async (store) =>
            (await gaugesOf(store, runs, now())).map((it) => ({ ...it, network: store.network })),
          ),
        )
      : [];
    return metricsText([
      ...processFamilies(this.#process()),
      ...requestFamilies(requests.all(), bounds),
      ...storeFamilies(await Promise.all(stores.map((store) => this.#store(store))), large.underWay),
      ...nodeDatabaseFamilies(checkpointFaults.node()),
      ...syncFamilies(remotes.flat()),
    ]);
  }

  #process(): ProcessNumbers {
    const { user, system } = cpuUsage();
    const delay = this.#delay;
    // The measure is the time from one look to the next; what is above its resolution is delay.
    const late = (ns: number) => Math.max(0, ns / 1e9 - resolution / 1000);
    const none = delay.count === 0;
    const loopDelay = {
      p50: none ? 0 : late(delay.percentile(50)),
      p99: none ? 0 : late(delay.percentile(99)),
      max: none ? 0 : late(delay.max),
    };
    delay.reset();
    return {
      version: this.#needs.version,
      residentBytes: memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
      uptimeSeconds: Math.max(0, (this.#needs.now() - this.#started) / 1000),
      loopDelay,
    };
  }

  async #store(store: NetworkStore): Promise<StoreNumbers> {
    const { database: databaseBytes, log: logBytes } = await databaseSize(store.database);
    const checkpointFault = this.#needs.checkpointFaults.network(store);
    return { network: store.network, ...store.activity(), databaseBytes, logBytes, checkpointFault };
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}
