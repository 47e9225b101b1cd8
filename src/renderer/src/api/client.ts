import createClient from 'openapi-fetch';
import { newListeners } from '../listeners.ts';
import { failureOf, unreachable } from './failure.ts';
import type { paths } from './schema.d.ts';

type Network = 'main' | 'test';

const noAnswer = newListeners();

/** The network that the address asks for; everything on the page is of it. */
export function currentNetwork(): Network {
  return new URLSearchParams(location.search).get('network') === 'test' ? 'test' : 'main';
}

/** Takes whom to tell whenever the node no longer knows who asks, and tells them. */
export const { subscribe: onSignedOut, tell: tellSignedOut } = newListeners();

/** Takes whom to tell whenever the node did not answer. */
export const onNoAnswer = noAnswer.subscribe;

let header: Promise<string> | undefined;

/**
 * The header that names the network begins with the service's name, which is a setting of the node. Without it, or with another
 * one, a request would be one to the main network. @throws Error where the name cannot be asked for; the next request asks again
 */
function networkHeader(): Promise<string> {
  header ??= nameOfService().then((service) => `X-${service}-Network`);
  header.catch(() => {
    header = undefined;
  });
  return header;
}

async function nameOfService(): Promise<string> {
  const answer = await fetch('/.well-known/archeion');
  const { service }: { service?: unknown } = answer.ok ? await answer.json() : {};
  if (typeof service !== 'string') throw new Error(`no answer to which service this is (${answer.status})`);
  return service;
}

const client = createClient<paths>({
  baseUrl: location.origin,
  async fetch(request) {
    try {
      if (currentNetwork() === 'test') request.headers.set(await networkHeader(), 'test');
      return await fetch(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      // Whether it runs is what is looked at then.
      if (!request.url.endsWith('/health')) noAnswer.tell();
      throw unreachable(error);
    }
  },
});

client.use({
  onResponse({ response, schemaPath }) {
    // Who asks is what is looked at then.
    if (response.status === 401 && schemaPath !== '/auth/whoami') tellSignedOut();
  },
});

/** The node's interface, as its OpenAPI document has it. Paths are checked, and so are bodies. */
export const api = client;

/** What an answer holds. @throws Failure for every answer that is none of success, and where there is none */
export async function answered<T>(request: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw failureOf(response.status, error);
  return data as T;
}
