import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatStore, chatFile } from '../../src/server/store/chats/chats.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { inSession, type Session } from '../helpers/chat.ts';
import { type ChatEndpoint, startChatEndpoint, stream, textDelta } from '../helpers/chat-endpoint.ts';
import { ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

// Several questions of one session are answered at once, some again, in any order: each keeps its last answer, behind it,
// also where the node is killed meanwhile.

let endpoint: ChatEndpoint;
let node: TestNode;
let ada: Person;
/** What the language model has begun to write, each by the number of its answer; told how to end it. */
const writing = new Map<number, (end: 'whole' | 'broken') => void>();
let asked: ChatEndpoint['asked'][number]['body']['messages'] = [];
let number = 0;

beforeAll(async () => {
  endpoint = await startChatEndpoint(async (response, { body }) => {
    const own = number;
    asked = body.messages;
    const { promise, resolve } = Promise.withResolvers<'whole' | 'broken'>();
    response.once('close', () => resolve('broken'));
    stream(response, textDelta(`answer ${own}`));
    writing.set(own, resolve);
    if ((await promise) === 'broken') return void response.destroy();
    stream(response, textDelta(' whole'), '[DONE]');
    response.end();
  });
  node = await startNode({ env: endpoint.env });
  ada = await user(node, 'ada');
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

interface Question {
  id: string;
  /** By the numbers of its answers, which are in the order in which they were begun. */
  answers: Map<number, string>;
}
interface Answer {
  question: Question;
  leave: AbortController;
  rest: Promise<unknown>;
}

const said = (questions: Question[]) =>
  questions.flatMap(({ id, answers }) => {
    const [last] = [...answers.keys()].sort((a, b) => b - a);
    const answer = last === undefined ? [] : [{ role: 'assistant', content: answers.get(last) }];
    return [{ role: 'user', content: `question ${id}` }, ...answer];
  });
/** As a language model takes it, without the first message, which is the node's. */
const merged = (messages: { role: string; content?: string | undefined }[]) =>
  messages
    .reduce<{ role: string; content: string }[]>((all, { role, content = '' }) => {
      const before = all.at(-1);
      if (before?.role === role) before.content += `\n\n${content}`;
      else all.push({ role, content });
      return all;
    }, [])
    .filter(({ role }) => role !== 'system');

const step = fc.oneof(
  fc.constant({ kind: 'ask' as const }),
  fc.constant({ kind: 'again' as const }),
  fc.record({ kind: fc.constantFrom('whole' as const, 'broken' as const, 'left' as const), which: fc.nat() }),
);

test('whatever is asked and ends in whatever order, every question keeps its last answer', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
    const questions: Question[] = [];
    const open = new Map<number, Answer>();
    let chatId: string | undefined;
    const begin = async (question: Question) => {
      const own = ++number;
      const leave = new AbortController();
      const message = { id: question.id, role: 'user', content: `question ${question.id}` };
      const headers = { ...ada.headers, ...inSession(chatId), 'Content-Type': 'application/json' };
      const body = JSON.stringify({ messages: [message] });
      const sent = { method: 'POST', headers, body, signal: leave.signal };
      const response = await fetch(`${node.url}/chat`, sent);
      chatId ??= response.headers.get('x-chat-id') ?? '';
      const chunks = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; !text.includes('text-delta'); ) text += (await chunks.read()).value ?? '';
      const read = async () => {
        while (!(await chunks.read()).done);
      };
      open.set(own, { question, leave, rest: read().catch(() => undefined) });
    };
    const end = async (own: number, how: 'whole' | 'broken' | 'left') => {
      const { question, leave, rest } = open.get(own) as Answer;
      if (how === 'left') leave.abort();
      else writing.get(own)?.(how);
      await rest;
      question.answers.set(own, how === 'whole' ? `answer ${own} whole` : `answer ${own}`);
      open.delete(own);
      // Whoever has left hears nothing of when it is kept.
      await expect.poll(stored).toEqual(said(questions));
    };
    const stored = async () =>
      ok<Session>(await ask(node, ada, `GET /chat/sessions/${chatId}`)).messages.map(({ role, content }) => ({
        role,
        content,
      }));
    /** What another node finds of it where this one is killed now. */
    const leftBehind = async () => {
      await using folder = await temporaryFolder();
      for (const name of [chatFile, `${chatFile}-wal`])
        await copyFile(join(node.data, name), join(folder.path, name)).catch(() => undefined);
      const chats = new ChatStore(join(folder.path, chatFile));
      const { key = 0 } = chats.find(chatId ?? '', 'main') ?? {};
      const found: object[] = [];
      for (let at = chats.next(key); at !== undefined; at = chats.next(key, at))
        found.push({ role: at.role, content: at.content });
      chats.close();
      return found;
    };
    for (const one of steps) {
      const last = questions.at(-1);
      if ('which' in one) {
        const own = [...open.keys()][one.which % Math.max(1, open.size)];
        if (own !== undefined) await end(own, one.kind);
      } else if (open.size < 8) {
        const question = (one.kind === 'again' && last) || { id: `q${number}`, answers: new Map<number, string>() };
        if (question !== last) questions.push(question);
        const before = said(questions.slice(0, -1));
        await begin(question);
        expect(merged(asked)).toEqual(merged([...before, { role: 'user', content: `question ${question.id}` }]));
      }
    }
    const meanwhile = questions.map(({ id, answers }) => ({ id, answers: new Map(answers) }));
    for (const [own, { question }] of open) meanwhile[questions.indexOf(question)]?.answers.set(own, `answer ${own}`);
    expect(await leftBehind()).toEqual(said(meanwhile));
    for (const own of [...open.keys()]) await end(own, 'whole');
  });
  await fc.assert(property, { numRuns: 40, seed: 7, endOnFailure: true });
}, 60_000);
