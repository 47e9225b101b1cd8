import { beginningOf } from '../model/cut-text.ts';
import { below, commandOf } from '../model/endpoints.ts';
import { jsonOf } from '../model/from-json.ts';
import type { NodeKey } from '../model/node-key.ts';
import { isObject } from '../model/objects.ts';
import { retryAfterOf } from '../model/retry-after.ts';
import type { Dispatch, Dispatcher, Outcome } from './dispatch.ts';
import { type Outbound, OutboundError, type Reach } from './outbound.ts';
import { signatureOf } from './signature.ts';
import { userAgent } from './user-agent.ts';

export interface HttpDispatcherNeeds {
  outbound: Pick<Outbound, 'request'>;
  nodeKey: NodeKey;
  /** The service's name on the wire, which names the headers. */
  service: string;
  /** Which addresses a processor may have; null: this node has not verified its endpoint. */
  reachOf: (dispatch: Dispatch) => Reach | null;
  /** Epoch milliseconds. */
  now: () => number;
  newUlid: () => string;
  /** How long a processor has to take or refuse a job (decisions.md, Processors: 30 s). */
  timeoutMs: number;
}

/** Why nothing is sent to a processor that came as verified from elsewhere, or has got another endpoint since. */
export const unverifiedHere =
  'this node has not verified the endpoint that the processor has now: verify it (POST .../verify)';
const maxAnswer = 64 * 1024;
const maxError = 500;

/** Sends jobs to processors over HTTP, signed (processors.md 2.1 to 2.3). */
export class HttpDispatcher implements Dispatcher {
  readonly local = false;
  readonly #needs: HttpDispatcherNeeds;

  constructor(needs: HttpDispatcherNeeds) {
    this.#needs = needs;
  }

  takes(endpoint: string): boolean {
    return commandOf(endpoint) === null;
  }

  async send(dispatch: Dispatch, signal: AbortSignal): Promise<Outcome> {
    const { outbound, nodeKey, service, reachOf, now, newUlid, timeoutMs } = this.#needs;
    const reach = reachOf(dispatch);
    // Whoever changes an endpoint verifies it next: what waits must not be lost between the two.
    if (reach === null) return { kind: 'unreached', error: unverifiedHere };
    const body = JSON.stringify(dispatch.request);
    try {
      const answer = await outbound.request({
        url: below(dispatch.processor.endpoint, '/process'),
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': userAgent(service),
          [`x-${service}-signature`]: signatureOf(nodeKey, body, Math.floor(now() / 1000)),
          [`x-${service}-request-id`]: `req_${newUlid()}`,
        },
        body,
        reach,
        timeoutMs,
        maxBytes: maxAnswer,
        signal,
      });
      return read(answer, dispatch.request.job_id);
    } catch (error) {
      if (error instanceof OutboundError) return afterFault(error);
      throw error;
    }
  }
}

function afterFault({ fault, message, sent }: OutboundError): Outcome {
  const itsDoing = fault === 'timeout' || fault === 'too_large' || fault === 'redirected';
  const error = itsDoing ? `the processor ${message}` : message;
  if (fault === 'redirected') return { kind: 'refused', error };
  if (sent) return { kind: 'unknown', error };
  // What may not be reached will not be reached in a second either.
  return { kind: fault === 'forbidden' ? 'refused' : 'unreached', error };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
}

/** What an answer says, whatever its status (processors.md 2.3). */
function read({ status, headers, body }: Answer, job: string): Outcome {
  const said = json(body);
  const isFine = status >= 200 && status < 300;
  const type = String(headers['content-type'] ?? 'something').slice(0, 100);
  const { accepted, job_id, error, retry_after } = isObject(said) ? said : {};
  // It is no processor that answers so, but what stands in front of one, which may have the request.
  if (isGateways(status) && typeof accepted !== 'boolean')
    return { kind: 'unknown', error: `what stands before the processor answered ${status}` };
  // A page is some site's, whose address the processor's is not.
  const isPage = body.length > 0 && /^text\/html\b/i.test(type);
  // What stands in front of a processor says it by the header alone.
  const asked = isFine ? null : retryAfterOf(headers['retry-after'], headers.date);
  const seconds =
    typeof retry_after === 'number' && retry_after >= 0 ? retry_after : asked !== null ? asked / 1000 : null;
  const later = seconds === null ? {} : { retryAfter: Math.min(Math.ceil(seconds), 86_400) };
  if (said === undefined && (!isFine || isPage))
    return { kind: 'refused', error: `the processor answered ${status} with ${type} instead of JSON`, ...later };
  if (accepted === false || (!isFine && accepted !== true)) {
    return { kind: 'refused', error: beginningOf(refusal(status, accepted, error), maxError), ...later };
  }
  if (job_id !== undefined && job_id !== null && job_id !== job)
    return { kind: 'refused', error: 'the processor answered for another job' };
  return { kind: 'accepted' };
}

/** Why a job is not taken: in the processor's words where it says that it does not take it; else they may be about anything. */
function refusal(status: number, accepted: unknown, error: unknown): string {
  const said = isObject(error) ? error.message : error;
  const words = typeof said === 'string' ? said : '';
  if (accepted === false && words !== '') return words;
  return `the processor answered ${status}${words && `: ${words}`}`;
}

/** Bad gateway, its timeout, and what a well-known one answers besides for an origin that it does not understand. */
function isGateways(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 527);
}

/** Undefined for what is none. */
function json(body: Uint8Array): unknown {
  try {
    return jsonOf(body);
  } catch {
    return undefined;
  }
}
