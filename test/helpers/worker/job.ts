// One job of a klados, message by message as processors.md, section 5, has it.
import { type EntityAnswer, type JobCall, NodeCallError, NodeCalls, type Rhiza } from './node-calls.ts';

/** The klados's own work: the ids of its outputs. */
export type Work = (job: JobCall, calls: NodeCalls) => Promise<string[]>;

export interface Settings {
  klados: string;
  key: string;
  work: Work;
  /** See NodeCalls. */
  patient: boolean;
  /** For how many seconds it asks when it hands on. */
  expires_in: number;
}

interface Step {
  klados: { id: string };
  input?: Record<string, unknown>;
  then: { done?: true; pass?: string; scatter?: string; gather?: string };
}

interface Slot {
  index: number;
  status: 'pending' | 'complete' | 'error';
  output_ids?: string[];
}

const now = (): string => new Date().toISOString();

export async function runJob(job: JobCall, { klados, key, work, patient, expires_in }: Settings): Promise<void> {
  await new Job(job, klados, new NodeCalls(job, key, patient), expires_in).run(work);
}

class Job {
  readonly job: JobCall;
  readonly klados: string;
  readonly calls: NodeCalls;
  readonly #seconds: number;
  log = '';

  constructor(job: JobCall, klados: string, calls: NodeCalls, seconds: number) {
    this.#seconds = seconds;
    this.job = job;
    this.klados = klados;
    this.calls = calls;
  }

  async run(work: Work): Promise<void> {
    const { job, calls } = this;
    const own = await calls.read(this.klados);
    await this.#begin(String(own.properties.label));
    try {
      const outputs = await work(job, calls);
      const { handoff, final } = await this.#handOn(outputs);
      await this.#end(outputs, handoff, final);
    } catch (error) {
      await this.#fail(error as Error);
    }
  }

