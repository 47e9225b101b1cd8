import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a processor does with a job, by the first part of its endpoint's path. */
type Behaviour = (response: ServerResponse, job: { job_id: string }) => void;

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};

const behaviours: Record<string, Behaviour> = {
  accept: (response, { job_id }) => json(response, 200, { accepted: true, job_id }),
  refuse: (response) => json(response, 200, { accepted: false, error: 'no work today', retry_after: 60 }),
  marked: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end('\ufeff{"accepted":false,"error":"no work today"}');
  },
  wordy: (response) => json(response, 200, { accepted: false, error: `half \ud83d ${'n'.repeat(492)}🌍` }),
  later: (response) => json(response, 503, { accepted: false, error: 'not now', retry_after: 1 }),
  tomorrow: (response) => json(response, 503, { accepted: false, error: 'not today', retry_after: 86_400 }),
  unavailable: (response) => json(response, 503, { accepted: false, error: 'no key', retry_after: 60 }),
  fail: (response) => json(response, 500, { error: 'inner error' }),
  nested: (response) => json(response, 400, { accepted: false, error: { code: 'no_model', message: 'no such model' } }),
  list: (response) => json(response, 200, ['accepted']),
  nulls: (response) => json(response, 200, { accepted: true, job_id: null, error: null, retry_after: null }),
  html: (response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end('<h1>Welcome</h1>');
  },
  empty: (response) => {
    response.writeHead(200);
    response.end();
  },
  plain: (response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.end('OK');
  },
  gateway: (response) => {
    response.writeHead(502, { 'Content-Type': 'text/html' });
    response.end('<h1>502 Bad Gateway</h1>');
  },
  busy: (response) => {
    response.writeHead(503, { 'Content-Type': 'text/html', 'Retry-After': '90' });
    response.end('<h1>503 Service Temporarily Unavailable</h1>');
  },
  late: (response) => json(response, 504, { message: 'Endpoint request timed out' }),
  honest: (response) => json(response, 502, { accepted: false, error: 'no model behind me' }),
  hang: () => undefined,
  break: (response) => response.destroy(),
  another: (response) => json(response, 200, { accepted: true, job_id: 'job_01J00000000000000000000000' }),
  large: (response) => json(response, 200, { accepted: true, much: 'x'.repeat(1_000_000) }),
  redirect: (response) => {
    response.writeHead(307, { Location: '/accept/process' });
    response.end();
  },
};

export interface ProcessorEndpoint extends AsyncDisposable {
  /** The base of all endpoints: `${url}/accept` is one that accepts. */
  url: string;
  /** The jobs that came, by behaviour. */
  received: { behaviour: string; body: Record<string, unknown> }[];
  /** What is answered to GET /status/{job_id}; null for a 404. */
  status: unknown;
  /** From now on endpoints of the one behaviour behave like those of the other. */
  become: (behaviour: string, as: string) => void;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** Somebody else's processor, or many: it answers, and does nothing. */
export async function startProcessorEndpoint(port = 0): Promise<ProcessorEndpoint> {
  const received: ProcessorEndpoint['received'] = [];
  const changed = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const [, behaviour = '', what = ''] = (request.url ?? '').split(/[/?]/);
    if (request.method === 'GET' && what === 'status') {
      if (behaviour === 'hang' || behaviour === 'break') behaviours[behaviour]?.(response, { job_id: '' });
      else if (behaviour === 'html') behaviours.html?.(response, { job_id: '' });
      else json(response, endpoint.status === null ? 404 : 200, endpoint.status ?? { error: 'unknown' });
      return;
    }
    const act = behaviours[changed.get(behaviour) ?? behaviour];
    if (request.method !== 'POST' || what !== 'process' || !act) return json(response, 404, { error: 'not found' });
    const body = JSON.parse(text) as { job_id: string };
    received.push({ behaviour, body });
    act(response, body);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.unref();
  const endpoint: ProcessorEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    status: null,
    become: (behaviour, as) => void changed.set(behaviour, as),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}
