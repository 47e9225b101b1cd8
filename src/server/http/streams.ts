import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError, ValidationError } from '../errors.ts';
import type { CallerRequest } from '../model/caller.ts';
import { answerOf } from './errors.ts';

/** A request whose body is bytes for its controller, and whose answer the controller writes. */
export interface StreamRequest extends CallerRequest, IncomingMessage {
  res: ServerResponse;
}

/** For so long what is left of a refused upload is read, so that the client gets to read the answer. */
const drainMs = 5000;

/** Aborted as soon as the connection to the client has closed, whose reason is then a refusal that nobody reads. */
export function leavingOf({ res }: StreamRequest): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(gone());
  if (res.destroyed) leave();
  else res.once('close', leave);
  return leaving.signal;
}

function gone(): ValidationError {
  return ValidationError.at([], 'the client has gone');
}

/** The bytes of the body as they come. Leaving off does not end the connection. @throws ValidationError where they end early */
export async function* bodyOf(request: StreamRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (request.res.destroyed) throw gone();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    if (error instanceof DomainError || request.complete) throw error;
    throw ValidationError.at([], 'the body ended early');
  }
}

/**
 * The body as content, with what its headers say of it; null where they do not say, or only emptily. Each chunk is good until the
 * next is asked for.
 */
export function uploadOf(request: StreamRequest) {
  const { 'content-type': type, 'content-length': length } = request.headers;
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
 * one, in the form of an error's body. Before the first line an error is an answer like any other. `lossy` lines are
 * left out while the client does not read. The declared type is that of one line.
 * @throws what is no refusal, once the answer has ended, so that it is logged
 */
export async function answerLines<T extends object>(
  request: StreamRequest,
  lines: AsyncGenerator<T>,
  lossy: (line: T) => boolean = () => false,
): Promise<T> {
  const response = request.res;
  try {
    const first = await lines.next();
    response.writeHead(200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    for (let next = first; !next.done; next = await lines.next()) await write(response, next.value, lossy);
    response.end();
  } catch (error) {
    const body = error instanceof DomainError ? answerOf(error).body : { error: 'Internal server error' };
    const begun = response.headersSent;
    if (begun && !response.destroyed) response.write(`${JSON.stringify(body)}\n`);
    await drained(request);
    if (!begun) throw error;
    if (!request.complete) response.once('finish', () => request.destroy());
    response.end();
    if (!(error instanceof DomainError)) throw error;
  }
  return undefined as never;
}

async function write<T>(response: ServerResponse, line: T, lossy: (line: T) => boolean): Promise<void> {
  if (response.destroyed) return;
  if (response.writableNeedDrain) {
    if (lossy(line)) return;
    await new Promise<void>((resolve) => {
      response.once('drain', resolve);
      response.once('close', resolve);
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
