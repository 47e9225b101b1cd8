import { answered, api, currentNetwork } from '../../api/client.ts';
import { deleteUntouched } from '../../api/delete-untouched.ts';
import { newEntityId } from '../../api/entity-id.ts';
import { Failure, isOutOfReach } from '../../api/failure.ts';
import { nameEnd } from '../../components/name-end.ts';
import type { Attaching } from '../entity/files/attach-file.ts';
import { refuseUnsendable } from '../entity/files/refuse-unsendable.ts';
import { type Target, targetText } from './target.tsx';

/** A file on its way: into a collection, the id of the entity that is made for it, once that has been asked for. */
export interface OnItsWay extends Attaching {
  id?: string;
  /** Its first version, once that was answered. */
  first?: string;
}

/**
 * The id of a target's collection, which is made where it is a new one. Those that were asked for are in `ids` by their
 * names, so that none is made twice. @throws Failure
 */
export async function collectionOf(target: Target, ids: Map<string, string>): Promise<string> {
  if (target.collection !== '') return target.collection;
  const label = targetText(target);
  const id = ids.get(label) ?? newEntityId(currentNetwork());
  ids.set(label, id);
  return (await answered(api.POST('/collections', { body: { id, label } }))).id;
}

/**
 * Keeps a file as an entity of its own in a collection, and gives that. Tried again, it goes on where it was, whether that was
 * answered or not. @throws Failure
 */
export async function keepIn(collection: string, file: File, way: OnItsWay, signal: AbortSignal): Promise<string> {
  await refuseUnsendable(file);
  way.id ??= newEntityId(currentNetwork());
  await unlessDone(
    declared(way.id, collection, file).then((cid) => {
      way.first = cid;
    }),
  );
  try {
    await unlessDone(sent(way.id, file, signal));
  } catch (error) {
    // Trying again does not help bytes that are refused.
    if (error instanceof Failure && error.kind === 'invalid') await takeBack(way);
    throw error;
  }
  return way.id;
}

/**
 * What became of a file that is no longer to go there: the id of the entity that has its bytes after all; null where none has, and then
 * nothing of it stays, and another attempt begins anew. @throws Failure where the node cannot tell now
 */
export async function settle(way: OnItsWay): Promise<string | null> {
  const { id } = way;
  if (id === undefined) return null;
  for (;;)
    try {
      if (await deleteUntouched(id)) {
        delete way.id;
        return null;
      }
      const { properties } = await answered(api.GET('/entities/{id}', { params: { path: { id } } }));
      return properties.uploaded === true ? id : null;
    } catch (error) {
      // It was never made, or is not for this one to take away.
      if (isOutOfReach(error)) return null;
      // Its bytes may have come between the two.
      if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
    }
}

/** The same where nothing more can be done about it. */
export async function takeBack(way: OnItsWay): Promise<void> {
  await settle(way).catch(() => null);
}

/** The same where the page itself goes, in which no answer can be waited for. */
export function takeBackUnanswered({ id, first }: OnItsWay): void {
  if (id === undefined || first === undefined) return;
  const request = { params: { path: { id } }, body: { expect_tip: first }, keepalive: true };
  void api.DELETE('/entities/{id}', request).catch(() => undefined);
}

/** What has been done before, and was not answered, is met as a conflict. */
async function unlessDone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Failure && error.kind === 'conflict')) throw error;
  }
}

function typeOf(file: File): string {
  return file.type || 'application/octet-stream';
}

/** Makes the entity, as `POST /files` does, under an id of ours: the same request again makes no other. Gives its version. */
async function declared(id: string, collection: string, file: File): Promise<string> {
  const { name, size } = file;
  const filename = nameEnd(name, 255);
  const said = {
    key: nameEnd(name, 128),
    filename,
    label: filename,
    content_type: typeOf(file),
    size,
    uploaded: false,
  };
  return (await answered(api.POST('/entities', { body: { id, type: 'file', properties: said, collection } }))).cid;
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
