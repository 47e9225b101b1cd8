import { answered, api } from '../../../api/client.ts';
import type { HeldFile } from './held-files.ts';

/**
 * The bytes of a file under a type of ours: what they say of themselves does not count. With `first` only so many.
 * @throws Failure
 */
export async function fetchFile(id: string, { cid }: HeldFile, type: string, first?: number): Promise<Blob> {
  const blob = await answered<Blob>(
    api.GET('/entities/{id}/content', {
      params: { path: { id }, query: { cid } },
      parseAs: 'blob',
      ...(first === undefined ? {} : { headers: { Range: `bytes=0-${first - 1}` } }),
    }) as never,
  );
  return new Blob([blob], { type });
}
