import { answered, api } from '../../../api/client.ts';
import { Failure, isOutOfReach } from '../../../api/failure.ts';
import { nameEnd } from '../../../components/name-end.ts';
import type { Entity } from '../entity-queries.ts';
import { isMap, type JsonMap } from '../model/json.ts';
import { freeKey } from './free-key.ts';
import { type HeldFile, heldFiles } from './held-files.ts';
import { refuseUnsendable } from './refuse-unsendable.ts';
import { sameBytes } from './same-bytes.ts';

/** A file on its way to an entity: the key that it was last sent under. */
export interface Attaching {
  key?: string;
}

export interface Attached {
  /** The key that the file has in its entity. */
  key: string;
  /** The CID of the version that this made; null where the file had come before. */
  version: string | null;
}

/**
 * Attaches a file to an entity, beside all that it holds by then. Tried again with the same `way`, it counts as attached where
 * its bytes have come before. @throws Failure
 */
export async function attachFile(
  id: string,
  file: File,
  way: Attaching,
  signal: AbortSignal | null = null,
): Promise<Attached> {
  await refuseUnsendable(file);
  for (;;) {
    const entity = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } }, signal }));
    if (way.key !== undefined && (await hasCome(entity, file, way, signal))) return { key: way.key, version: null };
    const { content } = entity.properties as JsonMap;
    const key = freeKey(file.name, isMap(content) ? Object.keys(content) : []);
    way.key = key;
    try {
      return { key, version: await sendNew(id, file, key, signal) };
    } catch (error) {
      // Another one came under that key while it was sent.
      if (!(error instanceof Failure && error.status === 412)) throw error;
    }
  }
}

/**
 * What became of a file whose sending was given up after it had begun over the version `over`; null where it has not come. @throws
 * Failure
 */
export async function lookForSent(
  over: Entity,
  file: File,
  way: Attaching,
  signal: AbortSignal,
): Promise<Attached | null> {
  if (way.key === undefined) return null;
  const now = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id: over.id } }, signal }));
  if (!(await hasCome(now, file, way, signal))) return null;
  const isNew = now.prev_cid === over.cid && !sentTo(over, way);
  return { key: way.key, version: isNew ? now.cid : null };
}

/**
 * Whether a file that was sent to an entity, and not answered, is there: not where the entity is gone, nor where the file cannot be
 * read any more. @throws Failure where the node cannot tell now
 */
export async function isAttached(id: string, file: File, way: Attaching): Promise<boolean> {
  if (way.key === undefined) return false;
  try {
    const now = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } } }));
    return await hasCome(now, file, way, null);
  } catch (error) {
    if (error instanceof Failure && !isOutOfReach(error)) throw error;
    return false;
  }
}

/** Whether an entity holds the bytes that were sent to it. @throws Failure */
async function hasCome(entity: Entity, file: File, way: Attaching, signal: AbortSignal | null): Promise<boolean> {
  const sent = sentTo(entity, way);
  return sent !== undefined && (await sameBytes(entity.id, sent, file, signal));
}

function sentTo(entity: Entity, way: Attaching): HeldFile | undefined {
  return heldFiles(entity).find(({ key }) => key !== null && key === way.key);
}

/**
 * Sends the bytes under a key that nothing is under, and gives the version that this made.
 * @throws Failure of status 412 where something is by now
 */
async function sendNew(id: string, file: File, key: string, signal: AbortSignal | null): Promise<string> {
  const { cid } = await answered(
    api.POST('/entities/{id}/content', {
      params: {
        path: { id },
        query: { key, filename: nameEnd(file.name, 255) },
        header: { 'If-None-Match': '*' },
      },
      body: file as never,
      bodySerializer: (body) => body,
      headers: { 'Content-Type': file.type || 'application/octet-stream' },
      signal,
    }),
  );
  return cid;
}
