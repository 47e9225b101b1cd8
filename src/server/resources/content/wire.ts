import type { EntityId, VersionCid } from '../wire.ts';

/**
 * The name of a content entry within its entity.
 * @minLength 1
 * @maxLength 255
 * @example "v1"
 */
export type ContentKey = string;

/**
 * The CID of bytes: CIDv1, raw, sha2-256, base32.
 * @minLength 1
 * @example "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
 */
export type ContentCid = string;

/** What an entity says of bytes that it holds. */
export interface ContentView {
  key: ContentKey;
  cid: ContentCid;
  /** @isInt */
  size: number;
  content_type: string;
  filename?: string;
  uploaded_at: string;
}

export interface ContentWrittenView {
  id: EntityId;
  cid: VersionCid;
  content: ContentView;
  prev_cid: VersionCid;
}

export interface ContentRemovedView {
  id: EntityId;
  cid: VersionCid;
  removed_key: string;
  prev_cid: VersionCid;
}

export interface RenameContentBody {
  old_key: ContentKey;
  new_key: ContentKey;
  expect_tip: VersionCid;
}

export interface ContentRenamedView {
  id: EntityId;
  cid: VersionCid;
  old_key: string;
  new_key: string;
  content_cid: ContentCid;
  prev_cid: VersionCid;
}

export interface UploadUrlBody {
  cid: ContentCid;
  /** @minLength 1 */
  content_type: string;
  /**
   * In bytes.
   * @isInt
   * @minimum 1
   * @maximum 524288000
   */
  size: number;
}

export interface UploadUrlView {
  /** Takes the bytes by PUT for 15 minutes, without credentials. */
  upload_url: string;
  r2_key: string;
  expires_at: string;
}

export interface CompleteUploadBody {
  key: ContentKey;
  cid: ContentCid;
  /**
   * In bytes.
   * @isInt
   * @minimum 1
   */
  size: number;
  content_type: string;
  /** @maxLength 255 */
  filename?: string;
  expect_tip: VersionCid;
}
