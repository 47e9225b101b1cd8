import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { clientHeader } from '../model/client-header.ts';

/** Upper bounds of the durations that are told apart, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

/** The requests of one endpoint since the node began. */
export interface RouteTally {
  method: string;
  /** As the OpenAPI document spells it; `other` for pages and for paths that no endpoint has. */
  route: string;
  /** By the first digit of their status; 0 for those whose client left before an answer. */
  statuses: number[];
  /** By the first of the bounds that they kept to; the last ones kept to none. */
  durations: number[];
  seconds: number;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const mark = Symbol('tally');
/** Of so many clients is known when they asked last. */
const mostAsked = 100;

/** What it calls itself, else its port. */
type Client = string | number;

type Marked = IncomingMessage & { [mark]?: RouteTally };

/** Counts requests by endpoint: as many counters as there are endpoints, whatever is asked. */
export class RequestTally {
  readonly #routes = new Map<string, RouteTally>();
  /** Those at work, each with its client. */
  readonly #running = new Map<ServerResponse, Client>();
  /** Called when one of them has ended: by whom it is waited for. */
  readonly #waiting = new Set<() => void>();
  /** When a client last asked something; of the last few. */
  readonly #asked = new Map<Client, number>();

  /** The counter of an endpoint; `path` with or without Express's colons. */
  of(method: string, path: string): RouteTally {
    const route = path.replaceAll(/:(\w+)/g, '{$1}');
    const key = `${method} ${route}`;
    let tally = this.#routes.get(key);
    if (!tally) {
      const durations = new Array<number>(durationBounds.length + 1).fill(0);
      tally = { method, route, statuses: new Array<number>(6).fill(0), durations, seconds: 0 };
      this.#routes.set(key, tally);
    }
    return tally;
  }

  /** All endpoints that there are, asked or not. */
  all(): RouteTally[] {
    return [...this.#routes.values()];
  }

  /** Counts a request when its answer has ended. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now();
    const client = clientOf(request);
    this.#running.set(response, client);
    this.#asked.delete(client);
    this.#asked.set(client, began);
    if (this.#asked.size > mostAsked) this.#asked.delete(this.#asked.keys().next().value ?? client);
    response.on('close', () => {
      this.#running.delete(response);
      for (const look of this.#waiting) look();
      const tally = (request as Marked)[mark] ?? this.#other(request.method);
      count(tally, response.headersSent ? response.statusCode : 0, (performance.now() - began) / 1000);
    });
  }

  /** Whether a request of another client than `but` has not been answered to its end. */
  isBusy(but?: string): boolean {
    for (const client of this.#running.values()) if (client !== but) return true;
    return false;
  }

  /** Milliseconds since one of another client than `but` began. */
  sinceOthers(but: string): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const [client, at] of this.#asked) if (client !== but) last = Math.max(last, at);
    return performance.now() - last;
  }

  /** Resolves when no such request is at work, or `stopped` is given. */
  rest(but: string, stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.isBusy(but) && !stopped.aborted) return;
        this.#waiting.delete(look);
        stopped.removeEventListener('abort', look);
        resolve();
      };
      this.#waiting.add(look);
      stopped.addEventListener('abort', look);
      look();
    });
  }

  #other(method = ''): RouteTally {
    return this.of(methods.has(method) ? method : 'OTHER', 'other');
  }
}

function clientOf({ headers, socket }: IncomingMessage): Client {
  const named = headers[clientHeader];
  return typeof named === 'string' ? named : (socket.remotePort ?? 0);
}

/** Says which endpoint serves a request. */
export function tallied(request: IncomingMessage, tally: RouteTally): void {
  (request as Marked)[mark] = tally;
}

function count(tally: RouteTally, status: number, seconds: number): void {
  const kind = Math.trunc(status / 100);
  tally.statuses[kind] = (tally.statuses[kind] ?? 0) + 1;
  let at = 0;
  while (seconds > (durationBounds[at] ?? Number.POSITIVE_INFINITY)) at++;
  tally.durations[at] = (tally.durations[at] ?? 0) + 1;
  tally.seconds += seconds;
}
