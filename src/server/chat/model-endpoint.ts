import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import type { UnreachableError } from '../errors.ts';
import { jsonOrNull } from '../model/from-json.ts';
import { loadedOnce } from '../model/loaded-once.ts';
import { type CompletionChunk, completionChunk } from './completion-chunk.ts';
import { modelFault, refusedByModel, wordsOf } from './model-error.ts';

/** An OpenAI-compatible endpoint. */
export interface EndpointSettings {
  /** The base, as `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  key: string | null;
}

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface CompletionRequest {
  messages: ModelMessage[];
  tools: { type: 'function'; function: { name: string; description: string; parameters: object } }[];
  /** `none`: it must answer now. */
  tool_choice: 'auto' | 'none';
}

/**
 * Models think for as long as they like: what ends an answer is the signal. Redirects are not followed. The library is
 * loaded for the first question: a node without a model is spared it.
 */
const client = loadedOnce(async () => {
  const { Agent, request } = await import('undici');
  return { request, dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 10_000 }) };
});

/** A completion has at most so many bytes, and one event of it so many characters. */
const maxBytes = 16 * 2 ** 20;
const maxEvent = 2 ** 20;
const maxRefusal = 4096;

/**
 * Asks for a completion. It resolves when the endpoint has answered; no other address is ever contacted.
 * @throws UnreachableError, UnavailableError; whatever the signal's reason is when it is given
 */
export async function openCompletion(
  { url, model, key }: EndpointSettings,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<AsyncGenerator<CompletionChunk>> {
  const { request: ask, dispatcher } = await client();
  const { statusCode, headers, body } = await ask(`${url}/chat/completions`, {
    method: 'POST',
    dispatcher,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, ...request, stream: true, stream_options: { include_usage: true } }),
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw modelFault(`cannot be reached (${codeOf(error)})`, 'Start it, or correct ARCHEION_CHAT_URL.');
  });
  if (statusCode < 200 || statusCode > 299) throw refusedByModel(statusCode, await beginningOf(body), key);
  const type = String(headers['content-type'] ?? 'nothing');
  if (!/^text\/event-stream\b/i.test(type)) {
    // Nobody reads the rest, so its end may be an error.
    body.on('error', () => undefined).destroy();
    const hint = 'Check ARCHEION_CHAT_URL, which usually ends in /v1.';
    throw modelFault(`answered ${type.slice(0, 100)} instead of a stream of events`, hint);
  }
  return chunksOf(body, key, signal);
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message ?? 'no connection').slice(0, 100);
}

async function beginningOf(body: Readable): Promise<string> {
  let text = '';
  try {
    for await (const bytes of body) {
      text += (bytes as Buffer).toString();
      if (text.length > maxRefusal) break;
    }
  } catch {
    // What came is enough: the status says the most.
  }
  return text;
}

async function* chunksOf(body: Readable, key: string | null, signal: AbortSignal): AsyncGenerator<CompletionChunk> {
  let events: string[] = [];
  let fault: UnreachableError | undefined;
  const parser = createParser({
    maxBufferSize: maxEvent,
    onEvent: ({ data }) => void events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') fault = modelFault('sent an event that is too long');
    },
  });
  const decoder = new TextDecoder();
  let size = 0;
  let ended = false;
  for await (const bytes of whole(body, signal)) {
    size += bytes.length;
    if (size > maxBytes) throw modelFault('sent more than an answer can be, and was stopped');
    parser.feed(decoder.decode(bytes, { stream: true }));
    const ready = events;
    events = [];
    for (const data of ready) {
      if (data === '[DONE]') return;
      const chunk = chunkOf(data, key);
      ended ||= chunk.choices?.some(({ finish_reason }) => typeof finish_reason === 'string') === true;
      yield chunk;
    }
    if (fault) throw fault;
  }
  if (!ended) throw modelFault('stopped in the middle of its answer');
}

/** The bytes as they come; leaving off ends the request. */
async function* whole(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const bytes = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await bytes.next().catch((error: unknown) => {
        signal.throwIfAborted();
        throw modelFault(`stopped in the middle of its answer (${codeOf(error)})`);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

function chunkOf(data: string, key: string | null): CompletionChunk {
  const parsed = completionChunk.safeParse(jsonOrNull(data));
  if (!parsed.success) throw modelFault('sent something that is no chat completion');
  const { error } = parsed.data;
  if (error !== undefined && error !== null) {
    const words = wordsOf({ error }, key);
    throw modelFault(words === '' ? 'reported an error' : `reported an error: ${words}`);
  }
  return parsed.data;
}
