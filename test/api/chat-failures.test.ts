import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { chat, chatted, type Session, type Sessions } from '../helpers/chat.ts';
import { calls, finish, type Reply, says, startChatEndpoint, stream, textDelta } from '../helpers/chat-endpoint.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

const body = (content = 'Hello?') => ({ messages: [{ id: 'm1', role: 'user', content }] });

/** Writes until the other side has gone. */
async function endlessly(response: ServerResponse, text: string): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  while (!gone.signal.aborted)
    if (!response.write(text)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

const session = async (node: TestNode, who: Person, id: string) =>
  ok<Session>(await ask(node, who, `GET /chat/sessions/${id}`));

describe('without a language model', () => {
  test.each<[Record<string, string>, RegExp]>([
    [{}, /^No language model is set: set ARCHEION_CHAT_URL and ARCHEION_CHAT_MODEL and start/],
    [{ ARCHEION_CHAT_MODEL: 'small' }, /set ARCHEION_CHAT_URL and start the node again/],
    [{ ARCHEION_CHAT_URL: 'http://127.0.0.1:9/v1' }, /set ARCHEION_CHAT_MODEL and start the node again/],
  ])('%j: a 503 says what to set, and nothing is kept', async (env, reason) => {
    await using node = await startNode({ env });
    const who = await user(node, 'somebody');
    // Nothing is opened before somebody chats.
    expect(existsSync(join(node.data, 'chat.db'))).toBe(false);
    const answer = await ask(node, who, 'POST /chat', body());
    expect(answer).toMatchObject({
      status: 503,
      body: { error: 'Service unavailable', details: { service: 'chat', reason: expect.stringMatching(reason) } },
    });
    expect(ok<Sessions>(await ask(node, who, 'GET /chat/sessions'))).toEqual({ chats: [], total: 0, hasMore: false });
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ ARCHEION_CHAT_URL: 'ollama' }, /ARCHEION_CHAT_URL: must be an address that begins with http/],
    [{ ARCHEION_CHAT_URL: 'http://me:secret@host/v1' }, /must not hold a password: put the key into ARCHEION_CHAT_KEY/],
    [{ ARCHEION_CHAT_KEY: 'two words\n' }, /ARCHEION_CHAT_KEY: must be one word/],
    [{ ARCHEION_CHAT_TIMEOUT: '0' }, /ARCHEION_CHAT_TIMEOUT: must be a whole number from 1/],
  ])('wrong settings are refused at the start: %j', async (env, message) => {
    const error = await startNode({ env }).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    expect(error).toMatch(message);
    expect(error).not.toMatch(/secret|two words/);
  });
});

