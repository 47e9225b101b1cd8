import { NotFoundError, UnreachableError } from '../errors.ts';
import { below } from '../model/endpoints.ts';
import { jsonOf } from '../model/from-json.ts';
import { isDeeper } from '../model/json-value.ts';
import { unverifiedHere } from './http-dispatcher.ts';
import { type Outbound, OutboundError, type Reach } from './outbound.ts';

export interface AgentStatusNeeds {
  outbound: Pick<Outbound, 'request'>;
  /** Which addresses requests to an endpoint of an agent may reach; null: this node has not verified it. */
  reachOf: (id: string, endpoint: string) => Reach | null;
}

const timeoutMs = 10_000;
const maxBytes = 4 * 2 ** 20;
/** Levels of an answer: of far more no JSON can be made again. */
const deepest = 1000;

/** Asks agents for the state of their jobs. */
export class AgentStatusSource {
  readonly #needs: AgentStatusNeeds;

  constructor(needs: AgentStatusNeeds) {
    this.#needs = needs;
  }

  /** The agent's JSON as it is. @throws NotFoundError where it does not know the job, UnreachableError */
  async ask(
    agent: { id: string; endpoint: string },
    job: string,
    { detail, errors }: { detail?: 'full' | undefined; errors?: number | undefined },
  ): Promise<{ [name: string]: unknown }> {
    const reach = this.#needs.reachOf(agent.id, agent.endpoint);
    if (reach === null) throw failed(unverifiedHere);
    const query = new URLSearchParams({
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors: String(errors) }),
    });
    const text = query.size > 0 ? `?${query}` : '';
    const answer = await this.#needs.outbound
      .request({
        url: below(agent.endpoint, `/status/${encodeURIComponent(job)}${text}`),
        method: 'GET',
        headers: { accept: 'application/json' },
        reach,
        timeoutMs,
        maxBytes,
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundError) throw failed(error.message);
        throw error;
      });
    const { status, body } = answer;
    if (status === 404) throw NotFoundError.of('There is no such job');
    if (status < 200 || status > 299) throw failed(`it answered ${status}`);
    return parsed(body);
  }
}

const states: readonly unknown[] = ['pending', 'running', 'done', 'error'];

function parsed(body: Uint8Array): { [name: string]: unknown } {
  const value = json(body);
  if (isDeeper(value, deepest)) throw failed('its answer is nested too deeply');
  if (typeof value === 'object' && value !== null && 'status' in value && states.includes(value.status))
    return value as { [name: string]: unknown };
  throw failed('its answer does not say in which status the job is');
}

function json(body: Uint8Array): unknown {
  try {
    return jsonOf(body);
  } catch {
    throw failed('its answer is no JSON');
  }
}

function failed(reason: string): UnreachableError {
  return new UnreachableError(`Failed to reach agent: ${reason}`);
}
