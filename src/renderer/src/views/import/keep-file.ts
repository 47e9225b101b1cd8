import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { refuseUnreadable } from '../entity/files/refuse-unreadable.ts';
import { type Target, targetText } from './target.tsx';

/** A file on its way into a collection: the entity that was made for it, while its bytes have not come. */
export interface OnItsWay {
  made: { id: string; cid: string } | null;
}

/** The id of a target's collection, which is made where it is a new one. @throws Failure */
export async function collectionOf(target: Target): Promise<string> {
  if (target.collection !== '') return target.collection;
  return (await answered(api.POST('/collections', { body: { label: targetText(target) } }))).id;
}

/**
 * Keeps a file as an entity of its own in a collection, and gives that. Tried again, only the bytes are sent again.
 * @throws Failure
 */
export async function keepIn(collection: string, file: File, way: OnItsWay, signal: AbortSignal): Promise<string> {
  await refuseUnreadable(file);
  way.made ??= await declared(collection, file);
  const { id } = way.made;
  try {
    await sent(id, file, signal);
  } catch (error) {
    // Then they have come before, and the answer to that was lost.
    if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
  }
  way.made = null;
  return id;
}

/** Takes away the entity that was made for bytes that do not come. */
export async function takeBack({ made }: OnItsWay): Promise<void> {
  if (!made) return;
  const { id, cid } = made;
  // One that has its bytes after all is of another version, and stays.
  const request = api.DELETE('/entities/{id}', { params: { path: { id } }, body: { expect_tip: cid } });
  await request.catch(() => undefined);
}

function typeOf(file: File): string {
  return file.type || 'application/octet-stream';
}

async function declared(collection: string, file: File): Promise<{ id: string; cid: string }> {
  const { name, size } = file;
  const body = { key: name.slice(-128), filename: name.slice(-255), content_type: typeOf(file), size, collection };
  const { id, cid } = await answered(api.POST('/files', { body }));
  return { id, cid };
}

async function sent(id: string, file: File, signal: AbortSignal): Promise<void> {
  await answered(
    api.POST('/files/{id}/content', {
      params: { path: { id } },
      body: file as never,
      bodySerializer: (bytes: unknown) => bytes as BodyInit,
      headers: { 'Content-Type': typeOf(file) },
      signal,
    } as never),
  );
}
