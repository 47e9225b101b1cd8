import { cidText, isCid, isContentCid } from '../../blocks/cid.ts';
import { fromJson } from '../../model/from-json.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { blockBefore } from '../archive/archive-reads.ts';
import { PageEnd } from '../archive/chain-reads.ts';
import { blockBytes, findBlock, storedManifest } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import type { NetworkStore } from '../network-store.ts';

export interface FileKeyQuery {
  /** The CID of the version to begin with, or where the walk goes on. */
  from: string;
  /** The file's `key` that is looked for. */
  fileKey: string;
}

/** A version of a file whose bytes have come: its number and its properties. */
export interface FileVersion {
  ver: number;
  /** Of its bytes. */
  cid: string;
  properties: JsonObject;
}

/**
 * The newest version of a page of a chain, from `from` backwards, that has a key and names its bytes. `next` not null:
 * the chain goes on there.
 */
export function fileVersionsPage(
  db: Reader,
  { from, fileKey }: FileKeyQuery,
): { found: FileVersion | null; next: string | null } {
  const end = new PageEnd();
  for (let key = findBlock(db, from)?.key ?? null; key !== null; ) {
    const bytes = blockBytes(db, key);
    const found = versionWith(bytes, fileKey);
    const before = blockBefore(db, bytes);
    if (found) return { found, next: before && cidText(before.cid) };
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
  const bytesNamed = uploaded === true && typeof cid === 'string' && isContentCid(cid);
  return key === fileKey && bytesNamed ? { ver, cid, properties } : null;
}

/**
 * The newest version with that key whose bytes are here, from the version `tip` (a CID) backwards; where those of none
 * are, the newest that names bytes; null for none. A CID that was written by hand may name bytes that never came.
 */
export async function findFileVersion(
  store: NetworkStore,
  { tip, fileKey, isHere }: { tip: string; fileKey: string; isHere: (cid: string) => Promise<boolean> },
): Promise<FileVersion | null> {
  let newest: FileVersion | null = null;
  for (let from: string | null = isCid(tip) ? tip : null; from !== null; ) {
    const json = Buffer.from(await store.readLong('fileVersionsPage', { from, fileKey })).toString();
    const page = fromJson(json) as ReturnType<typeof fileVersionsPage>;
    if (page.found && (await isHere(page.found.cid))) return page.found;
    newest ??= page.found;
    from = page.next;
  }
  return newest;
}
