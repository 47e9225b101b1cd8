import { timingSafeEqual } from 'node:crypto';
import { NotFoundError, ValidationError } from '../../errors.ts';
import { isKeyPrefix, type KeyKind, keyDigest, keyPrefixLength } from '../../model/credentials.ts';
import { type Network, networkOf } from '../../model/ids.ts';
import type { NodeDatabase } from '../node-database.ts';
import { type Account, requireAccount } from './accounts.ts';

/** Whose keys are meant: an account's own, those of several accounts, or those of an agent or klados (by entity id). */
export type KeyHolder = { account: string } | { accounts: readonly string[] } | { processor: string };

export interface NewKey {
  kind: KeyKind;
  /** The user or service; of a processor's key its owner. */
  account: string;
  /** The agent or klados, by entity id; its id decides the key's network. */
  processor?: string;
  label?: string | null;
  /** Seconds; 0 expires at once, null never. */
  expiresIn: number | null;
}

/** A key as it is listed. Times are epoch milliseconds. */
export interface KeyRecord {
  id: string;
  prefix: string;
  kind: KeyKind;
  label: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** What a valid key stands for. */
export interface VerifiedKey {
  id: string;
  prefix: string;
  kind: KeyKind;
  account: Account;
  /** Of an agent's or klados' key: which one, and the only network that the key is good for. */
  processor: { id: string; network: Network } | null;
  expires_at: number | null;
  /** The operator's key, which this node made for itself. */
  internal: boolean;
}

/** How many keys that are not revoked one holder may have. */
export const maxKeysPerHolder = 1000;

type KeyRow = KeyRecord & {
  digest: Buffer;
  account: string;
  processor: string | null;
  network: Network | null;
  internal: number;
};

/** Stores the digest of a key. `made` holds what clock and randomness gave. */
export function insertKey(
  db: NodeDatabase,
  wanted: NewKey,
  made: { id: string; key: string; created_at: number; expires_at: number | null },
  internal: boolean,
): void {
  const { kind, processor = null, label = null } = wanted;
  const account = requireAccount(db, wanted.account).id;
  const [where, holder] = ownedBy(processor === null ? { account } : { processor });
  const count = db.get<{ n: number }>(`SELECT count(*) AS n FROM api_key WHERE ${where}`, holder)?.n ?? 0;
  if (!internal && count >= maxKeysPerHolder)
    throw ValidationError.at([], `There are ${count} keys already; revoke those that are not used`);
  db.run(
    `INSERT INTO api_key (id, digest, prefix, kind, account, processor, network, label, created_at, expires_at, internal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[made.id, Buffer.from(keyDigest(made.key), 'hex'), made.key.slice(0, keyPrefixLength), kind, account],
    ...[processor, processor === null ? null : networkOf(processor), label],
    ...[made.created_at, made.expires_at, internal ? 1 : 0],
  );
}

/** The holder's keys that are not revoked, newest first. */
export function listKeys(db: NodeDatabase, holder: KeyHolder): KeyRecord[] {
  const [where, holderId] = ownedBy(holder);
  return db
    .all<KeyRow>(`SELECT * FROM api_key WHERE ${where} ORDER BY created_at DESC, id`, holderId)
    .map(({ id, prefix, kind, label, created_at, expires_at, last_used_at }) => ({
      ...{ id, prefix, kind, label, created_at, expires_at, last_used_at },
    }));
}

/** Revokes the one key of the holder that begins with `prefix`, and gives its id; for its errors see Identity.revokeKey. */
export function revokeByPrefix(db: NodeDatabase, holder: KeyHolder, prefix: string, now: number): string {
  if (!isKeyPrefix(prefix)) throw ValidationError.at(['prefix'], 'must have 4 to 12 characters');
  const [where, holderId] = ownedBy(holder);
  const fitting = db.all<{ id: string }>(
    `SELECT id FROM api_key WHERE ${where} AND substr(prefix, 1, length(?)) = ? LIMIT 2`,
    ...[holderId, prefix, prefix],
  );
  const [key, another] = fitting;
  if (key === undefined) throw NotFoundError.of('There is no API key with that prefix');
  if (another !== undefined)
    throw ValidationError.at(['prefix'], 'fits more than one key; give more of its characters');
  db.run('UPDATE api_key SET revoked_at = ? WHERE id = ?', now, key.id);
  return key.id;
}

/** Revokes the operator's own keys, and gives their ids. */
export function revokeInternal(db: NodeDatabase, account: string, now: number): string[] {
  const sql =
    'UPDATE api_key SET revoked_at = ? WHERE account = ? AND internal = 1 AND revoked_at IS NULL RETURNING id';
  return db.all<{ id: string }>(sql, now, account).map(({ id }) => id);
}

/** The key with that digest, in hexadecimal, unless it is revoked; whether it has expired is the caller's to see. */
export function keyByDigest(db: NodeDatabase, hex: string): VerifiedKey | null {
  const digest = Buffer.from(hex, 'hex');
  const sql = 'SELECT * FROM api_key WHERE digest = ? AND revoked_at IS NULL';
  const row = db.get<KeyRow>(sql, digest);
  if (row === undefined || !timingSafeEqual(row.digest, digest)) return null;
  const { id, prefix, kind, expires_at, processor, network } = row;
  return {
    ...{ id, prefix, kind, expires_at, internal: row.internal === 1 },
    account: requireAccount(db, row.account),
    processor: processor !== null && network !== null ? { id: processor, network } : null,
  };
}

/** Writes times of last use, by key id. */
export function recordUses(db: NodeDatabase, uses: ReadonlyMap<string, number>): void {
  db.transaction(() => {
    for (const [id, time] of uses) db.run('UPDATE api_key SET last_used_at = ? WHERE id = ?', time, id);
  });
}

/** The condition that finds a holder's keys; the operator's own key is never among them. */
function ownedBy(holder: KeyHolder): [where: string, id: string] {
  const live = 'revoked_at IS NULL AND internal = 0';
  if ('processor' in holder) return [`processor = ? AND ${live}`, holder.processor];
  const accounts = 'accounts' in holder ? holder.accounts : [holder.account];
  // By the accounts: of all keys on the node, most are no processor's.
  return [`account IN (SELECT value FROM json_each(?)) AND +processor IS NULL AND ${live}`, JSON.stringify(accounts)];
}
