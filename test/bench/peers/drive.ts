import autocannon from 'autocannon';
import type { Documents, Request } from './peer.ts';

const connections = 64;

/** Sends each request once over 64 connections; gives requests a second. Throws on any answer but the expected status. */
export async function drive(
  url: string,
  { headers }: Pick<Documents, 'headers'>,
  requests: readonly Request[],
  expected: (status: number) => boolean,
): Promise<number> {
  let next = 0;
  const unexpected = new Map<number, number>();
  let example = '';
  let begun = 0;
  let ended = 0;
  const result = await autocannon({
    url,
    connections,
    timeout: 60,
    amount: requests.length,
    requests: [
      {
        setupRequest: (request) => {
          if (next === 0) begun = performance.now();
          const { method, path, body } = requests[next++ % requests.length] as Request;
          return { ...request, method, path, body, headers: { ...headers, 'content-type': 'application/json' } };
        },
        onResponse: (status, body) => {
          ended = performance.now();
          if (expected(status)) return;
          unexpected.set(status, (unexpected.get(status) ?? 0) + 1);
          example = body;
        },
      },
    ],
  });
  if (unexpected.size > 0 || result.errors > 0)
    throw new Error(`${url}: ${JSON.stringify([...unexpected])}, ${result.errors} failed: ${example.slice(0, 300)}`);
  return requests.length / ((ended - begun) / 1000);
}
