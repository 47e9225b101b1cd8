import { join } from 'node:path';
import { StorageError } from '../../errors.ts';
import { formatKey, isApiKey, keyDigest, keyEntropy, keyPrefixLength, localIssuer } from '../../model/credentials.ts';
import { normalEmail } from '../../model/emails.ts';
import { type NodeKey, newNodeKey, readNodeKey } from '../../model/node-key.ts';
import { RecentMap } from '../../model/recent-map.ts';
import type { Checkpoint } from '../checkpoints/checkpoints.ts';
import { NodeDatabase } from '../node-database.ts';
import type { Account, NewAccount } from './accounts.ts';
import * as accounts from './accounts.ts';
import type { KeyHolder, KeyRecord, NewKey, VerifiedKey } from './api-keys.ts';
import * as keys from './api-keys.ts';
import { identityFile, identityMigrations } from './identity-schema.ts';
import type { Invite, InviteStatus } from './invites.ts';
import * as invites from './invites.ts';
import { operatorKeyFile, readOperatorKey, writeOperatorKey } from './operator-key.ts';
import { Verifications } from './verifications.ts';

export interface IdentityOptions {
  /** Epoch milliseconds. */
  now: () => number;
  randomBytes: (size: number) => Uint8Array;
  /** How many verified keys are remembered, so that a request costs a SHA-256 and a look into a map. */
  remembered?: number;
  /** Finds out why the log does not get into the database, where it grows. */
  checkpoint?: Checkpoint;
  /** Which file the database is that another thread has open (file-identity.ts). */
  fileId?: string | null;
}

/** A key just made; times are epoch milliseconds. */
export interface CreatedKey {
  id: string;
  /** The whole key: it is not stored and cannot be had again. */
  key: string;
  prefix: string;
  label: string | null;
  created_at: number;
  expires_at: number | null;
}

const usesWrittenEvery = 60_000;

/** Accounts, their aliases and keys, and the node's settings, in `<data>/identity.db` (decisions.md, Identity and authorship). */
export class Identity {
  readonly verifications: Verifications;
  readonly #db: NodeDatabase;
  readonly #operatorFile: string;
  readonly #now: () => number;
  readonly #randomBytes: (size: number) => Uint8Array;
  readonly #verified: RecentMap<string, VerifiedKey>;
  /** Keys that were revoked since this process began, by their ids: each write asks, and a look into a set costs it nothing. */
  readonly #revoked = new Set<string>();
  readonly #uses = new Map<string, number>();
  #usesWritten: number;
  #movedInvites = 0;
  #open = true;

