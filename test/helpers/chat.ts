import { createParser } from 'eventsource-parser';
import { ask, type Person } from './callers.ts';
import type { Answer, TestNode } from './node.ts';

/** A part of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into parts that may be anything, and assert what they find.
export type Part = { type: string } & Record<string, any>;

/** What `POST /chat` answered. */
export interface Chatted {
  answer: Answer;
  chatId: string;
  parts: Part[];
  /** The text deltas together. */
  text: string;
  /** What stands in the event after the parts. */
  end: string | undefined;
}

/** Asks in a session or a new one. */
export async function chat(node: TestNode, who: Person, text: string, chatId?: string, id?: string): Promise<Chatted> {
  const message = { id: id ?? `m-${Math.random()}`, role: 'user', parts: [{ type: 'text', text }] };
  return chatted(await ask(node, who, 'POST /chat', { messages: [message] }, inSession(chatId)));
}

export function inSession(chatId: string | undefined): Record<string, string> {
  return chatId === undefined ? {} : { 'X-Chat-ID': chatId };
}

export function chatted(answer: Answer): Chatted {
  const events: string[] = [];
  createParser({ onEvent: ({ data }) => void events.push(data) }).feed(answer.text);
  const end = events.at(-1) === '[DONE]' ? events.pop() : undefined;
  const parts = events.map((data) => JSON.parse(data) as Part);
  const text = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('');
  return { answer, chatId: String(answer.headers['x-chat-id'] ?? ''), parts, text, end };
}

export interface Session {
  id: string;
  ownerId: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  messages: {
    id: string;
    role: string;
    content: string;
    createdAt: string;
    toolInvocations?: Part[];
    citations?: { id: string; type: string; label: string }[];
  }[];
}

export interface Sessions {
  chats: { id: string; title: string; lastMessagePreview: string; createdAt: string; updatedAt: string }[];
  total: number;
  hasMore: boolean;
}
