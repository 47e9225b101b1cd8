import type { EntityId, JsonMap, VersionCid } from '../wire.ts';

/** The names under which callers look for a transaction: the interface's, and those of the public service. */
export interface TransactionView {
  /** The hash of the log's leaf, base64url. */
  permastore_tx: string;
  /** Where this node verifies it. */
  permastore_url: string;
  arweave_tx: string;
  arweave_url: string;
  arweave_net_url: string;
}

/** A version that a signed head of this node's log covers. */
export interface AttestationView extends TransactionView {
  id: EntityId;
  pi: EntityId;
  /** @isInt */
  ver: number;
  cid: VersionCid;
  /**
   * When the version became the tip here, epoch milliseconds.
   * @isLong
   */
  ts: number;
  /**
   * The number of the move, which is also that of the event.
   * @isLong
   */
  seq: number;
}

/** A version that is recorded, and that no signed head covers yet: ask again in a second. */
export interface PendingAttestationView {
  id: EntityId;
  pi: EntityId;
  /** @isInt */
  ver: number;
  cid: VersionCid;
  attestation_status: 'pending';
  message: string;
}

/** The last entry of the log that a signed head covers. */
export interface AttestationHeadView {
  /**
   * Its number, which is also how many there are.
   * @isLong
   */
  seq: number;
  /** The hash of its leaf, base64url. */
  tx: string;
  permastore_url: string;
  arweave_url: string;
  arweave_net_url: string;
}

export interface AttestedView {
  id: EntityId;
  pi: EntityId;
  /** @isInt */
  ver: number;
  cid: VersionCid;
  /** `C` where the entity had no tip here before. */
  op: 'C' | 'U';
  /** Whether everybody may see the entity now. */
  vis: 'pub' | 'priv';
  /** The tip before; null with `C`. */
  prev_cid: VersionCid | null;
  /** @isLong */
  ts: number;
  /** @isLong */
  seq: number;
}

export interface VerifiedAttestationView {
  permastore_tx: string;
  arweave_tx: string;
  attestation: AttestedView;
  /** Whether the version's bytes, hashed again, have its CID. */
  cid_valid: boolean;
  manifest_preview: { type: string };
}

/** A signed tree head: what the first `size` moves are. The signature is over the canonical JSON (RFC 8785) of the other members. */
export interface SignedHeadView {
  format: 'archeion/head@v1';
  network: 'main' | 'test';
  /** The node's own id; each instance has a log of its own. */
  instance: string;
  /** @isLong */
  size: number;
  /** RFC 6962, base64url. */
  root: string;
  /** @isLong */
  time: number;
  /** The key at `/.well-known/signing-key`, unless the node had another one then. */
  key_id: string;
  /** Ed25519, base64url. */
  signature: string;
}

/** One move as the log has it; its hash is over the canonical JSON (RFC 8785), behind a zero byte. */
export interface LeafView {
  /** @isLong */
  seq: number;
  pi: EntityId;
  /** @isInt */
  ver: number;
  cid: VersionCid;
  op: 'C' | 'U';
  prev_cid: VersionCid | null;
  /** @isLong */
  ts: number;
}

/** Kept as a file it can be checked without a node: `archeion verify --proof FILE`. */
export interface ProofView {
  format: 'archeion/proof@v1';
  head: SignedHeadView;
  /** Of the head's key, 32 bytes in base64. */
  public_key: string;
  leaf: LeafView;
  /** The hashes from the leaf (number `seq - 1`) up to the root, base64url. */
  path: string[];
  /** The version as it was hashed. */
  manifest: JsonMap;
  /** Its bytes in base64, where JSON cannot say them all. */
  block?: string;
}

/** Shows that the first `from` moves are the beginning of the first `to` (RFC 6962, 2.1.2). */
export interface ConsistencyView {
  /** @isLong */
  from: number;
  /** @isLong */
  to: number;
  from_root: string;
  to_root: string;
  path: string[];
}
