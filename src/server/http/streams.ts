import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError, UnauthorizedError, ValidationError } from '../errors.ts';
import { type CallerRequest, refuseRevoked } from '../model/caller.ts';
import { type Answer, answerOf, fault } from './errors.ts';

/** A request whose body is bytes for its controller, and whose answer the controller writes. */
export interface StreamRequest extends CallerRequest, IncomingMessage {
  res: ServerResponse;
}

/**
 * How often an answer of lines on which nothing comes gives a sign of life. Proxies give up after a minute without one, and
 * browsers after five without an answer's head.
 */
const beatMs = 15_000;
/** For so long what is left of a refused upload is read, so that the client gets to read the answer. */
const drainMs = 5000;

/** Aborted as soon as the connection to the client has closed, or has been before. */
export function closingOf({ res }: StreamRequest, reason?: Error): AbortSignal {
  const closing = new AbortController();
  const close = () => closing.abort(reason);
  if (res.destroyed) close();
  else res.once('close', close);
  return closing.signal;
}

/** The same, for what says why it ended: the reason is a refusal that nobody reads. */
export function leavingOf(request: StreamRequest): AbortSignal {
  return closingOf(request, gone());
}

function gone(): ValidationError {
  return ValidationError.at([], 'the client has gone');
}

/** The bytes of the body as they come. Leaving off does not end the connection. @throws ValidationError where they end early */
export async function* bodyOf(request: StreamRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (request.res.destroyed) throw gone();
      refuseRevoked(request.caller);
      yield chunk as Uint8Array;
    }
    refuseRevoked(request.caller);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (!request.complete) throw ValidationError.at([], 'the body ended early');
    // All of it may have come, and not have been read yet.
    throw request.res.destroyed ? gone() : error;
  }
}

/**
 * The body as content, with what its headers say of it; null where they do not say, or only emptily. Each chunk is good until the
 * next is asked for. @throws ValidationError where it is encoded: what is kept would be other bytes than those that were meant
 */
export function uploadOf(request: StreamRequest) {
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.trim().toLowerCase() !== 'identity')
    throw ValidationError.at(['content-encoding'], 'must not be given: send the bytes as they are to be kept');
  return {
    type: type?.trim() || null,
    length: length === undefined ? null : Number(length),
    bytes: spent(bodyOf(request)),
  };
}

/** Gives the memory of chunks back as soon as they are used: the collector would let tens of megabytes gather. */
async function* spent(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    const { buffer } = chunk;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength) buffer.transfer(0);
  }
}

/**
 * Answers with one JSON document a line, each as soon as it is there; an error after the first line becomes the last
 * one, in the form of an error's body with the `status` that its answer would have had. Before the first line an error is an answer like any other. Where nothing comes for
 * a while after the whole request has come, the answer begins all the same, by spaces, which JSON allows before a document:
 * from then on an error is its last line, as it is once the key of the caller is good no longer. `lossy` lines are left out
 * while the client does not read. The declared type is that of one line.
 * @throws what is no refusal, once the answer has ended, so that it is logged
 */
export async function answerLines<T extends object>(
  request: StreamRequest,
  lines: AsyncGenerator<T>,
  { lossy = () => false, everyMs = beatMs }: { lossy?: (line: T) => boolean; everyMs?: number } = {},
): Promise<T> {
  const response = request.res;
  const beat = setInterval(() => {
    // Not every client hears of an answer while it still sends.
    if (!request.complete || response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    begin(response);
    response.write(' ');
  }, everyMs);
  try {
    for (let next = await lines.next(); ; next = await lines.next()) {
      begin(response);
      if (next.done) break;
      if (request.caller.isRevoked?.()) endRefused(response);
      await write(response, next.value, lossy);
      beat.refresh();
    }
    response.end();
  } catch (error) {
    clearInterval(beat);
    const refusal = error instanceof DomainError ? answerOf(error) : fault;
    const begun = response.headersSent;
    if (begun && !response.destroyed && !response.writableEnded) response.write(lastLine(refusal));
    await drained(request);
    if (!begun) throw error;
    if (!request.complete) response.once('finish', () => request.destroy());
    response.end();
    if (!(error instanceof DomainError)) throw error;
  } finally {
    clearInterval(beat);
  }
  return undefined as never;
}

function begin(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
  });
}

/** Says why nothing more is told; what goes on is then like that of a client who has left. */
function endRefused(response: ServerResponse): void {
  if (!response.writableEnded) response.end(lastLine(answerOf(new UnauthorizedError())));
}

function lastLine({ status, body }: Answer): string {
  return `${JSON.stringify({ ...body, status })}\n`;
}

async function write<T>(response: ServerResponse, line: T, lossy: (line: T) => boolean): Promise<void> {
  if (response.destroyed || response.writableEnded) return;
  if (response.writableNeedDrain) {
    if (lossy(line)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }
  response.write(`${JSON.stringify(line)}\n`);
}

/**
 * Reads what is left of an upload and throws it away: a connection that is closed while the client still sends would take
 * the answer with it.
 */
function drained(request: StreamRequest): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    const timer = setTimeout(resolve, drainMs);
    for (const event of ['end', 'close', 'error'])
      request.once(event, () => {
        clearTimeout(timer);
        resolve();
      });
    request.resume();
  });
}
