import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { ValidationError } from '../errors.ts';
import { maxDepth } from '../model/json-value.ts';

/** decisions.md, JSON: a body has at most 32 MiB. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** What a stored value may have, and the envelope around it. */
const maxBodyDepth = maxDepth + 10;

/** Bodies that are streams of bytes for their controllers, whatever their type says. */
const streams: { methods: string[]; path: RegExp }[] = [
  // wire-contract.md, POST /files/{id}/content
  { methods: ['POST', 'PUT'], path: /^\/[^/]+\/[^/]+\/content\/?(?:\?|$)/ },
  { methods: ['PUT'], path: /^\/node\/imports\/[^/]+\/files\/[^/]+$/ },
  { methods: ['POST'], path: /^\/node\/import\/?(?:\?|$)/ },
];

function isStream({ method = '', url = '' }: IncomingMessage): boolean {
  return streams.some(({ methods, path }) => methods.includes(method) && path.test(url));
}

function isJson(request: IncomingMessage): boolean {
  if (isStream(request)) return false;
  const type = request.headers['content-type'];
  return type === undefined || /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type);
}

/** Parses JSON bodies. A missing type is taken for JSON; a body of another type is left to its controller. */
export function jsonBody(): RequestHandler {
  return express.json({ limit: maxBodyBytes, type: isJson, verify });
}

/** Only bytes that JSON.parse may be given. @throws ValidationError */
function verify(_request: unknown, _response: unknown, bytes: Buffer, charset: string): void {
  if (charset !== 'utf-8' || !isUtf8(bytes)) throw ValidationError.at([], 'the body is not valid UTF-8');
  if (bytes.length > 2 * maxBodyDepth && isDeeper(bytes, maxBodyDepth))
    throw ValidationError.at([], `the body is nested deeper than ${maxDepth} levels`);
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether brackets nest deeper than `limit`. Looked at before parsing: 32 MiB of brackets would become gigabytes. */
export function isDeeper(bytes: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return bytes.length;
}
