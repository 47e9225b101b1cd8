import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { failureWords } from '../../src/server/sync/failure-words.ts';
import { RemoteClient } from '../../src/server/sync/remote.ts';

test('of what speaks no https it is said so', async () => {
  await using server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wait = () => Promise.resolve();
  await using client = await RemoteClient.open({
    ...{ url, secret: null, network: 'main', service: 'arke', random: () => 0.5, wait },
  });
  await expect(client.read('/health')).rejects.toThrow(
    /^127\.0\.0\.1:\d+ cannot be read: it does not speak https there/,
  );
});

test('a line on which nothing comes is given up after the second time, one that never answered after the first, and one that is cut is tried six times', async () => {
  let asked = 0;
  await using server = createServer(({ url }, response) => {
    asked++;
    if (url === '/cut') response.destroy();
    if (url === '/health') response.end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wait = () => Promise.resolve();
  const options = { url, secret: null, network: 'main', service: 'arke', random: () => 0.5, wait } as const;
  await using client = await RemoteClient.open({ ...options, answerTimeout: 50 });
  await using another = await RemoteClient.open({ ...options, answerTimeout: 50 });
  await client.read('/health');
  await Promise.all(
    [client, another].map((one) =>
      expect(one.read('/silent')).rejects.toThrow(/cannot be read: it takes requests and gives no answer/),
    ),
  );
  expect(asked).toBe(4);
  await expect(client.read('/cut')).rejects.toThrow(/cannot be read/);
  expect(asked).toBe(10);
  server.closeAllConnections();
});

test('of a certificate that nobody trusts, how it comes to be trusted here', () => {
  const words =
    'self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca';
  const error = Object.assign(new Error(words), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(failureWords(error)).toMatch(
    /wants one to sign in answers in its place.*start the node with NODE_EXTRA_CA_CERTS/,
  );
  expect(failureWords(new Error('other side closed'))).toBe('other side closed');
});
