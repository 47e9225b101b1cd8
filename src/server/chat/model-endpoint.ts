import { createParser } from 'eventsource-parser';
import type { UnreachableError } from '../errors.ts';
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
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, ...request, stream: true, stream_options: { include_usage: true } }),
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw modelFault(`cannot be reached (${causeOf(error)})`, 'Start it, or correct ARCHEION_CHAT_URL.');
  });
  const body = response.body ?? new Blob([]).stream();
  if (!response.ok) throw refusedByModel(response.status, await beginningOf(body), key);
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!/^text\/event-stream\b/i.test(type)) {
    await body.cancel();
    const hint = 'Check ARCHEION_CHAT_URL, which usually ends in /v1.';
    throw modelFault(`answered ${type.slice(0, 100)} instead of a stream of events`, hint);
  }
  return chunksOf(body, key, signal);
}

/** What fetch says is "fetch failed"; the cause has the code. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  return String(cause?.code ?? cause?.message ?? 'no connection').slice(0, 100);
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  try {
    for await (const bytes of body) {
      text += Buffer.from(bytes).toString();
      if (text.length > maxRefusal) break;
    }
  } catch {
    // What came is enough: the status says the most.
  }
  return text;
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  key: string | null,
  signal: AbortSignal,
): AsyncGenerator<CompletionChunk> {
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
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await read(reader, signal);
      if (done) break;
      size += value.length;
      if (size > maxBytes) throw modelFault('sent more than an answer can be, and was stopped');
      parser.feed(decoder.decode(value, { stream: true }));
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
  } finally {
    // Ends the request where it has not ended by itself.
    reader.cancel().catch(() => undefined);
  }
  if (!ended) throw modelFault('stopped in the middle of its answer');
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof reader.read>>> {
  try {
    return await reader.read();
  } catch (error) {
    signal.throwIfAborted();
    throw modelFault(`stopped in the middle of its answer (${causeOf(error)})`);
  }
}

function chunkOf(data: string, key: string | null): CompletionChunk {
  const parsed = completionChunk.safeParse(json(data));
  if (!parsed.success) throw modelFault('sent something that is no chat completion');
  const { error } = parsed.data;
  if (error !== undefined && error !== null) {
    const words = wordsOf({ error }, key);
    throw modelFault(words === '' ? 'reported an error' : `reported an error: ${words}`);
  }
  return parsed.data;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
