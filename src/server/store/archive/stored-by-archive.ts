import type { Reader } from '../connection.ts';

/**
 * Whether an archive has brought versions after the one with a key: such as no move of somebody else's led to. A node that completes an
 * import takes what others write meanwhile.
 */
export function archiveStoredAfter(db: Reader, key: number): boolean {
  const sql = `SELECT 1 FROM block WHERE key > ?
      AND key NOT IN (SELECT new_tip FROM moves WHERE new_tip > ? AND origin <> 'car') LIMIT 1`;
  return db.get(sql, key, key) !== undefined;
}
