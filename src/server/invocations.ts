import type { Config } from './config.ts';
import { BusyError } from './errors.ts';
import { AgentStatusSource } from './jobs/agent-status.ts';
import type { Dispatcher } from './jobs/dispatch.ts';
import { HttpDispatcher } from './jobs/http-dispatcher.ts';
import type { InputChecks } from './jobs/input-check.ts';
import { endLateLogs } from './jobs/late-logs.ts';
import type { Outbound, Reach } from './jobs/outbound.ts';
import { JobPruner } from './jobs/pruner.ts';
import { JobQueue } from './jobs/queue.ts';
import { JobSender } from './jobs/sender.ts';
import type { Log } from './log.ts';
import { networks as allNetworks } from './model/ids.ts';
import type { NodeKey } from './model/node-key.ts';
import { ulids } from './model/ulids.ts';
import { AgentJobsService } from './resources/agent-jobs/service.ts';
import { AgentStatusService } from './resources/agent-jobs/status-service.ts';
import { Launcher } from './resources/jobs/launcher.ts';
import { RunWatch } from './resources/jobs/run-watch.ts';
import { BatchJobsService } from './resources/klados-jobs/batch-service.ts';
import { ReinvokeService } from './resources/klados-jobs/reinvoke-service.ts';
import { KladosJobsService } from './resources/klados-jobs/service.ts';
import { KladosStatusService } from './resources/klados-jobs/status-service.ts';
import type { LeftWorkView } from './resources/node/status/wire.ts';
import { ResumeService } from './resources/rhiza-jobs/resume-service.ts';
import { RhizaJobsService } from './resources/rhiza-jobs/service.ts';
import { RhizaStatusService } from './resources/rhiza-jobs/status-service.ts';
import type { Services } from './services.ts';
import type { Identity } from './store/accounts/identity.ts';
import { hasOpenJobs } from './store/jobs/open-jobs.ts';
import type { NetworkStore } from './store/network-store.ts';
import type { Networks } from './store/networks.ts';

export interface InvocationGround {
  config: Config;
  networks: Networks;
  identity: Identity;
  services: Services;
  nodeKey: NodeKey;
  outbound: Outbound;
  /** Which addresses requests to an endpoint of a processor may reach; null: this node has not verified it. */
  reachOf: (id: string, endpoint: string) => Reach | null;
  /** Dispatchers beside the one for HTTP; they come first. */
  dispatchers: readonly Dispatcher[];
  checks: InputChecks;
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
}

/** What runs processors. It is there once: jobs in hand are known by it alone. */
export class Invocations implements AsyncDisposable {
  readonly agents: { jobs: AgentJobsService; status: AgentStatusService };
  readonly kladoi: {
    jobs: KladosJobsService;
    batches: BatchJobsService;
    reinvocations: ReinvokeService;
    status: KladosStatusService;
  };
  readonly rhizai: { jobs: RhizaJobsService; resumption: ResumeService; status: RhizaStatusService };
  readonly #stop = new AbortController();
  readonly #queues = new Map<NetworkStore, JobQueue>();
  readonly #ground: InvocationGround;
  readonly #sender: JobSender;
  readonly #pruner: JobPruner;
  readonly #newUlid: () => string;
  /** Where processors reach the node; null until it listens, and where it runs for one command. */
  #base: string | null = null;

