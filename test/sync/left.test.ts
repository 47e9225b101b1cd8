import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { remoteOf } from './nodes.ts';
import { startProxied } from './proxied.ts';

test('a sync whose client leaves is ended, and no fault of the node', async () => {
  await using scene = await startProxied({ works: 3 });
  const { mirror, proxy, here } = scene;
  // As long as the client is there, no version comes to its end.
  proxy.fault = ({ path }) => (path === '/.well-known/archeion' ? undefined : { trickles: 5 });
  const asking = request(`${mirror.url}/node/remotes/origin/sync`, { method: 'POST', headers: here.headers });
  asking.on('error', () => undefined);
  asking.end();
  const [response] = await once(asking, 'response');
  await once(response, 'data');
  response.on('error', () => undefined);
  asking.destroy();
  await expect
    .poll(() => remoteOf(mirror, here))
    .toMatchObject({ last_run: { error: 'It was ended before it was done.' } });
  // What is logged of a request is logged when it has ended.
  await expect.poll(() => mirror.ctx.requests.isBusy()).toBe(false);
  expect(mirror.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
