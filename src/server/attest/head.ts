import type { Network } from '../model/ids.ts';
import { isSigned, type NodeKey, signBytes } from '../model/node-key.ts';
import type { StoredHead } from '../store/attest-log.ts';
import { canonicalJson } from './canonical-json.ts';
import { hashText } from './leaf.ts';

export const headFormat = 'archeion/head@v1';

/**
 * A signed tree head: that node says what the first `size` moves of its network are. The signature is over the canonical
 * JSON of the other members. It is a log of its own for each instance: a restored backup goes on with the key and the
 * leaves of the node that it is of, under a new instance.
 */
export interface SignedHead {
  format: typeof headFormat;
  network: Network;
  /** The node's own id. */
  instance: string;
  size: number;
  /** Base64url. */
  root: string;
  /** When it was signed, epoch milliseconds. */
  time: number;
  key_id: string;
  /** Base64url. */
  signature: string;
}

/** Who signs for which log. */
export interface Signer {
  network: Network;
  instance: string;
  key: NodeKey;
}

export function signHead({ network, instance, key }: Signer, size: number, root: Uint8Array, time: number): StoredHead {
  const head = { network, instance, size, root, time, key_id: key.id };
  return { ...head, signature: signBytes(key, signedBytes(headView(head))) };
}

function headView({ network, instance, size, root, time, key_id }: Omit<StoredHead, 'signature'>) {
  return { format: headFormat, network, instance, size, root: hashText(root), time, key_id } as const;
}

/** A kept head as it is shown. */
export function signedHead(head: StoredHead): SignedHead {
  return { ...headView(head), signature: Buffer.from(head.signature).toString('base64url') };
}

function signedBytes({
  format,
  network,
  instance,
  size,
  root,
  time,
  key_id,
}: Omit<SignedHead, 'signature'>): Uint8Array {
  return canonicalJson({ format, network, instance, size, root, time, key_id });
}

/** Whether the signature is by that key (32 bytes). */
export function isSignedHead(head: SignedHead, publicKey: Uint8Array): boolean {
  return isSigned(publicKey, signedBytes(head), Buffer.from(head.signature, 'base64url'));
}
