import { answered, api } from '../../../api/client.ts';
import type { Entity } from '../entity-queries.ts';
import { isMap, type JsonMap } from '../model/json.ts';
import { freeKey } from './free-key.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

/** Attaches a file to an entity, beside all that it holds by then. Gives the key that it has there. @throws Failure */
export async function attachFile(id: string, file: File, signal: AbortSignal | null = null): Promise<string> {
  await refuseUnreadable(file);
  const { properties } = await answered<Entity>(api.GET('/entities/{id}', { params: { path: { id } }, signal }));
  const { content } = properties as JsonMap;
  const key = freeKey(file.name, isMap(content) ? Object.keys(content) : []);
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
