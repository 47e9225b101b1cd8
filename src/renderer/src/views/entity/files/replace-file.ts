import { answered, api } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import { nameEnd } from '../../../components/name-end.ts';
import type { Entity } from '../entity-queries.ts';
import { cidByWorker } from './cid-by-worker.ts';
import { type HeldFile, heldFiles } from './held-files.ts';
import { refuseUnsendable } from './refuse-unsendable.ts';

/** What has taken the place of a file, once its bytes are on the node. */
interface Sent {
  cid: string;
  size: number;
  content_type: string;
  filename: string;
}

/** A file on its way into the place of another one: the CID of the one that was last entered there. */
export interface Replacing {
  cid?: string;
}

export interface Replaced {
  /** The version over which it was done. */
  over: Entity;
  /** The CID of the one that this made; null where it was done before, and not answered. */
  version: string | null;
}

/**
 * Puts a file in the place of one that an entity holds, if that is still there: what else the entity says may have changed meanwhile.
 * All bytes come before, so that it has either file at each moment. Null where they are the very same, unless they came there by
 * the same `way`, and that was not answered.
 * @throws Failure of kind `conflict` where something else is in its place by now
 */
export async function replaceFile(
  id: string,
  held: HeldFile,
  file: File,
  way: Replacing,
  signal: AbortSignal,
): Promise<Replaced | null> {
  await refuseUnsendable(file);
  // An address takes one byte at least.
  if (file.size === 0) throw new Failure('empty', file.name);
  const cid = await cidByWorker(file, signal);
  const read = () => answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } }, signal }));
  if (cid === held.cid) return way.cid === cid ? { over: await read(), version: null } : null;
  const content_type = file.type || 'application/octet-stream';
  const sent = { cid, size: file.size, content_type, filename: nameEnd(file.name, 255) };
  await sendBytes(id, file, sent, signal);
  for (;;) {
    const over = await read();
    const now = heldFiles(over).find(({ key }) => key === held.key);
    if (now?.cid === cid) return { over, version: null };
    if (now?.cid !== held.cid) throw new Failure('conflict', 'another file is there', 409);
    try {
      way.cid = cid;
      return { over, version: await enter(over, held.key, sent) };
    } catch (error) {
      if (!(error instanceof Failure && error.actual !== null)) throw error;
    }
  }
}

async function sendBytes(id: string, file: File, { cid, size, content_type }: Sent, signal: AbortSignal) {
  const { upload_url } = await answered(
    api.POST('/entities/{id}/content/upload-url', {
      params: { path: { id } },
      body: { cid, size, content_type },
      signal,
    }),
  );
  // By the address by which the page came: a proxy may not tell the node that it is another one.
  const token = upload_url.slice(upload_url.lastIndexOf('/') + 1);
  await answered(
    api.PUT('/node/uploads/{token}', {
      params: { path: { token } },
      body: file as never,
      bodySerializer: (body: unknown) => body as BodyInit,
      headers: { 'Content-Type': content_type },
      signal,
    } as never),
  );
}

/** Makes the version that holds the bytes there, and gives its CID; not given up on the way, so that it is known what came of it. */
async function enter({ id, cid: expect_tip }: Entity, key: string | null, sent: Sent): Promise<string> {
  const params = { path: { id } };
  const made =
    key === null
      ? // A file's key is of its bytes, and no two versions with others have the same (wire-contract.md 2.1).
        api.PUT('/entities/{id}', {
          params,
          body: { expect_tip, properties: { ...sent, key: sent.cid, uploaded: true } },
        })
      : api.POST('/entities/{id}/content/complete', { params, body: { ...sent, key, expect_tip } });
  return (await answered<{ cid: string }>(made as never)).cid;
}
