import { CID } from 'multiformats/cid';
import { code } from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';

/** The CID that the node gives a file's bytes (interface.md, Terms). All of them are in memory meanwhile. */
export async function cidOf(file: Blob): Promise<string> {
  const digest = await sha256.digest(new Uint8Array(await file.arrayBuffer()));
  return CID.createV1(code, digest).toString();
}