  /** `folder` is the node's data folder and must be there. Throws StorageError where the database cannot be used. */
  constructor(folder: string, { now, randomBytes, remembered = 10_000, checkpoint, fileId }: IdentityOptions) {
    const options = { steps: identityMigrations, synchronous: 'FULL', checkpoint, fileId } as const;
    this.#db = new NodeDatabase(join(folder, identityFile), options);
    this.verifications = new Verifications(this.#db);
    this.#operatorFile = operatorKeyFile(folder);
    this.#now = now;
    this.#randomBytes = randomBytes;
    this.#verified = new RecentMap(remembered);
    this.#usesWritten = now();
  }

  /** Which file the database is (file-identity.ts). */
  get fileId(): string | null {
    return this.#db.fileId;
  }

  /** The account of a subject at an issuer, made where it is missing; one that is there stays as it is. */
  registerAccount(of: NewAccount): { account: Account; created: boolean } {
    const { id, created } = accounts.insertAccount(this.#db, of, this.#now());
    return { account: accounts.requireAccount(this.#db, id), created };
  }

  /**
   * As registerAccount, with the invite of its address accepted in the same moment. With `invitedOnly` a new account
   * needs a pending one; without it there is none, and `invite` says what stands instead: whoever has none is noted.
   */
  register(
    of: NewAccount,
    invitedOnly: boolean,
  ): { account: Account } | { account: null; invite: InviteStatus | null } {
    const email = normalEmail(of.email);
    return this.#db.transaction(() => {
      const now = this.#now();
      const invite = email === null ? undefined : invites.findInvite(this.#db, email);
      const known = this.accountBySubject(of.issuer, of.subject) !== null;
      if (invitedOnly && invite?.status !== 'pending' && !known) {
        const noted = email !== null && !invite && invites.waitlist(this.#db, this.#uuid(), email, now);
        return { account: null, invite: noted ? 'waitlisted' : (invite?.status ?? null) };
      }
      // Where one is needed, it is for an account that is still to come.
      if (email !== null && !(invitedOnly && known)) invites.acceptInvite(this.#db, email, now);
      return { account: this.registerAccount(of).account };
    });
  }

  /** Invites a normalised address; `created` is false where its invite is pending or accepted already. */
  invite(email: string, invited_by: string): { invite: Invite; created: boolean } {
    return this.#db.transaction(() => {
      const [id, created_at] = [this.#uuid(), this.#now()];
      const wanted: Invite = { id, email, invited_by, status: 'pending', created_at, accepted_at: null };
      const created = invites.putInvite(this.#db, wanted);
      const invite = invites.findInvite(this.#db, email) ?? wanted;
      if (created && invite.id !== id) this.#movedInvites++;
      return { invite, created };
    });
  }

  /** A page of them, newest first, and how many there are. */
  invites(page: { limit: number | null; offset: number }): { invites: Invite[]; total: number } {
    return invites.listInvites(this.#db, page);
  }

  /** The page that comes after one of them. */
  invitesAfter(last: Invite, limit: number): Invite[] {
    return invites.invitesAfter(this.#db, last, limit);
  }

  /** Another number than before where one of them stands at another place by now: whoever reads page after page may miss it. */
  get movedInvites(): number {
    return this.#movedInvites;
  }

  /** Whether there was one to revoke. */
  revokeInvite(email: string): boolean {
    return invites.revokeInvite(this.#db, email);
  }

  accountBySubject(issuer: string, subject: string): Account | null {
    return accounts.accountBySubject(this.#db, issuer, subject);
  }

  /** By the account's own id on either network. */
  accountById(id: string): Account | null {
    return accounts.accountById(this.#db, id);
  }

  /** People with an account whose name or address has a part, or whose id it is; `part` may be empty. */
  people(query: { part: string; limit: number; soFar: accounts.PeopleSoFar; each: number }): accounts.PeopleSoFar {
    return accounts.listPeople(this.#db, { ...query, but: this.setting('service_account') ?? '' });
  }

  /**
   * Makes these users other names of the account, in place of those that came from the same source; an id's form decides the
   * network. Throws NotFoundError.
   */
  setAliases(account: string, source: string, users: readonly string[]): void {
    const { id } = accounts.requireAccount(this.#db, account);
    this.#db.transaction(() => accounts.replaceAliases(this.#db, id, source, users));
    this.#verified.clear();
  }

  /** Throws NotFoundError where the account is missing, ValidationError where the holder has too many keys. */
  createKey(wanted: NewKey): CreatedKey {
    return this.#createKey(wanted, false);
  }

  /** The holder's keys that are not revoked, newest first. */
  listKeys(holder: KeyHolder): KeyRecord[] {
    return keys
      .listKeys(this.#db, holder)
      .map((key) => ({ ...key, last_used_at: this.#uses.get(key.id) ?? key.last_used_at }));
  }

  /**
   * Revokes the one key of the holder that begins with `prefix`; from then on it is refused. Throws ValidationError
   * `["prefix"]` where it is not 4 to 12 characters or fits more than one key, NotFoundError where it fits none.
   */
  revokeKey(holder: KeyHolder, prefix: string): void {
    this.#revoked.add(keys.revokeByPrefix(this.#db, holder, prefix, this.#now()));
    this.#verified.clear();
  }

  /** Whether a key that was good for this process, by its id, has been revoked since. */
  isRevoked(id: string): boolean {
    return this.#revoked.has(id);
  }

  /** What a key stands for, and null where it is malformed, unknown, expired or revoked. */
  findKey(key: string): VerifiedKey | null {
    if (!isApiKey(key)) return null;
    const name = keyDigest(key);
    const remembered = this.#verified.get(name);
    const verified = remembered ?? keys.keyByDigest(this.#db, name);
    if (verified === null) return null;
    const now = this.#now();
    if (verified.expires_at !== null && verified.expires_at <= now) {
      this.#verified.delete(name);
      return null;
    }
    if (remembered === undefined) this.#verified.set(name, verified);
    this.#uses.set(verified.id, now);
    if (now - this.#usesWritten >= usesWrittenEvery) this.#writeUses(now);
    return verified;
  }

  /** How many verified keys are remembered now. */
  get remembered(): number {
    return this.#verified.size;
  }

  /**
   * The operator's account and its key, which stands in `<data>/operator.key`; where the file is lost or its key no
   * longer good, a new key is made and the old one revoked. Throws StorageError where the file cannot be read or written.
   */
  ensureOperator(): { account: Account; key: string } {
    const account = accounts.operatorAccount(this.#db) ?? this.#makeOperator();
    const { id } = account;

    const kept = readOperatorKey(this.#operatorFile);
    if (kept !== null && this.findKey(kept)?.internal) return { account, key: kept };

    const { revoked, made } = this.#db.transaction(() => ({
      revoked: keys.revokeInternal(this.#db, id, this.#now()),
      made: this.#createKey({ kind: 'user', account: id, label: 'operator', expiresIn: null }, true),
    }));
    for (const one of revoked) this.#revoked.add(one);
    this.#verified.clear();
    writeOperatorKey(this.#operatorFile, made.key, made.id);
    return { account, key: made.key };
  }

  #makeOperator(): Account {
    return this.#db.transaction(() => {
      const { id } = accounts.insertAccount(this.#db, this.#local('Operator'), this.#now());
      accounts.markOperator(this.#db, id);
      return accounts.requireAccount(this.#db, id);
    });
  }

  /** The account that keys made with `--service` belong to. */
  ensureServiceAccount(): Account {
    const known = this.serviceAccount();
    if (known !== null) return known;
    return this.#db.transaction(() => {
      const { account } = this.registerAccount(this.#local('Service'));
      this.setSetting('service_account', account.id);
      return account;
    });
  }

  /** The service account; null where it was never asked for. */
  serviceAccount(): Account | null {
    const known = this.setting('service_account');
    return known === null ? null : accounts.requireAccount(this.#db, known);
  }

  /** An account of this node's own: its id must be no other node's, or their users would be one in a mirror. */
  #local(name: string): NewAccount {
    return { issuer: localIssuer, subject: `${name.toLowerCase()} ${this.#uuid()}`, email: null, name };
  }

  /** The node's signing key, made when it is first asked for. A backup takes it along. @throws StorageError */
  ensureNodeKey(): NodeKey {
    const kept = this.setting('node_key');
    const text = kept ?? newNodeKey();
    if (kept === null) this.setSetting('node_key', text);
    try {
      return readNodeKey(text);
    } catch {
      throw new StorageError(
        "The node's signing key in identity.db is damaged. Restore a backup; what was signed before stays good.",
      );
    }
  }

  /** `vt_` and 32 random bytes in hex (processors.md 1.2). */
  newVerificationToken(): string {
    return `vt_${Buffer.from(this.#randomBytes(32)).toString('hex')}`;
  }

  /** A node-wide setting, or null. */
  setting(name: string): string | null {
    return this.#db.get<{ value: string }>('SELECT value FROM setting WHERE name = ?', name)?.value ?? null;
  }

  setSetting(name: string, value: string): void {
    const sql = 'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value';
    this.#db.run(sql, name, value);
  }

  /** Why what is written stays in the database's log, in words; else null. */
  get checkpointFault(): string | null {
    return this.#db.checkpointFault;
  }

  /** Writes the times of last use that are not on disk yet, then lets go of the database. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#writeUses(this.#now());
    this.#db.close();
  }

  #createKey(wanted: NewKey, internal: boolean): CreatedKey {
    const key = formatKey(wanted.kind, this.#randomBytes(keyEntropy(wanted.kind)));
    const id = this.#uuid();
    const created_at = this.#now();
    const expires_at = wanted.expiresIn === null ? null : created_at + wanted.expiresIn * 1000;
    keys.insertKey(this.#db, wanted, { id, key, created_at, expires_at }, internal);
    return { id, key, prefix: key.slice(0, keyPrefixLength), label: wanted.label ?? null, created_at, expires_at };
  }

  /** A request is not refused for a time of last use: what cannot be written is kept for the next time. */
  #writeUses(now: number): void {
    this.#usesWritten = now;
    if (this.#uses.size === 0) return;
    try {
      keys.recordUses(this.#db, this.#uses);
      this.#uses.clear();
    } catch {
      return;
    }
  }

  #uuid(): string {
    const bytes = Buffer.from(this.#randomBytes(16));
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
