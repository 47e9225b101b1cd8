import { cidText, isCid } from '../blocks/cid.ts';
import type { JsonObject } from '../model/manifest.ts';
import { blockBefore } from './archive-reads.ts';
import { blockBytes, findBlock, storedManifest } from './blocks.ts';
import { PageEnd } from './chain-reads.ts';
import type { Reader } from './connection.ts';
import type { NetworkStore } from './network-store.ts';

export interface FileKeyQuery {
  /** The CID of the version to begin with, or where the walk goes on. */
  from: string;
  /** The file's `key` that is looked for. */
  fileKey: string;
}

/** A version of a file whose bytes have come: its number and its properties. */
export interface FileVersion {
  ver: number;
  properties: JsonObject;
}

/**
 * The newest version of a page of a chain, from `from` backwards, that has a key and its bytes. `next` not null: there
 * is none in this page, and the chain goes on there.
 */
export function fileVersionsPage(
  db: Reader,
  { from, fileKey }: FileKeyQuery,
): { found: FileVersion | null; next: string | null } {
  const end = new PageEnd();
  for (let key = findBlock(db, from)?.key ?? null; key !== null; ) {
    const bytes = blockBytes(db, key);
    const found = versionWith(bytes, fileKey);
    if (found) return { found, next: null };
    const before = blockBefore(db, bytes);
    key = before?.key ?? null;
    if (before && end.add(bytes.length)) return { found: null, next: cidText(before.cid) };
  }
  return { found: null, next: null };
}

/** Bytes without the key's text are not decoded. */
function versionWith(bytes: Uint8Array, fileKey: string): FileVersion | null {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(fileKey)) return null;
  const { ver, properties } = storedManifest(bytes);
  const { key, uploaded, cid } = properties;
  return key === fileKey && uploaded === true && typeof cid === 'string' ? { ver, properties } : null;
}

/** The newest version with that key whose bytes have come, from the version `tip` (a CID) backwards; null for none. */
export async function findFileVersion(store: NetworkStore, tip: string, fileKey: string): Promise<FileVersion | null> {
  for (let from: string | null = isCid(tip) ? tip : null; from !== null; ) {
    const json = Buffer.from(await store.readLong('fileVersionsPage', { from, fileKey })).toString();
    const page = JSON.parse(json) as ReturnType<typeof fileVersionsPage>;
    if (page.found) return page.found;
    from = page.next;
  }
  return null;
}
