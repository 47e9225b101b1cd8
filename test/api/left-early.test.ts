import { once } from 'node:events';
import { request as begin } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ValidationError } from '../../src/server/errors.ts';
import { answerBytes } from '../../src/server/http/byte-answer.ts';
import { answerFile } from '../../src/server/http/file-answer.ts';
import { bodyOf, closingOf, type StreamRequest } from '../../src/server/http/streams.ts';
import { loopShare } from '../../src/server/loop/loop-share.ts';
import { operator } from '../helpers/callers.ts';
import { startNode } from '../helpers/node.ts';

// Clients that have left before what they asked for begins to be answered.

async function* failing(): AsyncGenerator<Uint8Array> {
  yield* [];
  throw new Error('as the test wants it');
}

const answers: Record<string, (request: StreamRequest) => Promise<unknown> | unknown> = {
  file: (request) => answerFile(request, { folder: import.meta.dirname, path: 'left-early.test.ts', headers: {} }),
  bytes: (request) => answerBytes(request, failing(), {}),
  'what ends with them': (request) => expect(closingOf(request)).toMatchObject({ aborted: true }),
};

test.each(Object.keys(answers))('an answer of %s comes to its end', async (name) => {
  const ended = Promise.withResolvers<unknown>();
  await using node = await startNode({
    extend: (app) =>
      app.get('/agents/late', async (request, response) => {
        const closed = once(response, 'close');
        left.destroy();
        await closed;
        const answered = async () => answers[name]?.(request as unknown as StreamRequest);
        answered().then(() => ended.resolve('ended'), ended.resolve);
      }),
  });
  const left = begin(`${node.url}/agents/late`, { headers: operator(node).headers }).on('error', () => undefined);
  left.end();
  expect(await Promise.race([ended.promise, sleep(60_000, 'still there', { ref: false })])).toBe('ended');
});

test('a body that had come whole when its client left, and is read after that, is no fault of the node', async () => {
  const read = Promise.withResolvers<unknown>();
  await using node = await startNode({
    extend: (app) =>
      app.post('/agents/late', async (request, response) => {
        while (!request.complete) await sleep(1);
        const closed = once(response, 'close');
        left.destroy();
        await closed;
        const body = bodyOf(request as unknown as StreamRequest);
        body.next().then(read.resolve, read.resolve);
      }),
  });
  const headers = { ...operator(node).headers, 'Content-Type': 'application/octet-stream' };
  const left = begin(`${node.url}/agents/late`, { method: 'POST', headers }).on('error', () => undefined);
  left.end('all of it');
  expect(await read.promise).toBeInstanceOf(ValidationError);
});

test('what waits for its turn is not begun', async () => {
  const begun: boolean[] = [];
  await using node = await startNode({
    extend: (app) =>
      app.get('/agents/late', (_request, response) => {
        begun.push(response.destroyed);
        response.end();
      }),
  });
  const ask = () => {
    const asked = begin(`${node.url}/agents/late`, { headers: operator(node).headers }).on('error', () => undefined);
    asked.end();
    return asked;
  };
  // Each takes a turn of the loop of its own.
  for (let n = 0; n < 100; n++)
    loopShare.run(() => {
      for (const end = performance.now() + 5; performance.now() < end; );
    });
  const [left, stays] = [ask(), ask()];
  await sleep(150);
  expect(begun).toEqual([]);
  left.destroy();
  await once(stays, 'response');
  expect(begun).toEqual([false]);
});
