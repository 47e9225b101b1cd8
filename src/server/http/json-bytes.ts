import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { bodyTooLarge, invocation, isStream, maxBodyBytes } from './body.ts';

function limitOf({ url = '' }: IncomingMessage): number {
  return invocation.path.test(url) ? invocation.bytes : maxBodyBytes;
}

function isJson(request: IncomingMessage): boolean {
  if (isStream(request)) return false;
  const type = request.headers['content-type'];
  return type === undefined || /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type);
}

/**
 * Takes in the bytes of JSON bodies; whoever serves the request parses them. A missing type is taken for JSON; a body of
 * another type is left to its controller.
 */
export function jsonBytes(): RequestHandler {
  const takeUpTo = (limit: number) => express.raw({ limit, type: isJson, verify });
  const [take, takeShort] = [takeUpTo(maxBodyBytes), takeUpTo(invocation.bytes)];
  return (request, response, next) => {
    const limit = limitOf(request);
    // The parser would first wait for all that is announced.
    if (Number(request.headers['content-length'] ?? 0) > limit && isJson(request)) throw bodyTooLarge(limit);
    (limit === maxBodyBytes ? take : takeShort)(request, response, next);
  };
}

/** What says of itself that it is not UTF-8 is 415, as express would have it. */
function verify(request: IncomingMessage): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8')
    throw Object.assign(new Error('the body is not UTF-8'), { status: 415 });
}
