import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { BusyError } from '../errors.ts';
import type { CallerRequest } from '../model/caller.ts';
import { bodyLimit, bodyLimits, bodyTooLarge, isStream } from './body.ts';

/** Of bodies that come without credentials, so many bytes are taken in at once; smaller ones always, which connections bound. */
const ofStrangers = { most: 64 * 1024 * 1024, small: 64 * 1024 };

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
  const takeUpTo = new Map(bodyLimits.map((limit) => [limit, express.raw({ limit, type: isJson, verify })]));
  let strangers = 0;
  return (request, response, next) => {
    const limit = bodyLimit(request.url);
    // The parser would first wait for all that is announced.
    if (Number(request.headers['content-length'] ?? 0) > limit && isJson(request)) throw bodyTooLarge(limit);
    const bytes = announced(request) ?? limit;
    if (bytes > ofStrangers.small && isStranger(request) && isJson(request)) {
      if (strangers + bytes > ofStrangers.most) throw new BusyError(10, tooManyStrangers);
      strangers += bytes;
      response.once('close', () => {
        strangers -= bytes;
      });
    }
    takeUpTo.get(limit)?.(request, response, next);
  };
}

const tooManyStrangers = 'Too many large bodies come without credentials; try again, or show some.';

function isStranger(request: object): boolean {
  return (request as CallerRequest).caller.actor.kind === 'anonymous';
}

/** How many bytes a body is going to have; null where that is not said, since they come packed or in chunks. */
function announced({ headers }: IncomingMessage): number | null {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer } = headers;
  return encoding === 'identity' && transfer === undefined ? Number(headers['content-length'] ?? 0) : null;
}

/** What says of itself that it is not UTF-8 is 415, as express would have it. */
function verify(request: IncomingMessage): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  // `utf8` is no registered name, and some clients send it.
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw Object.assign(new Error('the body is not UTF-8'), { status: 415 });
}
