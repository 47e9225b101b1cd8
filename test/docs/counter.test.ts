import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { send, startNode } from '../helpers/node.ts';
import { page } from './pages.ts';

it('the service of docs/processors.md outlives a request that is broken off', async () => {
  await using node = await startNode();
  const port = await freePort();
  const [, script = ''] = /<<'END'\n(.*?createServer.*?)\nEND\n/s.exec(page('docs/processors.md').text) ?? [];
  const env = { ...process.env, NODE: node.url, COUNTER: 'the-counter', TOKEN: 'a-token', WORKER_KEY: 'a-key' };
  const args = ['--input-type=module', '-e', script.replace('9001', String(port))];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const url = `http://127.0.0.1:${port}`;
    const proof = () => send(url, '/.well-known/arke-verification').then(({ status }) => status, String);
    await expect.poll(proof, { timeout: 10_000, interval: 20 }).toBe(200);
    const socket = connect(port, '127.0.0.1');
    socket.end('POST /process HTTP/1.1\r\nHost: counter\r\nContent-Length: 10\r\n\r\n{"jo').resume();
    await once(socket, 'close');
    expect(await proof()).toBe(200);
  } finally {
    child.kill('SIGKILL');
  }
});
