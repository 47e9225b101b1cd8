import { LimitError, ValidationError } from '../../errors.ts';
import { jsonLength } from '../../model/json-length.ts';
import type { ChatBody, ChatMessageBody, ChatRole } from './wire.ts';

/** A message's text with who said it. */
export interface Said {
  id: string;
  role: ChatRole;
  text: string;
}

/** wire-contract.md, N44. */
const maxMessageBytes = 2 * 2 ** 20;
/** What a new session takes over of what the client says was said before. */
const maxHistory = { messages: 100, characters: 2 ** 20 };

/**
 * What is asked, and what the client says was said before it; messages without text are left out.
 * @throws LimitError for a message of more than 2 MB, ValidationError where nothing is asked
 */
export function readMessages(messages: ChatMessageBody[]): { asked: Said; before: Said[] } {
  for (const message of messages) {
    const bytes = jsonLength(message, 0, maxMessageBytes);
    if (bytes > maxMessageBytes)
      throw new LimitError('TOO_LARGE', {
        label: 'MESSAGE_TOO_LARGE',
        message: 'A message has at most 2 MB: send a shorter one.',
        limit: '2MB',
        actual: `over ${Math.floor(bytes / 2 ** 20)}MB`,
      });
  }
  const at = messages.length - 1;
  const asked = said(messages[at] as ChatMessageBody);
  if (asked.role !== 'user') throw ValidationError.at(['messages', at, 'role'], 'the last message must be of a user');
  if (asked.text.trim() === '') throw ValidationError.at(['messages', at], 'must have text, in `parts` or `content`');
  return { asked, before: lastOf(messages.slice(0, at)) };
}

/** What of a body counts: it is answered as the whole would be. @throws as readMessages */
export function shortened({ messages }: ChatBody): ChatBody {
  const { asked, before } = readMessages(messages);
  return { messages: [...before, asked].map(({ id, role, text }) => ({ id, role, content: text })) };
}

function said({ id, role, parts, content }: ChatMessageBody): Said {
  const texts = (parts ?? []).flatMap((part) =>
    part.type === 'text' && 'text' in part && typeof part.text === 'string' ? [part.text] : [],
  );
  const text = texts.length > 0 ? texts.join('\n') : (content ?? '');
  return { id, role, text: text.toWellFormed() };
}

function lastOf(messages: ChatMessageBody[]): Said[] {
  const kept: Said[] = [];
  let characters = 0;
  for (const message of messages.toReversed()) {
    const one = said(message);
    if (one.text === '') continue;
    characters += one.text.length;
    if (kept.length === maxHistory.messages || characters > maxHistory.characters) break;
    kept.unshift(one);
  }
  return kept;
}

/** wire-contract.md 2.3: the first 50 characters of the first message. */
export function titleOf(text: string): string {
  return firstCharacters(text, 50);
}

/** wire-contract.md 2.3: 100 characters of the last message, Markdown removed. */
export function previewOf(text: string): string {
  return firstCharacters(withoutMarkdown(text.slice(0, 4000)), 100);
}

function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, 2 * count)].slice(0, count).join('').toWellFormed();
}

function withoutMarkdown(text: string): string {
  return text
    .replace(/^ {0,3}(?:```|~~~).*$/gm, '')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+)/gm, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])([*_])(?=\S)([^\n*_]*?\S)\1(?![\w*])/g, '$2')
    .replace(/(?<!`)`+([^`\n]+)`+/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
