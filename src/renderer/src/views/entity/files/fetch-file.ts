import { answered, api } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import type { HeldFile } from './held-files.ts';

/**
 * The bytes of a file under a type of ours: what they say of themselves does not count. With `first` only so many.
 * @throws Failure
 */
export async function fetchFile(id: string, { cid }: HeldFile, type: string, first?: number): Promise<Blob> {
  const range = first === undefined ? {} : { headers: { Range: `bytes=0-${first - 1}` } };
  const params = { path: { id }, query: { cid } };
  try {
    const bytes = api.GET('/entities/{id}/content', { params, parseAs: 'blob', ...range });
    return new Blob([await answered<Blob>(bytes as never)], { type });
  } catch (error) {
    // A range that begins with the first byte lies beyond the end of what is empty alone (RFC 9110, 15.5.17).
    if (error instanceof Failure && error.status === 416) return new Blob([], { type });
    throw error;
  }
}
