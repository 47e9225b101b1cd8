import { answered, api } from '../../../api/client.ts';
import type { HeldFile } from './held-files.ts';

/** Whether an entity holds just the bytes of this file there; they are compared as they come. @throws Failure */
export async function sameBytes(
  id: string,
  { cid, size }: HeldFile,
  file: File,
  signal: AbortSignal | null,
): Promise<boolean> {
  if (size !== file.size) return false;
  const request = { params: { path: { id }, query: { cid } }, parseAs: 'stream' as const, signal };
  const reader = (
    await answered<ReadableStream<Uint8Array>>(api.GET('/entities/{id}/content', request) as never)
  ).getReader();
  try {
    for (let at = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return at === file.size;
      const own = new Uint8Array(await file.slice(at, at + value.length).arrayBuffer());
      if (own.length !== value.length || own.some((byte, i) => byte !== value[i])) return false;
      at += value.length;
    }
  } finally {
    await reader.cancel();
  }
}
