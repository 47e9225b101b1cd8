import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { UnavailableError } from '../errors.ts';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** No key of a remote has a space in it. */
const mark = 'sealed 1 ';

/**
 * What is stored of a remote's key: sealed where the node was given something to seal with, which the desktop keeps in
 * the system's keyring, else the key itself. Old and new ones may stand beside each other.
 * @param secret 32 bytes as base64url
 */
export class KeySeal {
  readonly #secret: Buffer | null;

  constructor(secret: string | null) {
    this.#secret = secret === null ? null : Buffer.from(secret, 'base64url');
  }

  seal(key: string): string {
    if (this.#secret === null) return key;
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, this.#secret, iv);
    const text = Buffer.concat([sealing.update(key, 'utf8'), sealing.final()]);
    return mark + Buffer.concat([iv, sealing.getAuthTag(), text]).toString('base64url');
  }

  /** @throws UnavailableError for a key that this node cannot open, with the way out */
  open(stored: string): string {
    if (!stored.startsWith(mark)) return stored;
    const bytes = Buffer.from(stored.slice(mark.length), 'base64url');
    try {
      if (this.#secret === null) throw new Error('There is nothing to open it with.');
      const opening = createDecipheriv(cipher, this.#secret, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return opening.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + opening.final('utf8');
    } catch {
      throw new UnavailableError(
        'The key for this remote is sealed by the keyring of the desktop app in which it was given. Sync there, or give this node a key for the remote anew.',
      );
    }
  }
}
