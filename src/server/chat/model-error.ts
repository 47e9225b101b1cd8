import { UnavailableError, UnreachableError } from '../errors.ts';
import { beginningOf } from '../model/cut-text.ts';
import { fromJson } from '../model/from-json.ts';

const longestWords = 300;

const hints: Record<number, string> = {
  401: 'It wants a key, or another one: set ARCHEION_CHAT_KEY.',
  403: 'It wants a key, or another one: set ARCHEION_CHAT_KEY.',
  404: 'Check ARCHEION_CHAT_URL, which usually ends in /v1, and ARCHEION_CHAT_MODEL.',
};

/** The language model cannot be reached, or does not speak as it should. `why` is a sentence without its end. */
export function modelFault(why: string, hint = ''): UnreachableError {
  return new UnreachableError(`The language model ${why}.${hint && ` ${hint}`}`);
}

/** What an answer that is no success means. `words` is its body, or the beginning of that. */
export function refusedByModel(status: number, words: string, key: string | null): UnreachableError | UnavailableError {
  const said = wordsOf(words, key);
  const told = said === '' ? '' : `: ${said}`;
  if (status === 429) {
    const reason = `The language model takes no more requests for now (429)${told}. Ask again later.`;
    return new UnavailableError('Service unavailable', { service: 'chat', reason });
  }
  if (status >= 300 && status < 400)
    return modelFault(`sends elsewhere (${status})`, 'Set ARCHEION_CHAT_URL to its own address.');
  return modelFault(`answered ${status}${told}`, hints[status]);
}

/** The message of an error as OpenAI-compatible servers write it, else the text, shortened; never the key. */
export function wordsOf(given: unknown, key: string | null): string {
  const text = messageIn(typeof given === 'string' ? parsed(given) : given);
  const open = key === null ? text : text.replaceAll(key, '[key]');
  return beginningOf(open.replace(/\s+/g, ' ').trim(), longestWords);
}

function parsed(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return /^\s*</.test(text) ? '' : text;
  }
}

function messageIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { error, message } = value as { error?: unknown; message?: unknown };
  return messageIn(error ?? message);
}
