import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// Bytes that two programs in a row could cut into requests differently: the node refuses them and closes the connection,
// and what would be the second request by the other reading is never looked at.

let node: TestNode;
/** What reached the app. */
const seen: string[] = [];
beforeAll(async () => {
  node = await startNode({
    extend: (app) => {
      app.use((request, response, next) => {
        seen.push(`${request.method} ${request.url}`);
        if (request.url === '/endless') response.writeHead(200).write('one');
        else next();
      });
    },
  });
});
afterAll(() => node[Symbol.asyncDispose]());

const own = () => `Host: ${new URL(node.url).host}`;
/** The request that an attacker would have taken for somebody else's. */
const hidden = () => `GET /hidden HTTP/1.1\r\n${own()}\r\n\r\n`;

/** The statuses of all answers to these bytes, until the node closes the connection. `then`: what is done after each part. */
function answersTo(
  bytes: string | Buffer,
  then: (text: string, socket: Socket) => unknown = () => undefined,
): Promise<{ statuses: number[]; text: string; closed: boolean }> {
  const { port } = new URL(node.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    const done = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code)), text, closed });
    };
    const timer = setTimeout(() => done(false), 20_000);
    socket.on('data', (chunk) => {
      text += chunk;
      then(text, socket);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => done(true));
    socket.write(bytes);
  });
}

const post = (headers: string, body: string) => `POST /auth/register HTTP/1.1\r\n${own()}\r\n${headers}\r\n\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked';

const refused: Record<string, () => string | Buffer> = {
  'a length and chunks': () => post(`Content-Length: 5\r\n${chunked}`, `0\r\n\r\n${hidden()}`),
  'chunks and a length': () => post(`${chunked}\r\nContent-Length: 5`, `0\r\n\r\n${hidden()}`),
  'two lengths': () => post('Content-Length: 0\r\nContent-Length: 40', hidden()),
  'two equal lengths': () => post('Content-Length: 2\r\nContent-Length: 2', `{}${hidden()}`),
  'a list of lengths': () => post('Content-Length: 2, 2', `{}${hidden()}`),
  'a length with a sign': () => post('Content-Length: +2', `{}${hidden()}`),
  'a negative length': () => post('Content-Length: -1', hidden()),
  'a length in hex': () => post('Content-Length: 0x2', `{}${hidden()}`),
  'a length with a fraction': () => post('Content-Length: 2.0', `{}${hidden()}`),
  'a length beyond 64 bits': () => post('Content-Length: 18446744073709551618', `{}${hidden()}`),
  'an empty length': () => post('Content-Length: ', hidden()),
  'an encoding that is not the last': () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${hidden()}`),
  'an unknown encoding': () => post('Transfer-Encoding: xchunked', `0\r\n\r\n${hidden()}`),
  'an encoding in quotes': () => post('Transfer-Encoding: "chunked"', `0\r\n\r\n${hidden()}`),
  'chunks twice, one unknown': () => post(`${chunked}\r\nTransfer-Encoding: x`, `0\r\n\r\n${hidden()}`),
  'a space before the colon': () => post('Transfer-Encoding : chunked', `0\r\n\r\n${hidden()}`),
  'a space before the name': () => post(` ${chunked}`, `0\r\n\r\n${hidden()}`),
  'a header that goes on in the next line': () => post('X-A: b\r\n Content-Length: 40', hidden()),
  'an encoding in the next line': () => post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden()}`),
  'a vertical tab': () => post('Transfer-Encoding: \vchunked', `0\r\n\r\n${hidden()}`),
  'a NUL in a header': () => post('X-A: a\0b', hidden()),
  'a carriage return in a header': () => post(`X-A: a\r${chunked}`, `0\r\n\r\n${hidden()}`),
  'lines that end in LF alone': () => `POST /auth/register HTTP/1.1\n${own()}\nContent-Length: 0\n\n${hidden()}`,
  'one line that ends in LF alone': () => post(`X-A: b\n${chunked}`, `0\r\n\r\n${hidden()}`),
  'a header without a colon': () => post('Content-Length', hidden()),
  'a chunk size with a sign': () => post(chunked, `+2\r\n{}\r\n0\r\n\r\n${hidden()}`),
  'a chunk size in 0x': () => post(chunked, `0x2\r\n{}\r\n0\r\n\r\n${hidden()}`),
  'a chunk size beyond 64 bits': () => post(chunked, `10000000000000002\r\n{}\r\n0\r\n\r\n${hidden()}`),
  'a chunk longer than it says': () => post(chunked, `2\r\n{}xx0\r\n\r\n${hidden()}`),
  'chunks with LF alone': () => post(chunked, `2\n{}\n0\n\n${hidden()}`),
  'a chunk extension with LF alone': () => post(chunked, `2;\n{}\r\n0\r\n\r\n${hidden()}`),
  'HTTP/1.0 with chunks': () => `POST /auth/register HTTP/1.0\r\n${own()}\r\n${chunked}\r\n\r\n0\r\n\r\n${hidden()}`,
  'a version that is none': () => `GET /health HTTP/1.9\r\n${own()}\r\n\r\n${hidden()}`,
  'bytes of TLS': () => Buffer.from('16030100a5010000a10303', 'hex'),
};

test.each(Object.keys(refused))('%s', async (name) => {
  const { statuses, closed, text } = await answersTo(refused[name]?.() ?? '');
  expect(statuses, text).toEqual([400]);
  expect(closed, 'the connection is closed').toBe(true);
  expect(seen.filter((one) => one.endsWith('/hidden'))).toEqual([]);
});

test('two plain requests in one piece are two requests', async () => {
  const { statuses } = await answersTo(
    `POST /auth/register HTTP/1.1\r\n${own()}\r\n${chunked}\r\n\r\n2\r\n{}\r\n0\r\n\r\n` +
      `GET /health HTTP/1.1\r\n${own()}\r\nConnection: close\r\n\r\n`,
  );
  expect(statuses).toEqual([401, 200]);
});

test.each(['evil.example', '127.0.0.1'])('two Host headers, the second %s', async (second) => {
  const answer = await answersTo(`GET /health HTTP/1.1\r\n${own()}\r\nHost: ${second}\r\nConnection: close\r\n\r\n`);
  expect(answer.statuses).toEqual([400]);
});

test('what names no version names no host either', async () => {
  const { statuses, closed } = await answersTo(`GET /health\r\n\r\n${hidden()}`);
  expect([statuses, closed]).toEqual([[403, 400], true]);
  expect(seen.filter((one) => one.endsWith('/hidden'))).toEqual([]);
});

test('a whole address in the first line is not taken for the name of the node', async () => {
  const { statuses } = await answersTo(
    `GET http://evil.example/health HTTP/1.1\r\n${own()}\r\nConnection: close\r\n\r\n`,
  );
  expect(statuses).toEqual([400]);
});

