import type { EditedByView, EntityId, JsonMap, RelationshipBody, VersionCid } from '../wire.ts';

export interface VersionView {
  /** @isInt */
  ver: number;
  cid: VersionCid;
  ts: string;
  edited_by: EditedByView;
  note?: string;
  /** Absent here, where nothing goes to permanent storage: this node's attestations are told by `/versions/{id}/{ver}/attestation`. */
  permastore_tx?: string;
  permastore_url?: string;
}

export interface VersionsView {
  entity_id: EntityId;
  /** Newest first. */
  versions: VersionView[];
  has_more: boolean;
  next_cursor: VersionCid | null;
}

/** A version as it was hashed. */
export interface HistoricManifestView {
  schema: string;
  id: EntityId;
  type: string;
  created_at: string;
  /** @isInt */
  ver: number;
  ts: string;
  prev: { '/': VersionCid } | null;
  properties?: JsonMap;
  relationships?: RelationshipBody[];
  edited_by: EditedByView;
  note?: string;
  deleted?: boolean;
  reason?: string;
}

export interface HistoricView {
  cid: VersionCid;
  manifest: HistoricManifestView;
}
