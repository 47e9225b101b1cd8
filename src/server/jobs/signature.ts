import { type NodeKey, signBytes } from '../model/node-key.ts';

/**
 * The value of the signature header: Ed25519 over the time, a dot and the exact bytes that are sent (processors.md 2.2).
 * `seconds`: Unix time.
 */
export function signatureOf(key: Pick<NodeKey, 'privateKey'>, body: string, seconds: number): string {
  const signature = signBytes(key, new TextEncoder().encode(`${seconds}.${body}`));
  return `t=${seconds},v1=${Buffer.from(signature).toString('base64')}`;
}
