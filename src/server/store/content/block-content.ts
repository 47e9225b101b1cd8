import { isContentCid } from '../../blocks/cid.ts';
import { decodeManifest } from '../../blocks/encode.ts';
import { contentCids } from '../../model/content.ts';

/** How the text of every CID of content begins: a block without it is not decoded. */
const beginning = 'bafkrei';

/** The CIDs of content that a version's block names; none where it cannot be read. */
export function contentOfBlock(bytes: Uint8Array): string[] {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(beginning)) return [];
  try {
    return contentCids(decodeManifest(bytes)).filter(isContentCid);
  } catch {
    return [];
  }
}
