import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/** The node's Ed25519 key: it signs the heads of the attestation log and the requests to processors. */
export interface NodeKey {
  /** The first 16 hexadecimal digits of the public key's SHA-256. */
  id: string;
  /** 32 bytes. */
  publicKey: Uint8Array;
  privateKey: KeyObject;
}

/** A new private key as the text in which it is kept: PKCS 8, base64. */
export function newNodeKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** @throws Error where the text is no such key */
export function readNodeKey(text: string): NodeKey {
  const privateKey = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return { id: keyIdOf(publicKey), publicKey, privateKey };
}

export function keyIdOf(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'hex').slice(0, 16);
}

/** The Ed25519 signature of the bytes, 64 bytes. */
export function signBytes({ privateKey }: Pick<NodeKey, 'privateKey'>, bytes: Uint8Array): Uint8Array {
  return sign(null, bytes, privateKey);
}

/** Whether the signature is of these bytes by that key; false also for a key that is none. */
export function isSigned(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString('base64url');
    return verify(null, bytes, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}
