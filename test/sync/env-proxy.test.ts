import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { openPool } from '../../src/server/sync/connection.ts';
import { proxyFor } from '../../src/server/sync/env-proxy.ts';
import { RemoteClient } from '../../src/server/sync/remote.ts';
import { operator, user } from '../helpers/callers.ts';
import { collection, create } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, keyOf, read, sync } from './nodes.ts';

/** A proxy that takes CONNECT alone, and leads to one port of this machine whatever it is asked for. */
async function startTunnel(port: number, status = 200) {
  const asked: { target: string | undefined; proof: string | undefined }[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url, headers }, socket) => {
    asked.push({ target: url, proof: headers['proxy-authorization'] });
    socket.on('error', () => undefined);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    return socket.once('close', () => onward.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    at: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a remote that only a proxy of the environment can find is synced with through that', async () => {
  await using origin = await startNode({ env: { ARCHEION_ALLOWED_HOSTS: 'museum.invalid' } });
  await using proxy = await startTunnel(Number(new URL(origin.url).port));
  const env = { HTTP_PROXY: `http://an%20na:secret@${proxy.at}`, NO_PROXY: 'other.invalid' };
  await using mirror = await startNode({ env });
  const [curator, here] = [await user(origin, 'curator'), operator(mirror)];
  const { id } = await collection(origin, curator);
  await addRemote(mirror, here, { url: 'http://museum.invalid', key: keyOf(curator) });
  await sync(mirror, here);
  const made = await create(mirror, here, { collection: id });
  expect(await sync(mirror, here)).toMatchObject({ created: 1, refused: 0 });
  expect((await read(origin, curator, made.id)).cid).toBe(made.cid);
  const proof = `Basic ${Buffer.from('an na:secret').toString('base64')}`;
  expect(new Set(proxy.asked.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ target: 'museum.invalid:80', proof })]),
  );
});

test.each([
  [407, /the proxy 127\.0\.0\.1:\d+ does not lead to museum\.invalid:443: it wants a name and a password/],
  [403, /does not lead to museum\.invalid:443: it answered 403/],
])('a proxy that answers %i is named', async (status, words) => {
  await using proxy = await startTunnel(1, status);
  const pool = await openPool('https://museum.invalid', { environment: { https_proxy: proxy.at } });
  await expect(pool.request({ method: 'GET', path: '/' })).rejects.toThrow(words);
  await pool.destroy();
});

test('a name and a password are told the proxy as they stand where they are no escapes', async () => {
  await using proxy = await startTunnel(1, 403);
  const pool = await openPool('https://museum.invalid', {
    environment: { HTTPS_PROXY: `http://ann:50%25ä100%@${proxy.at}` },
  });
  await expect(pool.request({ method: 'GET', path: '/' })).rejects.toThrow(/it answered 403/);
  await pool.destroy();
  expect(proxy.asked.map(({ proof }) => proof)).toEqual([`Basic ${Buffer.from('ann:50%ä100%').toString('base64')}`]);
});

test('a proxy that says nothing is given up', async () => {
  const asked: Duplex[] = [];
  await using server = createServer();
  server.on('connect', (_request, socket) => asked.push(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const environment = { HTTPS_PROXY: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  const wait = () => Promise.resolve();
  await using client = await RemoteClient.open({
    ...{ url: 'https://museum.invalid', secret: null, network: 'main', service: 'arke', random: () => 0.5, wait },
    ...{ environment, connectTimeout: 500 },
  });
  await expect(client.read('/silent')).rejects.toThrow(/does not lead to museum\.invalid:443/);
  expect(asked).toHaveLength(1);
  for (const socket of asked) socket.destroy();
});

test('through a proxy, too, a name that others have chosen is looked up here before anything goes there', async () => {
  await using proxy = await startTunnel(1);
  const environment = { HTTPS_PROXY: proxy.at };
  const pool = await openPool('https://storage.invalid', { outsideOnly: true, environment });
  await expect(pool.request({ method: 'PUT', path: '/' })).rejects.toThrow(/storage\.invalid/);
  await pool.destroy();
  expect(proxy.asked).toEqual([]);
});

const named = { HTTPS_PROXY: 'http://secure:3128', http_proxy: 'plain:3128', HTTP_PROXY: 'http://other:1' };

test.each([
  ['https://museum.org', '', 'http://secure:3128'],
  ['http://museum.org', '', 'http://plain:3128'],
  ['http://127.0.0.1:4747', '', null],
  ['http://127.8.0.1', '', null],
  ['https://localhost', '', null],
  ['http://node.localhost:4747', '', null],
  ['http://[::1]:4747', '', null],
  ['https://museum.org', '*', null],
  ['https://museum.org', 'a.org, MUSEUM.org', null],
  ['https://a.museum.org', '.museum.org', null],
  ['https://a.museum.org', '*.museum.org', null],
  ['https://a.museum.org', 'museum.org:443', null],
  ['https://a.museum.org', 'museum.org:8443', 'http://secure:3128'],
  ['https://amuseum.org', 'museum.org', 'http://secure:3128'],
  ['https://10.0.0.1', '10.0.0.1 10.0.0.2', null],
  ['https://[fd00::1]:8443', 'fd00::1', null],
  ['https://[fd00::1]:8443', '[fd00::1]:8443', null],
  ['https://[fd00::1]:8443', '[fd00::1]:1', 'http://secure:3128'],
])('%s with NO_PROXY=%s goes through %s', (address, NO_PROXY, proxy) => {
  expect(proxyFor(new URL(address), { ...named, NO_PROXY })?.origin ?? null).toBe(proxy);
});

test('without a proxy in the environment there is none, and one of another kind is refused', () => {
  expect(proxyFor(new URL('https://museum.org'), { HTTP_PROXY: 'http://plain', HTTPS_PROXY: '' })).toBe(null);
  expect(() => proxyFor(new URL('https://museum.org'), { HTTPS_PROXY: 'socks5://one:1080' })).toThrow(
    /^HTTPS_PROXY names/,
  );
});
