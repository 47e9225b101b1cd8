import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestTally } from '../../src/server/http/request-tally.ts';
import { clientHeader } from '../../src/server/model/client-header.ts';

test('all who wait for the end of requests hear of it, and nothing is kept of those that ended before', async () => {
  const requests = new RequestTally();
  const begun = new EventEmitter();
  const server = createServer((request, response) => {
    requests.watch(request, response);
    begun.emit('request', response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = async () => {
    const came = once(begun, 'request') as Promise<[ServerResponse]>;
    void fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [response] = await came;
    return async () => {
      response.end();
      await once(response, 'close');
      await turn();
    };
  };
  const all: (() => Promise<void>)[] = [];
  for (let n = 0; n < 4; n++) all.push(await asked());
  const stopped = new AbortController();
  let rested = 0;
  const waiting = [0, 1].map(() => requests.rest('own', stopped.signal).then(() => rested++));
  for (const end of all.slice(1)) await end();
  expect([rested, getEventListeners(stopped.signal, 'abort').length]).toEqual([0, 2]);
  await all[0]?.();
  expect(rested).toBe(2);
  await Promise.all(waiting);
  expect(getEventListeners(stopped.signal, 'abort')).toEqual([]);
  server.close();
});

test('who waits is let go of where it is stopped', async () => {
  const requests = new RequestTally();
  const stopped = new AbortController();
  const server = createServer((request, response) => requests.watch(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const came = once(server, 'request');
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(() => undefined);
  await came;
  const rest = requests.rest('own', stopped.signal);
  stopped.abort();
  await rest;
  await requests.rest('own', stopped.signal);
  server.closeAllConnections();
  server.close();
});

test('it is known how long ago somebody else asked, also once that is answered', async () => {
  const requests = new RequestTally();
  const server = createServer((request, response) => {
    requests.watch(request, response);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(requests.sinceOthers('own')).toBe(Number.POSITIVE_INFINITY);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asked = async (headers: Record<string, string>) =>
    (await fetch(url, { headers: { Connection: 'close', ...headers } })).text();
  await asked({ [clientHeader]: 'own' });
  expect(requests.sinceOthers('own')).toBe(Number.POSITIVE_INFINITY);
  expect(requests.sinceOthers('another')).toBeLessThan(60_000);
  // Those who do not say who they are, each from a port of its own, and far more than are remembered.
  for (let n = 0; n < 120; n++) await asked({});
  expect(requests.sinceOthers('own')).toBeLessThan(60_000);
  server.close();
});
