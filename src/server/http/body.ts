import { isUtf8 } from 'node:buffer';
import { TooLargeError, ValidationError } from '../errors.ts';
import { fromJson } from '../model/from-json.ts';
import { maxDepth } from '../model/json-value.ts';

/** decisions.md, JSON: a body has at most 32 MiB. */
export const maxBodyBytes = 32 * 1024 * 1024;
/** Bodies that are read on the event loop however long they are, and what to do instead of sending longer ones. */
const short: { path: RegExp; bytes: number; instead: string }[] = [
  // Ten thousand targets, each with an input of its own.
  {
    path: /^\/kladoi\/[^/]+\/invoke\/batch\/?(?:[?#]|$)/,
    bytes: 8 * 1024 * 1024,
    instead: 'start a batch of jobs; divide what is longer',
  },
  // As much is sent on: ten thousand targets fit.
  {
    path: /^\/(?:agents|kladoi|rhizai)\/[^/]+\/(?:invoke|reinvoke|jobs)(?:\/|\?|$)/,
    bytes: 1024 * 1024,
    instead: 'start a processor; put what is longer into an entity and name it',
  },
  // A language model does not write more at once.
  {
    path: /^\/mcp\/?(?:[?#]|$)/,
    bytes: 256 * 1024,
    instead: 'are a message to the tools; make what is longer by POST /entities',
  },
];
/** All the limits that there are, in bytes. */
export const bodyLimits = [maxBodyBytes, ...short.map(({ bytes }) => bytes)];

export function bodyLimit(url: string): number {
  return short.find(({ path }) => path.test(url))?.bytes ?? maxBodyBytes;
}

/** `limit`: in bytes. */
export function bodyTooLarge(limit: number = maxBodyBytes): TooLargeError {
  const size = limit < 2 ** 20 ? `${limit / 2 ** 10} KiB` : `${limit / 2 ** 20} MiB`;
  const instead = short.find(({ bytes }) => bytes === limit)?.instead;
  return new TooLargeError(`The body is too large: at most ${size} of JSON${instead ? ` ${instead}` : ''}`);
}

/** What a stored value may have, and the envelope around it. */
const maxBodyDepth = maxDepth + 10;

/** Bodies that are streams of bytes for their controllers, whatever their type says; of some it was said before what they are. */
const streams: { methods: string[]; path: RegExp; isAnnounced: boolean }[] = [
  // wire-contract.md, POST /files/{id}/content and POST /entities/{id}/content
  { methods: ['POST'], path: /^\/files\/[^/]+\/content$/, isAnnounced: true },
  { methods: ['POST'], path: /^\/entities\/[^/]+\/content$/, isAnnounced: false },
  { methods: ['PUT'], path: /^\/node\/uploads\/[^/]+$/, isAnnounced: true },
  { methods: ['PUT'], path: /^\/node\/imports\/[^/]+\/files\/[^/]+$/, isAnnounced: false },
  { methods: ['POST'], path: /^\/node\/(?:import|import-car|export|sync\/push)$/, isAnnounced: false },
];

interface Addressed {
  method?: string;
  url?: string;
}

/** Whether the body of a request, or of an endpoint by its path, is a stream of bytes. */
export function isStream(request: Addressed): boolean {
  return streamOf(request) !== undefined;
}

/** Whether it is one of which nothing is known but what its request says. */
export function isUnannounced(request: Addressed): boolean {
  return streamOf(request)?.isAnnounced === false;
}

function streamOf({ method = '', url = '' }: Addressed): (typeof streams)[number] | undefined {
  // As express finds endpoints: with a slash at the end or without, and whatever a client has left there of a page's address.
  const [path = ''] = url.split(/[?#]/, 1);
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  return streams.find((one) => one.methods.includes(method) && one.path.test(plain));
}

/** A form has more in it than the bytes, and would be kept in their place. @throws ValidationError */
export function refuseForm(type: string | undefined): void {
  if (type !== undefined && /^\s*multipart\/form-data\b/i.test(type))
    throw ValidationError.at(
      ['content-type'],
      'must be that of the bytes, which are all of the body: send no form, which has more in it (curl: --data-binary @FILE in place of -F)',
    );
}

/** The value of a JSON body; no bytes at all are an empty object. @throws ValidationError */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw ValidationError.at([], 'the body is not valid UTF-8');
  if (bytes.length > 2 * maxBodyDepth && nestsDeeper(bytes, maxBodyDepth))
    throw ValidationError.at([], `the body is nested deeper than ${maxDepth} levels`);
  // A byte order mark is left out, as decoders do.
  const start = bytes[0] === 0xef ? 3 : 0;
  try {
    return fromJson(Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw ValidationError.at([], 'the body is not valid JSON');
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether brackets nest deeper than `limit`. Looked at before parsing: 32 MiB of brackets would become gigabytes. */
export function nestsDeeper(bytes: Uint8Array, limit: number): boolean {
  // Read once: asked for at each byte, the length takes longer than all else here.
  const { length } = bytes;
  let depth = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i, length);
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(bytes: Uint8Array, start: number, length: number): number {
  for (let i = start + 1; i < length; i++) {
    const byte = bytes[i];
    if (byte === quote) return i;
    if (byte === backslash) i++;
  }
  return length;
}
