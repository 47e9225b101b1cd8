import { setTimeout as pause } from 'node:timers/promises';
import { fromJson } from '../model/from-json.ts';
import { type FailedAddition, NodeCallError, naming, refuseFailed } from './job-error.ts';
import type { Addition, EntityView, Invocation, Invoked, NewEntity, NodeApi, Properties } from './node-api.ts';

/** The node that a worker works for, and the klados's own key there. */
export interface NodeAddress {
  /** As `api_base` has it: without a slash at the end. */
  url: string;
  /** `ak_...` */
  key: string;
  network: 'main' | 'test';
  /** The node's name for its service, which names the headers (its ARCHEION_SERVICE; default: arke). */
  service?: string;
}

const callMs = 60_000;
const maxAnswer = 64 * 2 ** 20;
/** How often a change is made anew when somebody else was faster. */
const rounds = 30;

interface Answer {
  status: number;
  /** Seconds, where it names some. */
  retryAfter: number | undefined;
  body: Record<string, unknown>;
}

/** The node's interface over HTTP, as one klados uses it. Each call is made once (patience.ts). */
export class NodeClient implements NodeApi {
  readonly #at: NodeAddress;
  readonly #fetch: typeof fetch;

  constructor(at: NodeAddress, fetching: typeof fetch) {
    this.#at = at;
    this.#fetch = fetching;
  }

  async read(id: string): Promise<EntityView> {
    try {
      return (await this.#call('GET', `/entities/${encodeURIComponent(id)}`)).body as unknown as EntityView;
    } catch (error) {
      throw naming(id, error);
    }
  }

  async create({ id, type, collection, properties, relationships }: NewEntity): Promise<{ id: string }> {
    const body = { ...(id !== undefined && { id }), type, collection, properties, relationships };
    try {
      return { id: String((await this.#call('POST', '/entities', body)).body.id) };
    } catch (error) {
      const there = error instanceof NodeCallError && error.status === 409 && id !== undefined;
      if (!there) throw error;
      return { id };
    }
  }

  async add(additions: Addition[]): Promise<void> {
    const failed: FailedAddition[] = [];
    for (let i = 0; i < additions.length; i += maxAdditions) {
      const updates = additions.slice(i, i + maxAdditions);
      failed.push(...failedOf(await this.#call('POST', `/updates/additive${checked(updates)}`, { updates })));
    }
    refuseFailed(failed);
  }

  addNow(additions: Addition[]): Promise<void> {
    return this.add(additions);
  }

  async change(id: string, next: (properties: Properties) => Properties | null): Promise<Properties> {
    for (let round = 1; ; round++) {
      const { cid, properties } = await this.read(id);
      const changed = next(properties);
      if (changed === null) return properties;
      try {
        const path = `/entities/${encodeURIComponent(id)}`;
        const { body } = await this.#call('PUT', path, { expect_tip: cid, properties: changed });
        return body.properties as Properties;
      } catch (error) {
        if (!(error instanceof NodeCallError) || error.status !== 409 || round === rounds) throw error;
        await pause(Math.random() * Math.min(2000, 20 * 2 ** Math.min(round, 7)));
      }
    }
  }

  async invoke(klados: string, invocation: Invocation): Promise<Invoked> {
    const path = `/kladoi/${encodeURIComponent(klados)}/invoke`;
    const { body } = await this.#call('POST', path, invocation);
    if (body.status === 'started') return { started: true, job_id: String(body.job_id) };
    return { started: false, error: typeof body.error === 'string' ? body.error : `status ${body.status}` };
  }

  /** @throws NodeCallError */
  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.#answered(method, path, body === undefined ? undefined : written(body)).catch(
      (error: unknown) => {
        if (error instanceof NodeCallError) throw error;
        throw new NodeCallError(0, error instanceof Error ? reason(error) : String(error));
      },
    );
    const { status, retryAfter } = answer;
    const isItsOwn = typeof answer.body.error === 'string';
    if (status >= 400) throw new NodeCallError(status, sentence(answer), { isItsOwn, retryAfter });
    return answer;
  }

  async #answered(method: string, path: string, body: string | undefined): Promise<Answer> {
    const answer = await this.#fetch(`${this.#at.url}${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `ApiKey ${this.#at.key}`,
        ...(this.#at.network === 'test' && { [`x-${this.#at.service ?? 'arke'}-network`]: 'test' }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(callMs),
    });
    const { status, headers } = answer;
    return { status, retryAfter: secondsOf(headers.get('retry-after')), body: parsed(await textOf(answer)) };
  }
}

const maxAdditions = 100;
/** How many targets of one addition a node looks at (interface.md, Conventions); one with more it takes unseen alone. */
const maxTargets = 500;

/** What is no entity of the node is to be said, and not linked to. */
function checked(additions: readonly Addition[]): string {
  const isTooMany = ({ relationships_add = [] }: Addition) =>
    new Set(relationships_add.map(({ peer }) => peer)).size > maxTargets;
  return additions.some(isTooMany) ? '' : '?validate_relationships=true';
}

function failedOf({ body }: Answer): FailedAddition[] {
  return Array.isArray(body.failed) ? body.failed : [];
}

function written(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new NodeCallError(400, `What was to be sent is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}

async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxAnswer) throw new NodeCallError(413, 'The answer of the node is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The number in a `Retry-After`; what stands in front of a node may write a date there. */
function secondsOf(header: string | null): number | undefined {
  const seconds = header === null ? Number.NaN : Number(header);
  return seconds >= 0 ? seconds : undefined;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = fromJson(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function sentence({ status, body }: Answer): string {
  const { error, details } = body as { error?: unknown; details?: { issues?: { path: unknown[]; message: string }[] } };
  const issue = details?.issues?.[0];
  const where = issue ? ` (${issue.path.join('.')}: ${issue.message})` : '';
  return `${typeof error === 'string' ? error : `the node answered ${status}`}${where}`;
}

/** `fetch` hides why it failed in the cause. */
function reason(error: Error): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
