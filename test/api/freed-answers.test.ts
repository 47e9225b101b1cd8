import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoredJson, sendJson } from '../../src/server/http/stored-json.ts';

/** What is answered at each path. */
const answers = new Map<string, Uint8Array>();
const finished = new Set<string>();
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    response.once('finish', () => finished.add(path));
    sendJson(response, 200, StoredJson.as(answers.get(path) ?? new Uint8Array()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** JSON of about so many bytes, another one for each name. */
function longText(name: string, length: number): string {
  return JSON.stringify(Array.from({ length: length / 16 }, (_, n) => `${name} ${n}`.padEnd(13)));
}

function answered(path: string, bytes: Uint8Array): Uint8Array {
  answers.set(path, bytes);
  return bytes;
}

test('the memory of a long answer is given back once it is sent, and the next request has its own', async () => {
  for (const path of ['/one', '/two']) {
    const text = longText(path, 1_000_000);
    const bytes = answered(path, new TextEncoder().encode(text));
    expect(await (await fetch(`${url}${path}`)).text()).toBe(text);
    await expect.poll(() => bytes.byteLength).toBe(0);
  }
});

test('of bytes that share their memory with others nothing is given back, nor of a HEAD more than its own', async () => {
  const text = longText('shared', 100_000);
  const whole = new TextEncoder().encode(`${text} and more`);
  const bytes = answered('/shared', whole.subarray(0, Buffer.byteLength(text)));
  expect(await (await fetch(`${url}/shared`)).text()).toBe(text);
  await expect.poll(() => finished.has('/shared')).toBe(true);
  expect(new TextDecoder().decode(bytes)).toBe(text);

  answered('/head', new TextEncoder().encode(text));
  const head = await fetch(`${url}/head`, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(`${Buffer.byteLength(text)}`);
});

test('clients that read slowly get all of it, and those that leave in the middle change nothing for others', async () => {
  const length = 8_000_000;
  const read = async (path: string, leaves: boolean): Promise<string> => {
    const [response] = (await once(get(`${url}${path}`, { agent: false }), 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) {
      parts.push(part as Buffer);
      if (parts.length % 20 === 1) await sleep(5);
      if (leaves && parts.length > 5) break;
    }
    return Buffer.concat(parts).toString();
  };
  const paths = Array.from({ length: 8 }, (_, n) => `/slow/${n}`);
  const texts = paths.map((path) => longText(path, length));
  for (const [n, path] of paths.entries()) answered(path, new TextEncoder().encode(texts[n]));
  const got = await Promise.all(paths.map((path, n) => read(path, n % 4 === 3)));
  for (const [n, text] of got.entries()) {
    if (n % 4 === 3) expect((texts[n] as string).startsWith(text)).toBe(true);
    else expect(text === texts[n]).toBe(true);
  }
});
