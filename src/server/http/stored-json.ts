import type { ServerResponse } from 'node:http';

/**
 * JSON that is stored as text (or bytes of UTF-8): an answer of it is sent as it is, so that every node answers the same
 * bytes for one CID. A controller says `return StoredJson.as<EntityManifest>(text)`. Bytes are given away by that: they are gone
 * once they are sent.
 */
export class StoredJson {
  readonly text: string | Uint8Array;
  constructor(text: string | Uint8Array) {
    this.text = text;
  }
  /** The text as what it is the JSON of, for the controller's return type. */
  static as<T>(text: string | Uint8Array): T {
    return new StoredJson(text) as T;
  }
}

/** On every JSON answer: nothing is guessed, cached, framed or passed on. */
const constantHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

/** A socket takes a longer text in half the time as bytes; a shorter one goes out in one piece with its headers. */
const longText = 4096;
/** Bytes from which on an answer is freed by itself. */
const freedFrom = 16_384;

/** The JSON of a value: the stored text as it is, everything else serialized. */
export function jsonText(value: unknown): string | Uint8Array {
  return value instanceof StoredJson ? value.text : JSON.stringify(value);
}

/** Ends a response with JSON. No etag is computed. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const text = jsonText(value);
  const body = typeof text === 'string' && text.length > longText ? Buffer.from(text) : text;
  response.writeHead(status, { ...constantHeaders, ...headers, 'Content-Length': Buffer.byteLength(body) });
  if (typeof body !== 'string') freeWhenSent(response, body);
  response.end(body);
}

/**
 * Gives the memory of a long answer back as soon as the system has taken it. It is no part of the heap, so that only a collection
 * of all garbage would find it, and a few megabytes of answers would be reason enough for one.
 */
function freeWhenSent(response: ServerResponse, { buffer, byteLength }: Uint8Array): void {
  const isOwn = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  if (isOwn && byteLength >= freedFrom) response.once('finish', () => buffer.transfer(0));
}