test('headers without end are refused, and so are too many', async () => {
  const long = await answersTo(`GET /health HTTP/1.1\r\n${own()}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`);
  expect(long.statuses).toEqual([431]);
  const many = Array.from({ length: 5000 }, (_, i) => `${i}:`).join('\r\n');
  expect((await answersTo(`GET /health HTTP/1.1\r\n${own()}\r\n${many}\r\n\r\n`)).statuses).toEqual([431]);
});

test('a tunnel is not opened', async () => {
  const { statuses, closed } = await answersTo(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${own()}\r\n\r\n`);
  expect([statuses.filter((status) => status < 400), closed]).toEqual([[], true]);
});

test('an upgrade is not taken', async () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const answered = (got: string, socket: Socket) => got.includes('\r\n\r\n') && socket.end();
  const { text } = await answersTo(`GET /health HTTP/1.1\r\n${own()}\r\n${upgrade}\r\n\r\n`, answered);
  expect(text).toMatch(/^HTTP\/1\.1 (?:200|400) /);
});

test('bytes that are no request are not answered within an answer', async () => {
  const { text, closed } = await answersTo(
    `GET /endless HTTP/1.1\r\n${own()}\r\n\r\n`,
    (got, socket) => got.endsWith('one\r\n') && socket.write('\0\r\n\r\n'),
  );
  expect([text.match(/HTTP\/1\.1/g)?.length, closed]).toEqual([1, true]);
});

test('the node goes on', async () => {
  expect(await ask(node, operator(node), 'GET /node/status')).toMatchObject({ status: 200 });
});
