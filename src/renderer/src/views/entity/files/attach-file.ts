import { answered, api } from '../../../api/client.ts';
import type { Entity } from '../entity-queries.ts';
import { isMap, type JsonMap } from '../model/json.ts';
import { freeKey } from './free-key.ts';
import { heldFiles } from './held-files.ts';
import { refuseUnsendable } from './refuse-unsendable.ts';
import { sameBytes } from './same-bytes.ts';

/** A file on its way to an entity: the key that it was last sent under. */
export interface Attaching {
  key?: string;
}

/**
 * Attaches a file to an entity, beside all that it holds by then. Gives the key that it has there. Tried again with the same
 * `way`, it counts as attached where its bytes have come before. @throws Failure
 */
export async function attachFile(
  id: string,
  file: File,
  way: Attaching = {},
  signal: AbortSignal | null = null,
): Promise<string> {
  await refuseUnsendable(file);
  const entity = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } }, signal }));
  const sent = way.key === undefined ? undefined : heldFiles(entity).find(({ key }) => key === way.key);
  if (sent && way.key !== undefined && (await sameBytes(id, sent, file, signal))) return way.key;
  const { content } = entity.properties as JsonMap;
  const key = freeKey(file.name, isMap(content) ? Object.keys(content) : []);
  way.key = key;
  await answered(
    api.POST('/entities/{id}/content', {
      params: { path: { id }, query: { key, filename: file.name.slice(-255) } },
      body: file as never,
      bodySerializer: (body) => body,
      headers: { 'Content-Type': file.type || 'application/octet-stream' },
      signal,
    }),
  );
  return key;
}
