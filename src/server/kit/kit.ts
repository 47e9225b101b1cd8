import { availableParallelism } from 'node:os';
import { fromJson } from '../model/from-json.ts';
import { Batches } from './batch.ts';
import { RefusedJobError } from './job-error.ts';
import { BadJobError, type KladosJob, readJob } from './job-request.ts';
import type { NodeApi } from './node-api.ts';
import { type NodeAddress, NodeClient } from './node-client.ts';
import { patientNode } from './patience.ts';
import { type Ended, giveBack, type Handler, type Runner, runJob } from './run-job.ts';
import { type ServeOptions, serve, type Worker } from './serve.ts';
import { mismatch, signatureIssue } from './signature.ts';
import { SigningKeys } from './signing-keys.ts';

// A server of another kind answers with its status.
// biome-ignore lint/performance/noBarrelFile: other programs import this file alone.
export { RefusedJobError } from './job-error.ts';
// The work is rather written in a file of its own, which names its type.
export type { Handler } from './run-job.ts';

/** Who works, and for which node. */
export interface KitOptions extends NodeAddress {
  /** The klados's id. */
  klados: string;
  /** What its logs are called. */
  label: string;
  /** The worker's own version, for its logs. */
  version?: string;
  /** How many jobs run at once (default: as many as the machine has cores). */
  atOnce?: number;
  /** Told of jobs whose end could not even be written into their log; by default it is written to stderr. */
  onFault?: (job: KladosJob, error: unknown) => void;
  now?: () => number;
  fetch?: typeof fetch;
}

const maxWaiting = 20_000;
/** Ids of jobs that were taken, so that one sent twice runs once. */
const maxKnown = 50_000;
/** For how long a call outside of a job waits for a node that is away, in milliseconds. */
const callMs = 10_000;
/** How many jobs that wait are given back at once by a worker that closes. */
const givenBackAtOnce = 16;

/**
 * What a klados of one's own needs beside its work: it checks that a request is the node's, reads the job, writes the log and
 * hands the results to the next step of the workflow. `serve` puts an HTTP server around it; a server of another kind calls
 * `receive` with the raw body and then `begin`.
 */
export class Kit {
  /** For what is asked outside of jobs, which have one of their own that waits as long as they last. */
  readonly api: NodeApi;
  readonly service: string;
  readonly #options: KitOptions;
  readonly #handler: Handler;
  readonly #runner: Runner;
  readonly #keys: SigningKeys;
  readonly #stop = new AbortController();
  readonly #known = new Set<string>();
  readonly #waiting: KladosJob[] = [];
  readonly #running = new Set<Promise<void>>();
  #closing = false;

  constructor(options: KitOptions, handler: Handler) {
    const fetching = options.fetch ?? fetch;
    const now = options.now ?? Date.now;
    this.#options = options;
    this.service = options.service ?? 'arke';
    this.#handler = handler;
    this.#keys = new SigningKeys(now, fetching);
    const { klados, label, network, version = '1.0.0' } = options;
    const api = new NodeClient(options, fetching);
    const { signal } = this.#stop;
    this.api = patientNode(api, network, () => ({ until: now() + callMs, now, signal }));
    this.#runner = { klados, label, version, now, api, batches: new Batches(api), signal, endsStopped: true };
  }

  /**
   * The job in a request's raw body, once its signature is found to be the node's.
   * @param headers with names in lower case
   * @throws RefusedJobError
   */
  async receive(headers: Record<string, unknown>, body: Uint8Array): Promise<KladosJob> {
    const header = headers[`x-${this.service}-signature`];
    await this.#verify(typeof header === 'string' ? header : undefined, body);
    const job = this.#read(body);
    const { url, network } = this.#options;
    // A signature only shows who owns `api_base`: nobody but our node is believed.
    if (job.api_base !== url) throw new RefusedJobError(401, `The job is of ${job.api_base}, not of ${url}.`);
    if (job.network !== network) throw new RefusedJobError(400, `The job is on ${job.network}, not on ${network}.`);
    if (Date.parse(job.expires_at) <= this.#runner.now()) throw new RefusedJobError(400, 'The job has expired.');
    return job;
  }

  async #verify(header: string | undefined, body: Uint8Array): Promise<void> {
    const { url } = this.#options;
    const issueBy = (key: Uint8Array) => signatureIssue(header, body, key, this.#runner.now());
    try {
      let issue = issueBy(await this.#keys.of(url));
      // The node may have another key since.
      if (issue === mismatch) issue = issueBy(await this.#keys.present(url));
      if (issue !== null) throw new RefusedJobError(401, issue);
    } catch (error) {
      if (error instanceof RefusedJobError) throw error;
      throw new RefusedJobError(503, error instanceof Error ? error.message : String(error), 10);
    }
  }

  #read(body: Uint8Array): KladosJob {
    try {
      return readJob(fromJson(Buffer.from(body).toString('utf8')));
    } catch (error) {
      const words = error instanceof BadJobError ? error.message : 'The body is not JSON.';
      throw new RefusedJobError(400, words);
    }
  }

  /** Takes a job to be run soon; one that was taken before is not run again. @throws RefusedJobError where too many wait, or it closes */
  begin(job: KladosJob): void {
    if (this.#known.has(job.job_id)) return;
    if (this.#closing) throw new RefusedJobError(503, 'The worker is closing.', 60);
    if (this.#waiting.length >= maxWaiting) throw new RefusedJobError(503, 'Too many jobs wait already.', 60);
    this.#known.add(job.job_id);
    if (this.#known.size > maxKnown) this.#known.delete(this.#known.values().next().value as string);
    this.#waiting.push(job);
    this.#next();
  }

  /** Runs a job and writes its log; resolves when that says how it ended. */
  run(job: KladosJob): Promise<Ended> {
    return runJob(this.#runner, job, this.#handler);
  }

  #next(): void {
    const most = this.#options.atOnce ?? availableParallelism();
    while (this.#running.size < most) {
      const job = this.#waiting.shift();
      if (!job) return;
      const running: Promise<void> = this.run(job)
        .then(
          () => undefined,
          (error: unknown) => this.#fault(job, error),
        )
        .finally(() => {
          this.#running.delete(running);
          this.#next();
        });
      this.#running.add(running);
    }
  }

  #fault(job: KladosJob, error: unknown): void {
    (this.#options.onFault ?? sayFault)(job, error);
  }

  /** An HTTP server that is the klados, until it is closed. */
  serve(options: ServeOptions = {}): Promise<Worker> {
    return serve(this, this.#options.klados, options);
  }

  /**
   * Takes no more jobs, and lets those that run come to their end for a while, `graceMs` milliseconds; in that time the logs of
   * those that wait end, so that they can be resumed. What still runs then is stopped, and its log says so.
   */
  async close(graceMs = 5000): Promise<void> {
    this.#closing = true;
    const waiting = this.#waiting.splice(0);
    for (const { job_id } of waiting) this.#known.delete(job_id);
    const late = setTimeout(() => this.#stop.abort(), graceMs);
    await Promise.all([...this.#running, ...Array.from({ length: givenBackAtOnce }, () => this.#giveBack(waiting))]);
    clearTimeout(late);
    this.#stop.abort();
  }

  async #giveBack(waiting: KladosJob[]): Promise<void> {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      try {
        this.#stop.signal.throwIfAborted();
        await giveBack(this.#runner, job);
      } catch (error) {
        this.#fault(job, error);
      }
    }
  }
}

function sayFault({ job_id }: KladosJob, error: unknown): void {
  console.error(`The end of the job ${job_id} could not be written into its log: ${error}`);
}
