import { Agent, request } from 'undici';
import { jsonOrNull } from '../model/from-json.ts';

/** A request to an OpenAI-compatible endpoint. */
export interface EmbedOrder {
  /** The endpoint's base. */
  url: string;
  model: string;
  key: string | null;
  texts: string[];
  /** How long it may take, in milliseconds. */
  ms: number;
}

/** Vectors one after the other, each of length 1. */
export interface EmbedAnswer {
  dimensions: number;
  vectors: Float32Array;
}

/** Why there are none; `ofTexts`: the endpoint answers, and does not want these texts. */
export interface Refusal {
  refused: { reason: string; ofTexts: boolean };
}

const maxBytes = 64 * 2 ** 20;
const maxDimensions = 8192;
const maxRefusal = 2048;
/** Redirects are not followed: no other address is ever contacted. */
let agent: Agent | null = null;
let closing = new AbortController();

/** Parsing thousands of numbers takes a while: that is what this thread is for. */
export async function embed({ url, model, key, texts, ms }: EmbedOrder): Promise<EmbedAnswer | Refusal> {
  agent ??= new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 5000 });
  const signal = AbortSignal.any([AbortSignal.timeout(ms), closing.signal]);
  try {
    const { statusCode, headers, body } = await request(`${url}/embeddings`, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
    });
    const good = statusCode >= 200 && statusCode < 300;
    const text = await textOf(body, good ? maxBytes : maxRefusal, good);
    if (!good) return refused(statusReason(statusCode, text, key), [400, 413, 422].includes(statusCode));
    const type = String(headers['content-type'] ?? 'nothing');
    if (!/\bjson\b/i.test(type))
      return refused(`answered ${type.slice(0, 100)} instead of JSON: does its URL end in /v1?`);
    return vectorsIn(text, texts.length);
  } catch (error) {
    if (signal.aborted) return refused(`did not answer within ${ms / 1000} s`);
    const { code, message } = error as { code?: unknown; message?: unknown };
    return refused(`cannot be reached (${String(code ?? message ?? 'no connection').slice(0, 100)})`);
  }
}

export async function closeEmbedding(): Promise<void> {
  closing.abort();
  closing = new AbortController();
  await agent?.destroy();
  agent = null;
}

function refused(reason: string, ofTexts = false): Refusal {
  return { refused: { reason, ofTexts } };
}

/** `whole`: more than `most` bytes are an error, else the beginning is enough. */
async function textOf(body: AsyncIterable<Buffer>, most: number, whole: boolean): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most && whole) throw new Error('too long an answer');
    if (size > most) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, most);
}

function statusReason(status: number, text: string, key: string | null): string {
  if (status === 401 || status === 403) return `answered ${status}: set ARCHEION_EMBED_KEY`;
  if (status >= 300 && status < 400) return `sends elsewhere (${status}): set ARCHEION_EMBED_URL to its own address`;
  const said = /^\s*</.test(text) ? '' : (messageIn(jsonOrNull(text)) ?? '');
  const open = (key === null ? said : said.replaceAll(key, '[key]')).replace(/\s+/g, ' ').trim().slice(0, 200);
  return open === '' ? `answered ${status}` : `answered ${status}: ${open.toWellFormed()}`;
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message } = value as { error?: unknown; message?: unknown };
  return messageIn(error ?? message);
}

/** What was answered for so many texts, as far as it is one vector for each, all of one size. */
function vectorsIn(text: string, count: number): EmbedAnswer | Refusal {
  const { data } = (jsonOrNull(text) ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return refused('answered something that is no list of embeddings');
  if (data.length !== count) return refused(`answered ${data.length} embeddings for ${count} texts`);
  const lists = Array.from<unknown>({ length: count });
  for (const [i, item] of data.entries()) {
    const { index = i, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index === 'number' && index in lists) lists[index] = embedding;
  }
  const dimensions = Array.isArray(lists[0]) ? lists[0].length : 0;
  if (dimensions < 2 || dimensions > maxDimensions)
    return refused(`answered an embedding of ${dimensions} numbers; 2 to ${maxDimensions} can be used`);
  const vectors = new Float32Array(count * dimensions);
  for (const [i, list] of lists.entries()) {
    if (!Array.isArray(list) || list.length !== dimensions) return refused('answered embeddings of different sizes');
    let squares = 0;
    for (const x of list as unknown[]) squares += typeof x === 'number' ? x * x : Number.NaN;
    if (!(squares > 0) || !Number.isFinite(squares)) return refused('answered an embedding that is no list of numbers');
    const length = Math.sqrt(squares);
    for (let k = 0; k < dimensions; k++) vectors[i * dimensions + k] = (list[k] as number) / length;
  }
  return { dimensions, vectors };
}
