import { beginningOf } from '../model/cut-text.ts';
import { isEntityId, networkOf } from '../model/ids.ts';
import type { HandedOn } from './handoff.ts';
import { manyOutputs } from './handoff.ts';
import { isRefusalOf, type JobFailure, NodeCallError } from './job-error.ts';
import { type KladosJob, targetsOf } from './job-request.ts';
import { maxNotes, maxText } from './log-limits.ts';
import type { Addition, Link, NodeApi } from './node-api.ts';

export interface LogMessage {
  level: 'info' | 'warning' | 'error' | 'success';
  message: string;
  /** ISO 8601. */
  timestamp: string;
  metadata?: Record<string, unknown>;
}

export interface LogPorts {
  api: NodeApi;
  /** Epoch milliseconds. */
  now: () => number;
  deriveId: (...parts: string[]) => string;
}

/** Whose log it is. */
export interface Writer {
  klados: string;
  label: string;
  version: string;
}

/** How a job ends, and the message that says it: where the node does not take this end, the job gets another. */
interface End {
  entry: EndEntry & { completed_at: string };
  last: LogMessage;
}

/** What of the end of a log its collection says as well. */
interface EndEntry {
  status: 'done' | 'error';
  completed_at?: string;
  handoffs?: readonly object[];
}

/** Whether a job's log has been begun here, or what an earlier run of the same job came to. */
export type LogState = 'running' | 'done' | 'error';

const logType = 'klados_log';

/** The log of one job: an entity in the job collection that says how it goes (processors.md, 2.7). */
export class JobLog {
  readonly id: string;
  readonly #ports: LogPorts;
  readonly #job: KladosJob;
  readonly #writer: Writer;
  readonly #messages: LogMessage[];
  /** How many of the work's messages there was no room for. */
  #unsaid = 0;
  #started = '';

  /** `messages`: what was said before. */
  constructor(ports: LogPorts, job: KladosJob, writer: Writer, messages: readonly LogMessage[] = []) {
    this.#messages = [...messages];
    this.#ports = ports;
    this.#job = job;
    this.#writer = writer;
    this.id = ports.deriveId('log', job.job_id, writer.klados);
  }

  /** What the work says; beyond `maxNotes` it is counted only. */
  note(level: LogMessage['level'], message: string, metadata?: Record<string, unknown>): void {
    if (this.#messages.length < maxNotes) this.say(level, message, metadata);
    else this.#unsaid++;
  }

  /** What becomes of the job, for which there is room always. */
  say(level: LogMessage['level'], message: string, metadata?: Record<string, unknown>): void {
    this.#messages.push(this.#line(level, message, metadata));
  }

  #line(level: LogMessage['level'], message: string, metadata?: Record<string, unknown>): LogMessage {
    const timestamp = this.#now();
    return { level, message: beginningOf(message, maxText), timestamp, ...(metadata && { metadata }) };
  }

