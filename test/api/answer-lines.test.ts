import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { jsonLines } from '../../src/renderer/src/api/lines.ts';
import { UnauthorizedError, ValidationError } from '../../src/server/errors.ts';
import { answerLines, bodyOf, type StreamRequest } from '../../src/server/http/streams.ts';
import { startNode } from '../helpers/node.ts';

interface Line {
  progress?: number;
  done?: string;
  error?: string;
}

/** A node that answers at `/lines` with what `lines` makes of a request. */
function answering(lines: (request: StreamRequest) => AsyncGenerator<Line>, everyMs: number) {
  return startNode({
    extend: (app) => {
      app.post('/lines', (req, _response, next) => {
        const asked = req as unknown as StreamRequest;
        answerLines(asked, lines(asked), { everyMs }).catch(next);
      });
    },
  });
}

async function linesOf(response: Response): Promise<Line[]> {
  const all: Line[] = [];
  for await (const line of jsonLines<Line>(response.body as ReadableStream<Uint8Array>)) all.push(line);
  return all;
}

const sent = { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: 'an archive' };

test('an answer begins while nothing comes, goes on by signs of life, and ends in its lines', async () => {
  const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using node = await answering(async function* (asked) {
    for await (const _ of bodyOf(asked));
    await first.promise;
    yield { progress: 1 };
    await last.promise;
    yield { done: 'all' };
  }, 1);
  const response = await fetch(`${node.url}/lines`, sent);
  expect(response.status).toBe(200);
  expect(response.headers.get('X-Accel-Buffering')).toBe('no');
  const [read, kept] = (response.body as ReadableStream<Uint8Array>).tee();
  const reader = read.getReader();
  const next = async () => Buffer.from((await reader.read()).value ?? []).toString();
  expect(await next()).toMatch(/^ +$/);
  first.resolve();
  let text = '';
  while (!/\n +$/.test(text)) text += await next();
  last.resolve();
  expect(await linesOf(new Response(kept))).toEqual([{ progress: 1 }, { done: 'all' }]);
});

test('a refusal keeps its status as long as nothing has been said, and is the last line afterwards', async () => {
  const verified = Promise.withResolvers<void>();
  // biome-ignore lint/correctness/useYield: it is refused before its first line
  const refuse = async function* (asked: StreamRequest): AsyncGenerator<Line> {
    for await (const _ of bodyOf(asked));
    await verified.promise;
    throw ValidationError.at(['file'], 'is damaged');
  };
  await using late = await answering(refuse, 1);
  const response = await fetch(`${late.url}/lines`, sent);
  expect(response.status).toBe(200);
  verified.resolve();
  expect(await linesOf(response)).toMatchObject([{ error: expect.stringContaining('alidation'), status: 400 }]);
  await using soon = await answering(refuse, 60_000);
  expect((await fetch(`${soon.url}/lines`, sent)).status).toBe(400);
});

test.each([
  [new UnauthorizedError(), { kind: 'signed-out', status: 401 }, 1],
  [ValidationError.at(['file'], 'is damaged'), { kind: 'invalid', status: 400 }, 0],
  [new Error('a mistake of its own'), { kind: 'broken', status: 500 }, 0],
])('to the page %s as the last line is what it is as an answer', async (thrown, said, signedOut) => {
  await using node = await answering(async function* (asked): AsyncGenerator<Line> {
    for await (const _ of bodyOf(asked));
    yield { progress: 1 };
    throw thrown;
  }, 60_000);
  vi.stubGlobal('location', { origin: node.url, search: '' });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { endOf } = await import('../../src/renderer/src/api/answer-lines.ts');
  const { onSignedOut } = await import('../../src/renderer/src/api/client.ts');
  let told = 0;
  onTestFinished(onSignedOut(() => told++));
  const response = await fetch(`${node.url}/lines`, sent);
  const end = endOf(Promise.resolve({ data: response.body, response }));
  await expect(end).rejects.toMatchObject(said);
  expect(told).toBe(signedOut);
});

test('no answer begins while its request still comes', async () => {
  const come = Promise.withResolvers<boolean>();
  await using node = await answering(async function* (asked) {
    let isFirst = true;
    for await (const _ of bodyOf(asked)) {
      if (!isFirst) continue;
      isFirst = false;
      await pause(20);
      come.resolve(asked.res.headersSent);
    }
    yield { done: 'all' };
  }, 1);
  const sending = request(`${node.url}/lines`, sent);
  const answered = new Promise<number | undefined>((resolve) =>
    sending.once('response', (response) => resolve(response.resume().statusCode)),
  );
  sending.write('half');
  expect(await come.promise).toBe(false);
  sending.end('the rest');
  expect(await answered).toBe(200);
});

test('what stands at the end of an answer that was cut off is no line', async () => {
  const cut = new Response('{"progress":1}\n   ');
  expect(await linesOf(cut)).toEqual([{ progress: 1 }]);
});