  /** m6 to m8, m26 to m29. */
  async #begin(label: string): Promise<void> {
    const { job, klados, calls } = this;
    const started_at = now();
    const { rhiza } = job;
    const received = {
      ...targets(idsOf(job)),
      target_collection: job.target_collection,
      ...(rhiza && { from_logs: rhiza.parent_logs }),
      ...(rhiza?.batch && { batch: rhiza.batch }),
    };
    const common = { klados_id: klados, ...(rhiza && { rhiza_id: rhiza.id }), job_id: job.job_id, status: 'running' };
    const entry = { id: `log_${crypto.randomUUID()}`, type: 'klados_log', ...common, started_at, received };
    const { id } = await calls.create({
      type: 'klados_log',
      collection: job.job_collection,
      properties: {
        label,
        ...common,
        log_data: { entry, agent_id: klados, agent_version: '0.1.0', messages: [] },
      },
    });
    this.log = id;
    const parents = rhiza?.parent_logs ?? [];
    const link = { predicate: 'log_started', peer: id, peer_type: 'klados_log' };
    await calls.add(
      ...(parents.length > 0
        ? [{ entity_id: id, relationships_add: parents.map((peer) => ({ predicate: 'received_from', peer })) }]
        : []),
      {
        entity_id: job.job_collection,
        relationships_add: [{ ...link, properties: { started_at, klados_id: klados } }],
      },
    );
    if (parents.length > 0)
      await calls.add(
        ...parents.map((parent) => ({
          entity_id: parent,
          relationships_add: [{ predicate: 'sent_to', peer: id }],
        })),
      );
  }

  async #handOn(outputs: string[]): Promise<{ handoff: string; final: boolean }> {
    const { rhiza } = this.job;
    if (!rhiza) return { handoff: 'none', final: false };
    const flow = (await this.calls.read(rhiza.id)).properties.flow as Record<string, Step>;
    const { then } = flow[rhiza.path.at(-1) ?? ''] as Step;
    if (then.scatter) return this.#scatter(flow, then.scatter, outputs);
    if (then.gather) return this.#gather(flow, then.gather, outputs);
    if (then.pass && outputs.length > 0) {
      const context = { ...rhiza, path: [...rhiza.path, then.pass], parent_logs: [this.log] };
      const request = await this.#invoke(flow, then.pass, outputs, context);
      await this.#record('pass', flow, then.pass, { invocations: [{ request }] });
      return { handoff: 'pass', final: false };
    }
    return { handoff: 'done', final: true };
  }

  /** m13 to m20. */
  async #scatter(
    flow: Record<string, Step>,
    step: string,
    outputs: string[],
  ): Promise<{ handoff: string; final: boolean }> {
    const { job, klados, calls } = this;
    const rhiza = job.rhiza as Rhiza;
    const gather = flow[step]?.then.gather;
    const batch =
      gather === undefined
        ? null
        : await calls.create({
            type: 'batch',
            collection: job.job_collection,
            properties: {
              label: `Scatter: ${klados} -> ${step} (${outputs.length} items)`,
              rhiza_id: rhiza.id,
              job_id: job.job_id,
              source_klados: klados,
              target_step: step,
              gather_step: gather,
              gather_klados: flow[gather]?.klados.id,
              total: outputs.length,
              completed: 0,
              status: 'pending',
              slots: outputs.map((_, index) => ({ index, status: 'pending' })),
              created_at: now(),
            },
          });
    const invocations: object[] = [];
    for (const [index, output] of outputs.entries()) {
      const context = {
        id: rhiza.id,
        path: [...rhiza.path, step],
        parent_logs: [this.log],
        ...(batch ? { batch: { id: batch.id, index, total: outputs.length } } : { scatter_total: outputs.length }),
      };
      // A refusal is only a warning here (processors.md 3.5).
      const request = await this.#invoke(flow, step, [output], context).catch(() => null);
      if (request) invocations.push({ request, ...(batch && { batch_index: index }) });
    }
    await this.#record('scatter', flow, step, {
      ...(batch && { batch_id: batch.id }),
      outputs,
      invocations,
      done_slots: 0,
    });
    return { handoff: 'scatter', final: false };
  }

  /** m33 to m36, m65 to m68. */
  async #gather(
    flow: Record<string, Step>,
    step: string,
    outputs: string[],
  ): Promise<{ handoff: string; final: boolean }> {
    const { job } = this;
    const rhiza = job.rhiza as Rhiza;
    if (!rhiza.batch) throw new Error('gather without a batch');
    const slots = await this.#slot({ status: 'complete', output_ids: outputs, completed_at: now() });
    if (!slots.every(({ status }) => status === 'complete')) return { handoff: 'gather_wait', final: false };
    const { batch: _, ...rest } = rhiza;
    const context = { ...rest, path: [...rhiza.path, step], parent_logs: [this.log] };
    const all = slots.flatMap(({ output_ids = [] }) => output_ids);
    const request = await this.#invoke(flow, step, all, context);
    await this.#record('gather', flow, step, { batch_id: rhiza.batch.id, invocations: [{ request }] });
    return { handoff: 'gather_trigger', final: false };
  }

  /** Writes this job's slot, again where somebody else was quicker. */
  async #slot(change: object): Promise<Slot[]> {
    const { id = '', index = 0 } = this.job.rhiza?.batch ?? {};
    for (;;) {
      const { cid } = await this.calls.call<{ cid: string }>(`GET /entities/${id}/tip`);
      const { properties } = await this.calls.read(id);
      const slots = (properties.slots as Slot[]).map((slot) => (slot.index === index ? { ...slot, ...change } : slot));
      const completed = slots.filter(({ status }) => status === 'complete').length;
      const terminal = slots.every(({ status }) => status !== 'pending');
      const status = completed === slots.length ? 'complete' : terminal ? 'error' : 'pending';
      const ended = status === 'complete' ? { completed_at: now() } : {};
      try {
        await this.calls.call(`PUT /entities/${id}`, {
          expect_tip: cid,
          properties: { ...properties, slots, completed, status, ...ended },
        });
        return slots;
      } catch (error) {
        if (!(error instanceof NodeCallError) || error.status !== 409) throw error;
      }
    }
  }

  /** Three levels of input, the later ones win (processors.md 3.6). */
  async #invoke(flow: Record<string, Step>, step: string, ids: string[], rhiza: object): Promise<object> {
    const { job, calls } = this;
    const target = flow[step] as Step;
    const { steps, ...given } = (job.input ?? {}) as { steps?: Record<string, object> };
    const input = { ...target.input, ...given, ...steps?.[step], ...(steps && { steps }) };
    const body = {
      ...targets(ids),
      target_collection: job.target_collection,
      job_collection: job.job_collection,
      ...(Object.keys(input).length > 0 && { input }),
      rhiza,
    };
    const answer = await calls.call<{ status: string; error?: string }>(`POST /kladoi/${target.klados.id}/invoke`, {
      ...body,
      expires_in: this.#seconds,
      confirm: true,
    });
    if (answer.status !== 'started') throw new Error(`handoff refused: ${answer.error}`);
    const { api_base, expires_at, network } = job;
    return { job_id: `job_${crypto.randomUUID()}`, ...body, api_base, expires_at, network };
  }

  async #record(type: string, flow: Record<string, Step>, step: string, more: object): Promise<void> {
    const handoff = { type, target: flow[step]?.klados.id, target_type: 'klados', ...more };
    const properties = { log_data: { entry: { handoffs: [handoff] } } };
    await this.calls.add({ entity_id: this.log, properties });
  }

  /** m21 to m25. */
  async #end(outputs: string[], handoff: string, final: boolean): Promise<void> {
    const { job, calls, log } = this;
    const completed_at = now();
    const messages = [
      { level: 'info', message: `Handoff: ${handoff}`, timestamp: completed_at, metadata: {} },
      { level: 'success', message: 'Job completed', timestamp: completed_at },
    ];
    const entry = { status: 'done', completed_at, ...(outputs.length > 0 && { outputs }) };
    await calls.add({ entity_id: log, properties: { status: 'done', log_data: { entry, messages } } });
    const peer = { peer: log, peer_type: 'klados_log' };
    await calls.add({
      entity_id: job.job_collection,
      relationships_add: [
        { predicate: 'log_done', ...peer, properties: { completed_at } },
        ...(final ? [{ predicate: 'final_output', ...peer }] : []),
      ],
    });
    const consumed = idsOf(job).map((id) => ({ predicate: 'consumed', peer: id }));
    const produced = outputs.map((id) => ({ predicate: 'produced', peer: id }));
    await calls.add({ entity_id: log, relationships_add: [...consumed, ...produced] });
    const marked = (predicate: string, ids: string[]) =>
      ids.map((entity_id) => ({ entity_id, relationships_add: [{ predicate, ...peer }] }));
    await calls.add(...marked('log_input', idsOf(job)));
    if (outputs.length > 0) await calls.add(...marked('log_output', outputs));
  }

  /** m90 to m92. */
  async #fail(error: Error): Promise<void> {
    const { job, calls, log } = this;
    const code = /timed out/.test(error.message) ? 'TIMEOUT' : 'PROCESSING_ERROR';
    const failure = { code, message: error.message, retryable: true };
    const completed_at = now();
    const messages = [{ level: 'error', message: 'Job failed', timestamp: completed_at, metadata: failure }];
    await calls.add({
      entity_id: log,
      properties: { status: 'error', log_data: { entry: { status: 'error', completed_at, error: failure }, messages } },
    });
    if (job.rhiza?.batch) {
      const { retryable: _, ...told } = failure;
      await this.#slot({ status: 'error', error: told, completed_at });
    }
    if (job.rhiza)
      await calls.add({
        entity_id: job.job_collection,
        relationships_add: [{ predicate: 'final_error', peer: log, peer_type: 'klados_log' }],
      });
  }
}

export function idsOf({ target_entity, target_entities }: JobCall): string[] {
  return target_entities ?? (target_entity === undefined ? [] : [target_entity]);
}

function targets(ids: string[]): { target_entity?: string } | { target_entities: string[] } {
  const [first = '', ...rest] = ids;
  return rest.length === 0 ? { target_entity: first } : { target_entities: ids };
}

export type { EntityAnswer };