describe('a language model that does not answer', () => {
  const type =
    (name: string, status = 200): Reply =>
    (response) =>
      void response.writeHead(status, { 'Content-Type': name }).end('<html>Welcome</html>');
  const refuses =
    (status: number, words: unknown, headers = {}): Reply =>
    (response) =>
      void response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(typeof words === 'string' ? words : JSON.stringify(words));

  test.each<[string, Reply, number, RegExp]>([
    [
      '401',
      refuses(401, { error: { message: 'Bad key the-secret-key' } }),
      502,
      /answered 401: Bad key \[key\]\. It wants a key.*ARCHEION_CHAT_KEY/,
    ],
    [
      '404',
      refuses(404, { error: 'model "small" not found' }),
      502,
      /answered 404: model "small" not found\. Check ARCHEION_CHAT_URL/,
    ],
    ['500', refuses(500, 'x'.repeat(100_000)), 502, /answered 500: x{300}\.$/],
    ['500 as HTML', type('text/html', 500), 502, /^The language model answered 500\.$/],
    [
      '200 as HTML',
      type('text/html'),
      502,
      /answered text\/html instead of a stream of events\. Check ARCHEION_CHAT_URL/,
    ],
    ['200 as JSON', refuses(200, { choices: [] }), 502, /answered application\/json instead of a stream/],
    ['a redirect', refuses(302, '', { Location: 'http://127.0.0.1:9/' }), 502, /sends elsewhere \(302\)/],
    ['a closed connection', (response) => void response.destroy(), 502, /cannot be reached \(\w+\)\. Start it/],
  ])('%s: an error of its own, and the message is kept', async (_name, reply, status, message) => {
    await using endpoint = await startChatEndpoint(reply, says('Now it works.'));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const answer = await ask(node, who, 'POST /chat', body());
    expect(answer.status, answer.text).toBe(status);
    expect((answer.body as { error: string }).error).toMatch(message);
    const id = String(answer.headers['x-chat-id']);
    expect((await session(node, who, id)).messages.map(({ content }) => content)).toEqual(['Hello?']);
    // The same message again is not another one.
    const again = await chat(node, who, 'Hello?', id, 'm1');
    expect(again.text).toBe('Now it works.');
    expect((await session(node, who, id)).messages).toHaveLength(2);
    expect(`${answer.text}${node.logged.join('')}`).not.toContain('the-secret-key');
  });

  test('asked again where there is no other answer, the one that there was stays', async () => {
    const fails = refuses(200, 'data: {"error": {"message": "broken"}}\n\n', { 'Content-Type': 'text/event-stream' });
    await using endpoint = await startChatEndpoint(says('The first.'), refuses(500, {}), fails, says('The second.'));
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    const { chatId } = await chat(node, who, 'Hello?', undefined, 'm1');
    const contents = async () => (await session(node, who, chatId)).messages.map(({ content }) => content);
    for (const status of [502, 200]) {
      const { answer } = await chat(node, who, 'Hello?', chatId, 'm1');
      expect(answer.status, answer.text).toBe(status);
      expect(await contents()).toEqual(['Hello?', 'The first.']);
    }
    expect((await chat(node, who, 'Hello?', chatId, 'm1')).text).toBe('The second.');
    expect(await contents()).toEqual(['Hello?', 'The second.']);
  });

  test('429 is a 503', async () => {
    await using endpoint = await startChatEndpoint(refuses(429, { error: { message: 'Slow down' } }));
    await using node = await startNode({ env: endpoint.env });
    expect(await ask(node, operator(node), 'POST /chat', body())).toMatchObject({
      status: 503,
      body: { details: { service: 'chat', reason: expect.stringMatching(/\(429\): Slow down\. Ask again later\.$/) } },
    });
  });

  test('nothing listens there', async () => {
    const endpoint = await startChatEndpoint();
    await endpoint[Symbol.asyncDispose]();
    await using node = await startNode({ env: endpoint.env });
    const answer = await ask(node, operator(node), 'POST /chat', body());
    expect(answer).toMatchObject({ status: 502, body: { error: expect.stringContaining('(ECONNREFUSED)') } });
  });

  test('in the middle: the reason is a part, and what came is kept', async () => {
    const long = 'y'.repeat(3 * 2 ** 20);
    const [text, calls] = [textDelta('word '.repeat(1000)), Array.from({ length: 17 }, (_, i) => call(i, '{}'))];
    const faults: [Reply, RegExp][] = [
      [(r) => void r.end(), /stopped in the middle of its answer\.$/],
      [(r) => void setTimeout(() => r.destroy(), 20), /stopped in the middle of its answer \(.+\)\.$/],
      [(r) => void r.end('data: {"choices": [{"del\n\n'), /sent something that is no chat completion/],
      [(r) => stream(r, { choices: 'many' }), /sent something that is no chat completion/],
      [(r) => stream(r, { error: { message: 'Out of memory' } }), /error: Out of memory\.$/],
      [(r) => endlessly(r, `data: ${JSON.stringify(text)}\n\n`), /more than an answer can be/],
      [(r) => endlessly(r, ': nothing\n\n'.repeat(1000)), /more than an answer can be/],
      [(r) => endlessly(r, `data: ${long}`), /sent an event that is too long/],
      [(r) => stream(r, ...calls), /more than 16 tools/],
      [(r) => stream(r, call(0, long.slice(0, 20_000))), /arguments that are too long/],
      [(r) => stream(r, finish('length'), '[DONE]'), /broke its answer off, since it may write no more\./],
    ];
    await using endpoint = await startChatEndpoint();
    await using node = await startNode({ env: endpoint.env });
    const who = await user(node, 'somebody');
    for (const [reply, message] of faults) {
      endpoint.replies = [
        (response, asked) => {
          stream(response, textDelta('So far'));
          return reply(response, asked);
        },
      ];
      const { parts, chatId, end, answer } = await chat(node, who, 'Hello?');
      expect(answer.status).toBe(200);
      const types = parts.map((part) => part.type);
      expect(types.slice(-5), answer.text.slice(-500)).toEqual([
        'text-end',
        'finish-step',
        'error',
        'finish',
        'message_delta',
      ]);
      expect(parts.at(-3)?.errorText).toMatch(message);
      expect(end).toBe('[DONE]');
      expect((await session(node, who, chatId)).messages[1]?.content).toMatch(/^So far/);
    }
    endpoint.replies = [says('Still here.')];
    expect((await chat(node, who, 'And now?')).text).toBe('Still here.');
  }, 60_000);

  test('too slow: the answer is ended after its time, having begun before', async () => {
    await using endpoint = await startChatEndpoint(() => undefined);
    await using node = await startNode({ env: { ...endpoint.env, ARCHEION_CHAT_TIMEOUT: '4' } });
    const { answer, parts, end } = await chat(node, operator(node), 'Hello?');
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^: waiting\n\n/);
    expect(parts.map(({ type }) => type)).toEqual(['error', 'finish', 'message_delta']);
    expect(parts[0]?.errorText).toMatch(/has not ended its answer within 4 seconds \(ARCHEION_CHAT_TIMEOUT\)/);
    expect(end).toBe('[DONE]');
    await until(() => endpoint.left === 1);
  });

  const call = (index: number, args: string) => ({
    choices: [
      { delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'get_entity', arguments: args } }] } },
    ],
  });
});

