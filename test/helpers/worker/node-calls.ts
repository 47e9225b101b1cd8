// What a worker asks of the node, as processors.md writes it: with its own key, and tried again like the public SDK does.
import { setTimeout as sleep } from 'node:timers/promises';

export interface JobCall {
  job_id: string;
  target_entity?: string;
  target_entities?: string[];
  target_collection: string;
  job_collection: string;
  input?: Record<string, unknown>;
  api_base: string;
  expires_at: string;
  network: 'main' | 'test';
  rhiza?: Rhiza;
}

export interface Rhiza {
  id: string;
  path: string[];
  parent_logs: string[];
  batch?: { id: string; index: number; total: number };
  recurse_depth?: number;
}

export interface EntityAnswer {
  id: string;
  cid: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an entity says is looked into freely.
  properties: Record<string, any>;
}

export class NodeCallError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

const retried = [500, 502, 503, 504];

export class NodeCalls {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #tries: number;

  /** `patient`: it is tried again for half a minute, as long as a node needs to be started again. */
  constructor({ api_base, network }: Pick<JobCall, 'api_base' | 'network'>, key: string, patient: boolean) {
    this.#base = api_base;
    this.#tries = patient ? 60 : 3;
    this.#headers = {
      authorization: `ApiKey ${key}`,
      'content-type': 'application/json',
      ...(network === 'test' && { 'x-arke-network': 'test' }),
    };
  }

  async call<T>(line: string, body?: unknown): Promise<T> {
    const [method = '', path = ''] = line.split(' ');
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(`${this.#base}${path}`, {
        method,
        headers: this.#headers,
        body: body === undefined ? null : JSON.stringify(body),
      }).catch((error: Error) => error);
      const failed = answer instanceof Error || retried.includes(answer.status);
      if (failed && attempt < this.#tries) {
        await sleep(100 * 2 ** Math.min(attempt, 3));
        continue;
      }
      if (answer instanceof Error) throw answer;
      const text = await answer.text();
      if (answer.status >= 300) throw new NodeCallError(answer.status, text);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    }
  }

  read(id: string): Promise<EntityAnswer> {
    return this.call(`GET /entities/${id}`);
  }

  create(body: object): Promise<EntityAnswer> {
    return this.call('POST /entities', body);
  }

  add(...updates: object[]): Promise<void> {
    return this.call('POST /updates/additive', { updates: updates.map((one) => ({ ...one, note: 'a job' })) });
  }
}
