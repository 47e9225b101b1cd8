import type { FileStore } from '../blocks/file-store.ts';
import type { Reader } from '../store/connection.ts';
import { findTip } from '../store/entities.ts';
import type { ContentState } from '../store/remotes/remote-content.ts';
import { findKnown } from '../store/remotes/remotes.ts';
import type { NamedBytes } from './named-bytes.ts';
import { noteRows } from './note-rows.ts';
import type { PushContext } from './push-context.ts';
import type { RemoteAnswer, SentBytes } from './remote.ts';
import { checkMeant, checkSaid, DeniedError, LostAnswerError } from './remote-errors.ts';
import { placeIn, type UploadPlace } from './upload-place.ts';
import { readUploadOffset, readUploadUrl, readWords } from './wire.ts';

/** What became of bytes: the remote has them, takes none at addresses, or refused them. */
export type Sending = 'there' | 'no_address' | { status: number; words: string };

const attempts = 6;
/** Cannot be sent to an address, which takes one byte at least (wire-contract.md 4.4). */
const emptyBytes = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';

/** What says that there is no such endpoint. */
export function isAbsent(status: number): boolean {
  return status === 404 || status === 405 || status === 501;
}

export function isEmpty({ cid }: Pick<NamedBytes, 'cid'>): boolean {
  return cid === emptyBytes;
}

/** Brings bytes to a remote whose version names them, unless it has them; a refusal is recorded. @throws UnreachableError */
export async function sendBytes(
  ctx: PushContext,
  named: NamedBytes,
  state: ContentState | undefined,
): Promise<Sending> {
  const result = (await hasBytes(ctx, named)) ? 'there' : await sendToAddress(ctx, named, state);
  if (result === 'there') await noteThere(ctx, named);
  else if (result !== 'no_address') await refuseBytes(ctx, named, result);
  return result;
}

export async function noteThere(ctx: PushContext, { id, cid }: NamedBytes): Promise<void> {
  await noteRows(ctx, { kind: 'content_there', remote: ctx.remote.name, id, cid });
}

/** A refusal stays with the entity until it is edited. */
async function refuseBytes(
  ctx: PushContext,
  { id, key }: NamedBytes,
  { status, words }: { status: number; words: string },
): Promise<void> {
  const { store, remote, report } = ctx;
  const tip = store.read((db) => refusedTip(db, remote.key, id));
  if (tip === null) return;
  const which = key === null ? 'The bytes of the file' : `The content ${JSON.stringify(key)}`;
  const said = { tip, status, words: `${which}: ${words}` };
  await noteRows(ctx, { kind: 'push_refusal', remote: remote.name, id, ...said, request: false });
  report.refused++;
}

/** The version whose bytes were refused: the tip here, but not where that is an edit which the remote has not been told of. */
function refusedTip(db: Reader, remote: number, id: string): string | null {
  const { theirs, twin } = findKnown(db, remote, id);
  const tip = findTip(db, id);
  return tip === twin ? twin : theirs;
}

/** Of what is not asked for by its CID so much is compared: a key may name earlier content yet, and files of one kind begin alike. */
const beginning = 65_536;

async function hasBytes({ client, memory, files }: PushContext, { id, cid, key }: NamedBytes): Promise<boolean> {
  const byKey = key !== null && memory.form === 'key';
  const byFile = key === null && memory.form === 'file';
  const query = new URLSearchParams(byKey ? { key } : { cid });
  const path = byFile ? `/files/${id}/content` : `/entities/${id}/content?${query}`;
  const length = byKey || byFile ? beginning : 1;
  const answer = await client.fetchFile(
    path,
    () => ({ range: `bytes=0-${length - 1}` }),
    ({ bytes }) => isBeginning(files, cid, bytes, length),
  );
  // There is no first byte in what is empty.
  return 'taken' in answer ? answer.taken : answer.status === 416 && isEmpty({ cid });
}

/** Whether what comes is how the bytes under a CID begin: a page of something else is not, nor other content. */
async function isBeginning(
  files: FileStore,
  cid: string,
  bytes: AsyncIterable<Uint8Array>,
  length: number,
): Promise<boolean> {
  let come = 0;
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue;
    const ours: Uint8Array[] = [];
    for await (const part of files.read(cid, { start: come, end: come + chunk.length - 1 })) ours.push(part);
    if (!Buffer.concat(ours).equals(chunk)) return false;
    come += chunk.length;
    if (come >= length) return true;
  }
  return come === (await files.size(cid));
}