describe('tools under way', () => {
  let node: TestNode;
  let endpoint: Awaited<ReturnType<typeof startChatEndpoint>>;
  beforeAll(async () => {
    endpoint = await startChatEndpoint();
    node = await startNode({ env: endpoint.env });
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await endpoint[Symbol.asyncDispose]();
  });

  test('the model fails after they ran: what they found is kept', async () => {
    const who = await user(node, 'somebody');
    const { id } = await collection(node, who, { label: 'Mine' });
    endpoint.replies = [calls({ name: 'my_collections', args: {} }), (response) => void response.writeHead(500).end()];
    const { parts, chatId } = await chat(node, who, 'What is mine?');
    expect(parts.map(({ type }) => type).slice(-5)).toEqual([
      'tool-output-available',
      'finish-step',
      'error',
      'finish',
      'message_delta',
    ]);
    const [, answer] = (await session(node, who, chatId)).messages;
    expect(answer?.toolInvocations).toMatchObject([
      { result: { collections: [{ id, label: 'Mine', role: 'owner' }] } },
    ]);
  });

  test('the session is deleted meanwhile: the answer ends, and nothing is left', async () => {
    const who = await user(node, 'another');
    endpoint.asked = [];
    endpoint.replies = [
      async (response) => {
        const { chats } = ok<Sessions>(await ask(node, who, 'GET /chat/sessions'));
        ok(await ask(node, who, `DELETE /chat/sessions/${chats[0]?.id}`));
        await says('Too late.')(response, endpoint.asked[0] as never);
      },
    ];
    const { text, end } = chatted(await ask(node, who, 'POST /chat', body()));
    expect([text, end]).toEqual(['Too late.', '[DONE]']);
    expect(ok<Sessions>(await ask(node, who, 'GET /chat/sessions')).total).toBe(0);
  });
});
