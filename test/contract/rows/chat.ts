import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { chatted, inSession } from '../../helpers/chat.ts';
import { invalid, lacking, nowhere } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';

const body = (text = 'What is here?') => ({ messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }] });
const unknown = lacking('There is no such chat session');
const another = { error: 'Forbidden: This chat session is of another user' };

/** The id of a session of the owner. */
async function begun({ node, owner }: Scene): Promise<string> {
  return chatted(await ask(node, owner, 'POST /chat', body())).chatId;
}

function notOnes(path: (id: string) => string): Case[] {
  return [
    { name: 'an unknown session', status: 404, call: () => ({ path: path(nowhere) }), body: unknown },
    {
      name: 'a session of somebody else',
      status: 403,
      call: async (s) => ({ path: path(await begun(s)), as: s.stranger }),
      body: another,
    },
  ];
}

const one = (id: string) => `/chat/sessions/${id}`;

export const chatRows: Row[] = [
  {
    route: 'POST /chat',
    auth: 'required',
    action: 'chat:send',
    wire: '200 401 403 413 507',
    cases: [
      {
        name: 'answers as a stream of events',
        status: 200,
        call: () => ({ path: '/chat', body: body() }),
        also: (answer) => {
          expect(answer.headers['x-vercel-ai-ui-message-stream']).toBe('v1');
          const { parts, end, text } = chatted(answer);
          expect([parts[0]?.type, parts.at(-1)?.type, end, text]).toEqual([
            'start',
            'message_delta',
            '[DONE]',
            'Hello.',
          ]);
        },
      },
      {
        name: 'goes on with a session',
        status: 200,
        call: async (s) => {
          const id = await begun(s);
          return { path: '/chat', body: body('And now?'), headers: inSession(id), known: id };
        },
        also: (answer, { known }) => expect(answer.headers['x-chat-id']).toBe(known),
      },
      {
        name: 'no message',
        status: 400,
        call: () => ({ path: '/chat', body: { messages: [] } }),
        body: invalid(['messages'], 'must have at least 1 item'),
      },
      {
        name: 'a message without a role',
        status: 400,
        call: () => ({ path: '/chat', body: { messages: [{ id: 'a', content: 'x' }] } }),
        body: invalid(['messages', 0, 'role'], 'is required'),
      },
      {
        name: 'a last message that is not the user’s',
        status: 400,
        call: () => ({ path: '/chat', body: { messages: [{ id: 'a', role: 'assistant', content: 'x' }] } }),
        body: invalid(['messages', 0, 'role'], 'the last message must be of a user'),
      },
      {
        name: 'a message without text',
        status: 400,
        call: () => ({ path: '/chat', body: { messages: [{ id: 'a', role: 'user', parts: [{ type: 'file' }] }] } }),
        body: invalid(['messages', 0], 'must have text, in `parts` or `content`'),
      },
      {
        name: 'an unknown session',
        status: 404,
        call: () => ({ path: '/chat', body: body(), headers: inSession('unknown') }),
        body: unknown,
      },
      {
        name: 'a session of somebody else',
        status: 403,
        call: async (s) => ({ path: '/chat', body: body(), headers: inSession(await begun(s)), as: s.stranger }),
        body: another,
      },
      {
        name: 'a message of more than 2 MB',
        status: 413,
        call: () => ({ path: '/chat', body: body('x'.repeat(2 * 2 ** 20)) }),
        body: {
          error: 'A message has at most 2 MB: send a shorter one.',
          code: 'MESSAGE_TOO_LARGE',
          details: {
            code: 'MESSAGE_TOO_LARGE',
            message: 'A message has at most 2 MB: send a shorter one.',
            limit: '2MB',
            actual: 'over 2MB',
          },
        },
      },
    ],
  },
  {
    route: 'GET /chat/sessions',
    auth: 'required',
    action: 'chat:view',
    wire: '200 401',
    cases: [
      {
        name: 'lists one’s own, the newest first',
        status: 200,
        call: async (s) => ({ path: '/chat/sessions?limit=2', known: [await begun(s), await begun(s)] }),
        also: ({ body: answered }, { known }, s) => {
          const at = new Date(s.clock.ms).toISOString();
          const line = { title: 'What is here?', createdAt: at, updatedAt: at, lastMessagePreview: 'Hello.' };
          const chats = (known as string[]).toReversed().map((id) => ({ id, ...line }));
          expect(answered).toMatchObject({ chats, hasMore: true });
        },
      },
      {
        name: 'a limit of 101',
        status: 400,
        call: () => ({ path: '/chat/sessions?limit=101' }),
        body: invalid(['limit'], 'must be at most 100'),
      },
      {
        name: 'an offset below 0',
        status: 400,
        call: () => ({ path: '/chat/sessions?offset=-1' }),
        body: invalid(['offset'], 'must be at least 0'),
      },
    ],
  },
  {
    route: 'GET /chat/sessions/{id}',
    auth: 'required',
    action: 'chat:view',
    wire: '200 401 403 404',
    cases: [
      {
        name: 'reads a session with its messages',
        status: 200,
        call: async (s) => ({ path: one(await begun(s)) }),
        also: ({ body: answered }, { path }, s) => {
          const at = new Date(s.clock.ms).toISOString();
          expect(answered).toEqual({
            id: path.split('/').at(-1),
            createdAt: at,
            updatedAt: at,
            ownerId: s.owner.id,
            title: 'What is here?',
            messages: [
              { id: 'm1', role: 'user', content: 'What is here?', createdAt: at },
              { id: expect.any(String), role: 'assistant', content: 'Hello.', createdAt: at },
            ],
          });
        },
      },
      ...notOnes(one),
    ],
  },
  {
    route: 'DELETE /chat/sessions/{id}',
    auth: 'required',
    action: 'chat:delete',
    wire: '200 401 403 404',
    cases: [
      {
        name: 'deletes a session',
        status: 200,
        call: async (s) => ({ path: one(await begun(s)) }),
        body: { success: true },
        also: async (_answer, { path }, s) =>
          expect(await ask(s.node, s.owner, `GET ${path}`)).toMatchObject({ status: 404, body: unknown }),
      },
      ...notOnes(one),
    ],
  },
];