/** Bytes from one place on, as they go out; what goes is counted. */
export function outgoing({ files, report }: PushContext, { cid, type }: NamedBytes, size: number, from = 0): SentBytes {
  const source = async function* () {
    for await (const chunk of files.read(cid, { start: from })) {
      yield chunk;
      report.sent.bytes += chunk.length;
    }
  };
  return { type, size: size - from, source };
}

/** Puts bytes to an address of the remote's, going on with what has come there. @throws UnreachableError, DeniedError */
export async function sendToAddress(
  ctx: PushContext,
  named: NamedBytes,
  state?: ContentState | undefined,
): Promise<Sending> {
  const size = await ctx.files.size(named.cid);
  if (size === undefined || size === 0) return 'no_address';
  const known = state?.state === 'sending' && state.evidence !== null ? placeIn(state.evidence, ctx.remote) : null;
  if (known) {
    const result = await put(ctx, named, size, known);
    if (result !== 'no_address') return counted(ctx, result);
  }
  const { id, cid, type } = named;
  // Asked for twice there are two addresses, of which one is used.
  const answer = await ctx.client.read(`/entities/${id}/content/upload-url`, { cid, content_type: type, size });
  if (isAbsent(answer.status)) return 'no_address';
  if (answer.status === 401) throw new DeniedError(ctx.client.host, readWords(answer.body, answer.status));
  checkMeant(ctx.client.host, answer);
  if (answer.status >= 400) return { status: answer.status, words: readWords(answer.body, answer.status) };
  checkSaid(ctx.client.host, answer);
  const address = readUploadUrl(answer.body);
  const place = address === null ? null : placeIn(address, ctx.remote);
  if (address === null || place === null)
    return { status: answer.status, words: 'it gave an address for the bytes that cannot be used' };
  await noteSending(ctx, named, address);
  return counted(ctx, await put(ctx, named, size, place));
}

function counted({ report }: PushContext, result: Sending): Sending {
  if (result === 'there') report.sent.files++;
  return result;
}

async function noteSending(ctx: PushContext, { id, cid }: NamedBytes, address: string) {
  await noteRows(ctx, { kind: 'content_sending', remote: ctx.remote.name, id, cid, address });
}

/** `no_address`: the address is no more. */
async function put(ctx: PushContext, named: NamedBytes, size: number, place: UploadPlace): Promise<Sending> {
  let last = 0;
  for (let attempt = 1; ; attempt++) {
    const from = place.node ? await offsetAt(ctx, place.path) : 0;
    if (from === 'done') return 'there';
    if (from === 'gone') return 'no_address';
    // What moves on is tried for as long as it takes.
    if (from > last) attempt = 1;
    last = Math.max(last, from);
    try {
      const answer = await putFrom(ctx, named, { size, from }, place);
      const { status } = answer;
      if (status === 202 || (place.node && status === 409)) {
        if (attempt >= attempts) return { status, words: 'it does not take the bytes to their end' };
        continue;
      }
      if (place.node && status < 300) checkSaid(ctx.client.host, answer);
      if (status < 300) return 'there';
      if (isAbsent(status)) return 'no_address';
      // What takes bytes elsewhere has words of its own.
      if (place.node) checkMeant(ctx.client.host, answer);
      return { status, words: readWords(answer.body, status) };
    } catch (error) {
      if (!(error instanceof LostAnswerError) || attempt >= attempts) throw error;
    }
  }
}

async function putFrom(
  ctx: PushContext,
  named: NamedBytes,
  { size, from }: { size: number; from: number },
  place: UploadPlace,
): Promise<RemoteAnswer> {
  const bytes = outgoing(ctx, named, size, from);
  if (!place.node) {
    await using client = await ctx.client.elsewhere(place.origin);
    return await client.writeBytes('PUT', place.path, bytes);
  }
  const headers: Record<string, string> = from > 0 ? { 'upload-offset': String(from) } : {};
  return await ctx.client.writeBytes('PUT', place.path, { ...bytes, headers });
}

async function offsetAt({ client }: PushContext, path: string): Promise<number | 'done' | 'gone'> {
  const { status, body } = await client.read(path);
  if (status !== 200) return 'gone';
  const { offset, complete } = readUploadOffset(body) ?? { offset: 0, complete: false };
  return complete ? 'done' : offset;
}
