import { FileStore, type StoredFile } from '../../blocks/file-store.ts';
import { type Issue, TooLargeError, ValidationError } from '../../errors.ts';
import { maxContentBytes } from '../../model/content.ts';
import { anyBytes, isCarried } from '../../model/media-type.ts';
import { filesFolder } from '../../store/network-folders.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { storingLater } from '../../store/storage-error.ts';
import { textIssues } from '../entities/body.ts';

/** A body of bytes: its Content-Type and Content-Length where it has them. */
export interface Upload {
  type: string | null;
  length: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

/** The bytes of a network. */
export function filesOf(store: Pick<NetworkStore, 'folder' | 'requirePlace'>): FileStore {
  store.requirePlace();
  return new FileStore(filesFolder(store.folder));
}

/** Refuses what its headers show to be too much or not what was declared, before a byte of it is read. */
export function checkLength({ length }: Upload, size: number | null): void {
  if ((length ?? 0) > maxContentBytes) throw tooLarge();
  if (length !== null && size !== null && length !== size)
    throw ValidationError.at(['size'], `${length} bytes come, not ${size}`);
}

export function tooLarge(): TooLargeError {
  return new TooLargeError(`The content is too large: at most ${maxContentBytes} bytes`);
}

/** Keeps the bytes, on disk when it returns. @throws TooLargeError, ValidationError for another size, StorageError */
export async function receive(store: NetworkStore, upload: Upload, size: number | null): Promise<StoredFile> {
  checkLength(upload, size);
  const wanted = { limit: maxContentBytes, ...(size !== null && { size }) };
  return storingLater(() => filesOf(store).put(upload.bytes, wanted));
}

const longestType = 255;

/** What is wrong with the media type of bytes, by the name under which it was given. */
export function typeIssues(given: { [name: string]: string | undefined }): Issue[] {
  return Object.entries(given).flatMap(([name, type = '']) => {
    const issue = (message: string): Issue => ({ path: [name], message });
    return [
      ...textIssues({ [name]: type }),
      ...(type.length > longestType ? [issue(`must have at most ${longestType} characters`)] : []),
      ...(isCarried(type) ? [] : [issue('must be a media type, as image/jpeg: no header can carry this one')]),
    ];
  });
}

/** As much of bytes as the signatures of files reach. */
export const head = { start: 0, end: 4099 };

/** The media type that bytes look like by their head, where nobody says one. */
export async function sniffedType(headBytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of headBytes) parts.push(part);
  try {
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(Buffer.concat(parts)))?.mime ?? anyBytes;
  } catch {
    return anyBytes;
  }
}
