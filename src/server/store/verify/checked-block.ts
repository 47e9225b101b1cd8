import { verifyBinary } from '../../blocks/verify.ts';
import { blockWithCid, storedManifest } from '../blocks.ts';
import { isDatabaseError, type Reader } from '../connection.ts';

/** What a stored version is worth: whether its bytes hash to its CID, and its type as far as it can be read. */
export interface CheckedBlock {
  valid: boolean;
  type: string | null;
}

/** Throws only where the database itself fails, which says nothing about the version. */
export function checkedBlock(db: Reader, { key }: { key: number }): CheckedBlock {
  try {
    const { cid, bytes } = blockWithCid(db, key);
    if (verifyBinary(cid, bytes) !== 'match') return { valid: false, type: null };
    return { valid: true, type: storedManifest(bytes).type };
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    return { valid: false, type: null };
  }
}
