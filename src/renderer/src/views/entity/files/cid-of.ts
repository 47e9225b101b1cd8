import { CID } from 'multiformats/cid';
import { code } from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';

/** The CID of a file, or why it cannot be told. */
export type CidAnswer = { cid: string } | { failed: string };

/** The CID that the node gives a file's bytes (interface.md, Terms). All of them are in memory meanwhile. */
export async function cidOf(file: Blob): Promise<CidAnswer> {
  try {
    const digest = await sha256.digest(new Uint8Array(await file.arrayBuffer()));
    return { cid: CID.createV1(code, digest).toString() };
  } catch (error) {
    return { failed: String(error) };
  }
}
