import { cidText } from '../blocks/cid.ts';
import { encodeHistoric, historicJson } from '../blocks/encode.ts';
import type { JsonObject } from '../model/manifest.ts';
import { blockWithCid } from './blocks.ts';
import type { Reader } from './connection.ts';

/**
 * A stored version as JSON text `{"manifest": ...}`, as it was hashed; with its bytes as `block` (base64) where they
 * cannot be made again from that JSON.
 */
export function versionText(db: Reader, { key }: { key: number }): string {
  const { cid, bytes } = blockWithCid(db, key);
  const manifest = historicJson(bytes);
  const block = isEncodedAs(manifest, cidText(cid)) ? {} : { block: Buffer.from(bytes).toString('base64') };
  return JSON.stringify({ manifest, ...block });
}

function isEncodedAs(manifest: JsonObject, cid: string): boolean {
  try {
    return encodeHistoric(manifest).cid === cid;
  } catch {
    return false;
  }
}
