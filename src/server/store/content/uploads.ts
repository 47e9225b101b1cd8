import type { Reader, Writer } from '../connection.ts';

/** An address that takes bytes for an entity. */
export interface UploadAddress {
  /** The SHA-256 of the secret in the address, in hexadecimal. */
  token: string;
  /** The entity's id. */
  entity: string;
  /** What the bytes must be; null for any. */
  cid: string | null;
  /** The `key` of the file version that they are for; null where they are for a content entry. */
  file_key: string | null;
  /** The media type that they are sent with. */
  type: string;
  size: number;
  /** Epoch milliseconds. */
  expires: number;
}

/**
 * How far an upload has come: `come` counts the bytes that are on the disk for certain, all of them only once they were found to
 * be those of the CID; `received` is the CID of the bytes, null until all of them are there.
 */
export type UploadRow =
  | ({ kind: 'upload' } & UploadAddress)
  /** `cid` is what its bytes turned out to be, where they might have been any. */
  | { kind: 'upload_step'; token: string; expires: number; come: number; cid: string | null; received: string | null }
  /** What expired before that time is forgotten. */
  | { kind: 'uploads_expired'; before: number };

export function applyUploadRow(db: Writer, row: UploadRow): void {
  switch (row.kind) {
    case 'upload':
      db.run(
        'INSERT OR IGNORE INTO upload (token, entity, cid, file_key, type, size, expires) VALUES (?, ?, ?, ?, ?, ?, ?)',
        row.token,
        row.entity,
        row.cid,
        row.file_key,
        row.type,
        row.size,
        row.expires,
      );
      return;
    case 'upload_step':
      db.run(
        'UPDATE upload SET expires = max(expires, ?), come = ?, cid = coalesce(cid, ?), received = coalesce(?, received) WHERE token = ?',
        row.expires,
        row.come,
        row.cid,
        row.received,
        row.token,
      );
      return;
    case 'uploads_expired':
      db.run('DELETE FROM upload WHERE expires < ?', row.before);
  }
}

export function findUpload(
  db: Reader,
  token: string,
): (UploadAddress & { come: number; received: string | null }) | undefined {
  return db.get('SELECT * FROM upload WHERE token = ?', token);
}

/** Whether those bytes came to an address of that entity. */
export function hasReceived(db: Reader, entity: string, cid: string): boolean {
  return db.get('SELECT 1 FROM upload WHERE entity = ? AND received = ?', entity, cid) !== undefined;
}

/** The CIDs of what came for one version of a file, newest first. */
export function receivedFor(db: Reader, entity: string, fileKey: string): string[] {
  const rows = db.all<{ received: string }>(
    'SELECT received FROM upload WHERE entity = ? AND received IS NOT NULL AND file_key = ? ORDER BY expires DESC',
    entity,
    fileKey,
  );
  return rows.map(({ received }) => received);
}

/** Addresses whose bytes may still come, by token. */
export function openUploads(db: Reader, now: number): string[] {
  const rows = db.all<{ token: string }>('SELECT token FROM upload WHERE received IS NULL AND expires >= ?', now);
  return rows.map(({ token }) => token);
}

export function hasExpired(db: Reader, before: number): boolean {
  return db.get('SELECT 1 FROM upload WHERE expires < ?', before) !== undefined;
}