  constructor(ground: InvocationGround) {
    const { config, identity, services, nodeKey, outbound, reachOf, dispatchers, checks, log, now } = ground;
    const next = ulids();
    this.#ground = ground;
    this.#newUlid = () => next(now());
    const http = new HttpDispatcher({
      ...{ outbound, nodeKey, now, service: config.service, newUlid: this.#newUlid },
      reachOf: ({ processor }) => reachOf(processor.id, processor.endpoint),
      timeoutMs: config.jobTimeoutMs,
    });
    const apiBase = () => {
      const listening = this.#listening();
      return config.publicUrl ?? listening;
    };
    const jobsLog = log.child({ name: 'jobs' });
    this.#sender = new JobSender({
      ...{ dispatchers: [...dispatchers, http], apiBase, now, log: jobsLog, stop: this.#stop.signal },
    });
    this.#pruner = new JobPruner({
      ...{ sender: this.#sender, now, keepMs: config.jobKeepMs, log: jobsLog, stop: this.#stop.signal },
    });
    const { writes, users } = services;
    const { entities } = services.entities;
    const queueOf = (store: NetworkStore) => this.#queueOf(store);
    // Commands of the node are for the dispatcher to allow.
    const verifiedOrLocal = (id: string, endpoint: string) =>
      this.#sender.isLocal(endpoint) || reachOf(id, endpoint) !== null;
    const launcher = new Launcher({
      writes,
      identity,
      sender: this.#sender,
      queueOf,
      apiBase,
      isVerified: verifiedOrLocal,
      newUlid: this.#newUlid,
    });
    const needs = { launcher, entities, users, checks };
    const watch = new RunWatch(this.#stop.signal);
    const source = new AgentStatusSource({ outbound, reachOf });
    this.agents = {
      jobs: new AgentJobsService(needs),
      status: new AgentStatusService({ writes, entities, source }),
    };
    this.kladoi = {
      jobs: new KladosJobsService(needs),
      batches: new BatchJobsService(needs),
      reinvocations: new ReinvokeService(needs),
      status: new KladosStatusService({ writes, entities, watch }),
    };
    this.rhizai = {
      jobs: new RhizaJobsService(needs),
      resumption: new ResumeService(needs),
      status: new RhizaStatusService({ writes, entities, watch }),
    };
  }

  /** A processor that could not call back would be asked in vain. */
  #listening(): string {
    if (this.#base === null)
      throw new BusyError(
        1,
        'This node sends no jobs now: it is only just starting, or runs for one command alone. Try again while "archeion serve" runs.',
      );
    return this.#base;
  }

  #queueOf(store: NetworkStore): JobQueue {
    const known = this.#queues.get(store);
    if (known) return known;
    const { log, now } = this.#ground;
    const queue = new JobQueue(store, {
      ...{
        sender: this.#sender,
        now,
        newUlid: this.#newUlid,
        log: log.child({ name: 'jobs' }),
        stop: this.#stop.signal,
      },
    });
    this.#queues.set(store, queue);
    return queue;
  }

  /** Takes up what a stop of the node left of a network's jobs. They are sent once the node can be reached. */
  async resume(store: NetworkStore): Promise<void> {
    const queue = this.#queueOf(store);
    await queue.resume().catch((error: unknown) => {
      this.#queues.delete(store);
      throw error;
    });
    void this.#pruner.follow(store);
    if (this.#base !== null) this.#begin(store);
  }

  /** How many jobs that a stop of the node left have been taken up so far, where not all are. */
  resumed(store: NetworkStore): LeftWorkView[] {
    const jobs = this.#queues.get(store)?.resumed ?? null;
    return jobs === null ? [] : [{ what: 'jobs', name: null, done: jobs }];
  }

  #begin(store: NetworkStore): void {
    this.#queueOf(store).wake();
    const { now, log } = this.#ground;
    void endLateLogs(store, { sender: this.#sender, now, log: log.child({ name: 'jobs' }), stop: this.#stop.signal });
  }

  /** The node listens: processors can reach it, and jobs that are open are gone on with. */
  async start(base: string): Promise<void> {
    this.#base = base;
    const { config, networks, log } = this.#ground;
    for (const network of allNetworks)
      try {
        if (hasOpenJobs(config.data, network, networks.fileIdOf(network))) this.#begin(await networks.get(network));
      } catch (error) {
        // One that is damaged keeps no other from its work, and says so to whoever asks for it.
        log.error({ err: error, network }, 'the jobs of a network cannot be looked at');
      }
  }

  /** Resolves when nothing can be sent now: what a processor did not take may wait on. */
  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }

  /** Removes what is old enough of the networks in use now; says how many runs. It happens by itself, too. */
  async prune(): Promise<number> {
    const counts = await Promise.all([...this.#queues.keys()].map((store) => this.#pruner.prune(store)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The node closes: nothing is sent any more, and nobody looks on. */
  close(): void {
    this.#stop.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.idle();
  }
}
