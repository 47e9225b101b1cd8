import type { RemoteAnswer, RemoteClient } from './remote.ts';
import { KeyRefusedError } from './remote-errors.ts';
import { readWords } from './wire.ts';

/**
 * Whose key counts no more can be asked for nothing else either. Without a key 401 says only that this is not for everybody.
 * @param what the remote does not do, as `does not tell tips`
 * @throws KeyRefusedError with the remote's words
 */
export function checkKey({ host, isKeyed }: RemoteClient, { status, body }: RemoteAnswer, what: string): void {
  if (status === 401 && isKeyed) throw new KeyRefusedError(`${host} ${what}: ${readWords(body, status)}`);
}