  said(): LogMessage[] {
    this.#sayUnsaid();
    return [...this.#messages];
  }

  /** Writes the log, and where it belongs. What is answered tells whether the job has ended before. */
  async start(): Promise<LogState> {
    const { api, deriveId } = this.#ports;
    const { klados, label, version } = this.#writer;
    const { job_id, rhiza, job_collection, target_collection, target_entity, target_entities } = this.#job;
    this.#started = this.#now();
    const log = {
      id: this.id,
      type: logType,
      collection: job_collection,
      properties: {
        label,
        ...(rhiza && { rhiza_id: rhiza.id }),
        klados_id: klados,
        job_id,
        status: 'running',
        log_data: {
          agent_id: klados,
          agent_version: version,
          messages: [],
          entry: {
            id: `log_${uuidOf(deriveId('entry', job_id, klados))}`,
            type: logType,
            klados_id: klados,
            ...(rhiza && { rhiza_id: rhiza.id }),
            job_id,
            started_at: this.#started,
            status: 'running',
            received: {
              ...(target_entity !== undefined ? { target_entity } : { target_entities }),
              target_collection,
              ...(rhiza && { from_logs: rhiza.parent_logs }),
              ...(rhiza?.batch && { batch: rhiza.batch }),
              ...(rhiza?.scatter_total !== undefined && { scatter_total: rhiza.scatter_total }),
            },
          },
        },
      },
    };
    const create = (parents: string[]) =>
      api.create({ ...log, relationships: parents.map((peer) => ({ predicate: 'received_from', peer })) });
    const parents = this.#parents();
    try {
      await create(parents);
    } catch (error) {
      if (parents.length === 0 || !isRefusalOf(this.id, error)) throw error;
      await create(await this.#readable(parents));
    }
    const { status, log_data } = (await api.read(this.id)).properties;
    if (status === 'done' || status === 'error') {
      // Who has ended it may have come no further.
      const { entry } = (log_data ?? {}) as { entry?: Omit<EndEntry, 'status'> };
      await this.#tell({ ...entry, status });
      return status;
    }
    await this.#place();
    return 'running';
  }

  /** Logs that the job came of, as its request names them: what is no entity's id there is in the entry alone. */
  #parents(): string[] {
    const { rhiza, network } = this.#job;
    const ids = (rhiza?.parent_logs ?? []).filter((id) => isEntityId(id) && networkOf(id) === network);
    return [...new Set(ids)].slice(0, maxLinks);
  }

  /** Those that are there for the klados: one may have been deleted meanwhile, and the entry names it all the same. */
  async #readable(parents: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const id of parents)
      try {
        found.push((await this.#ports.api.read(id)).id);
      } catch (error) {
        if (!isRefusalOf(id, error)) throw error;
      }
    return found;
  }

  /** Says of the log where it belongs. What is not to be changed any more of its parents holds up no job: the rest is said. */
  async #place(): Promise<void> {
    const { api } = this.#ports;
    const placed = this.#placed();
    try {
      await api.add(placed);
    } catch (error) {
      if (!(error instanceof NodeCallError) || error.isPassing) throw error;
      if (this.#parents().includes(error.entity ?? '')) return;
      if (error.status !== 403) throw error;
      // The node takes none of them with one that the klados may not change.
      for (const one of placed)
        await api.add([one]).catch((refusal: unknown) => {
          if (one.entity_id === this.#job.job_collection || !isRefusalOf(one.entity_id, refusal)) throw refusal;
        });
    }
  }

  /** On the parents' logs and in the job collection; for one of very many the log itself says it. */
  #placed(): Addition[] {
    if (this.#isOneOfMany()) return [];
    const { job_collection } = this.#job;
    const started = { started_at: this.#started, klados_id: this.#writer.klados };
    return [
      { entity_id: job_collection, relationships_add: [this.#link('log_started', started)] },
      ...this.#parents().map((entity_id) => ({
        entity_id,
        relationships_add: [{ predicate: 'sent_to', peer: this.id }],
      })),
    ];
  }

  #isOneOfMany(): boolean {
    const { rhiza } = this.#job;
    const total = rhiza?.batch?.total ?? rhiza?.scatter_total;
    return typeof total === 'number' && total > manyOutputs;
  }

  #sayUnsaid(): void {
    if (this.#unsaid > 0) this.say('warning', `${this.#unsaid} more messages are left out.`);
    this.#unsaid = 0;
  }

  /** The job has done its work. @throws NodeCallError where the node does not take what it came to */
  async done(outputs: string[], { handoffs, refused }: HandedOn): Promise<void> {
    this.#sayUnsaid();
    for (const { type, target, target_type } of handoffs.slice(0, maxHandoffs))
      this.say('info', `Handoff: ${type}`, { target, targetType: target_type });
    for (const words of refused.slice(0, maxRefused)) this.say('warning', words);
    const completed_at = this.#now();
    const links = (predicate: string, peers: string[]): Link[] =>
      [...new Set(peers)].slice(0, maxLinks).map((peer) => ({ predicate, peer }));
    const entry = {
      status: 'done' as const,
      completed_at,
      ...(outputs.length > 0 && { outputs }),
      ...(handoffs.length > 0 && { handoffs }),
    };
    await this.#end({ entry, last: this.#line('success', 'Job completed') }, [
      ...links('consumed', targetsOf(this.#job)),
      ...links('produced', outputs),
    ]);
  }

  /** The job has failed. */
  async failed(failure: JobFailure): Promise<void> {
    const { code, message } = failure;
    this.#sayUnsaid();
    const last = this.#line('error', 'Job failed', { code, message });
    const entry = { status: 'error' as const, completed_at: this.#now(), error: { ...failure } };
    await this.#end({ entry, last }, []);
  }

  /** The collection last: it is to say of no job that it is done which its log calls failed. */
  async #end(end: End, own: Link[]): Promise<void> {
    if (!(await this.#write(end, own))) await this.#tell(end.entry);
  }

  /** Says in the job collection how the job has ended. */
  async #tell(entry: EndEntry): Promise<void> {
    const told = this.#told(entry);
    if (told.length === 0) return;
    try {
      await this.#ports.api.add(told);
    } catch (error) {
      if (!(error instanceof NodeCallError)) throw error;
      throw new NodeCallError(error.status, error.message, { entity: this.#job.job_collection });
    }
  }

  #told(entry: EndEntry): Addition[] {
    const relationships_add = this.#endLinks(entry);
    return relationships_add.length === 0 ? [] : [{ entity_id: this.#job.job_collection, relationships_add }];
  }

  #endLinks({ status, completed_at, handoffs = [] }: EndEntry): Link[] {
    const { rhiza } = this.#job;
    if (status === 'error') return rhiza ? [this.#link('final_error')] : [];
    // A branch that ends within a batch goes on with what gathers that.
    const isFinal = rhiza !== undefined && rhiza.batch === undefined && handoffs.length === 0;
    return [
      ...(this.#isOneOfMany() ? [] : [this.#link('log_done', { completed_at })]),
      ...(isFinal ? [this.#link('final_output')] : []),
    ];
  }

  /**
   * Where the node refuses it, without its messages or links: a job is not to be without an end for what was said in it. Whether its
   * collection is told in the same moment.
   */
  async #write({ entry, last }: End, own: Link[]): Promise<boolean> {
    const { api } = this.#ports;
    const { status } = entry;
    const told = this.#told(entry);
    let refusal: NodeCallError | undefined;
    for (const left of own.length > 0 ? leftOut : leftOut.slice(0, 2)) {
      const messages = left.includes('messages') ? [] : [...this.#messages, last];
      if (refusal) {
        const words = `The ${left.join(' and ')} of the job are left out, the node refused them: ${refusal.message}`;
        messages.push(this.#line('warning', words));
      }
      const properties = { status, log_data: { entry, messages } };
      const relationships_add = left.includes('links') ? [] : own;
      try {
        const ended = { entity_id: this.id, properties, relationships_add };
        // A command whose log says that it has ended is not run again after a stop of the node.
        if (told.length > 0 && (await api.addWith?.(ended, told))) return true;
        await api.addNow([ended]);
        return false;
      } catch (error) {
        if (!isRefusalOf(this.id, error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  #link(predicate: string, properties?: Record<string, unknown>): Link {
    return { predicate, peer: this.id, peer_type: logType, ...(properties && { properties }) };
  }

  #now(): string {
    return new Date(this.#ports.now()).toISOString();
  }
}

/** What the end of a log does without, from one refusal to the next. */
const leftOut: readonly ('messages' | 'links')[][] = [[], ['messages'], ['links'], ['messages', 'links']];
/** What of them is said in messages, which have room for no more (log-limits.ts); the entry has all handoffs. */
const maxHandoffs = 20;
const maxRefused = 20;
/** Beyond it only the lists in the log say of what it came and what was made. */
const maxLinks = 500;

/** The form of a UUID, version 4, from any text of 26 characters. */
function uuidOf(text: string): string {
  const hex = Buffer.from(text).toString('hex').slice(-32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
