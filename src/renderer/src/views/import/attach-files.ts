import { answered, api } from '../../api/client.ts';
import { type Target, targetText } from './target.tsx';

/** Where a file went. */
export interface Attached {
  name: string;
  /** The entity that has it now. */
  entity: string;
  error: unknown;
}

/** The id of a target's collection, which is made where it is a new one. @throws Failure */
export async function collectionOf(target: Target): Promise<string> {
  if (target.collection !== '') return target.collection;
  return (await answered(api.POST('/collections', { body: { label: targetText(target) } }))).id;
}

/** Keeps a file as an entity of its own in a collection. @throws Failure */
export async function keepIn(collection: string, file: File): Promise<string> {
  const type = file.type || 'application/octet-stream';
  const body = {
    key: file.name.slice(-128),
    filename: file.name.slice(-255),
    content_type: type,
    size: file.size,
    collection,
  };
  const { id } = await answered(api.POST('/files', { body }));
  await answered(
    api.POST('/files/{id}/content', {
      params: { path: { id } },
      body: file as never,
      bodySerializer: (bytes: unknown) => bytes as BodyInit,
      headers: { 'Content-Type': type },
    } as never),
  );
  return id;
}
