import type { CasBody, CasUpdateBody, EntityId, JsonMap, ManifestView, RelationshipBody } from '../wire.ts';

/**
 * The name of a file's bytes among the versions of the file; any text that is not used yet.
 * @minLength 1
 * @example "5f0e8c0e-8f5b-4e0c-9c43-0b4c6c7c8f11"
 */
export type FileKey = string;

/**
 * @minLength 1
 * @example "self-portrait.tif"
 */
export type FileName = string;

/**
 * The media type that the bytes are sent with and served as.
 * @minLength 1
 * @maxLength 255
 * @example "image/tiff"
 */
export type FileType = string;

/**
 * In bytes.
 * @isInt
 * @minimum 0
 * @maximum 524288000
 */
export type FileSize = number;

export interface CreateFileBody {
  key: FileKey;
  filename: FileName;
  content_type: FileType;
  size: FileSize;
  /** The filename if omitted. */
  label?: string;
  description?: string;
  /** Further properties. */
  properties?: JsonMap;
  /** A folder to lie in is a relationship `in`. */
  relationships?: RelationshipBody[];
  /** The collection to lie in; makes the `collection` relationship. */
  collection?: EntityId;
  /** Of the bytes, where the client knows it: `upload_url` then takes no others. */
  cid?: string;
}

/** A file without its bytes yet. */
export interface FileCreatedView extends ManifestView {
  /** Takes the bytes by PUT for 15 minutes, without credentials; then POST confirm-upload. POST content does both. */
  upload_url: string;
  upload_expires_at: string;
}

export interface UpdateFileBody extends CasUpdateBody {
  /** Of an earlier version of this file, to go back to its bytes. */
  key?: FileKey;
  filename?: FileName;
  content_type?: FileType;
  size?: FileSize;
  label?: string;
  description?: string;
}

export interface ReuploadBody extends CasBody {
  /** Not that of an earlier version. */
  key: FileKey;
  content_type: FileType;
  size: FileSize;
  /** As it is if omitted. */
  filename?: FileName;
  /** As it is if omitted. */
  label?: string;
  description?: string;
}

export interface FileDownloadView {
  /** Gives the bytes for five minutes, without credentials. */
  download_url: string;
  expires_at: string;
  filename: string;
  content_type: string;
  /** @isInt */
  size: number;
}

/** The file has its bytes already. */
export interface UploadedConflictView {
  error: string;
  details: { expected: string; actual: string; reason?: string };
  /** @isInt */
  status?: number;
}
