import type { EntityView } from '../entities/wire.ts';
import type { EntityId, VersionCid } from '../wire.ts';

/**
 * @pattern ^[a-z][a-z0-9_]*$ must begin with a small letter and have only such, digits and `_`
 * @minLength 1
 * @maxLength 50
 */
export type Predicate = string;

export interface RelationshipPairBody {
  note?: string;
  source_id: EntityId;
  target_id: EntityId;
  source_predicate: Predicate;
  /** When given, the target gets or loses the relationship back; both change or none. */
  target_predicate?: Predicate;
  expect_source_tip: VersionCid;
  /**
   * Required with `target_predicate` when the target lies in a collection, and for every removal of a pair; where it is
   * given, nothing changes unless the target is still that version.
   */
  expect_target_tip?: VersionCid;
}

export interface RelationshipPairView {
  source: EntityView;
  target: EntityView;
}

export interface DisconnectBody {
  note?: string;
  source_id: EntityId;
  target_id: EntityId;
  /** The source's tip: it alone changes. */
  expect_tip: VersionCid;
  predicate?: Predicate;
}

export interface ConnectBody extends DisconnectBody {
  /**
   * Of the link; kept in the relationship's properties.
   * @maxLength 200
   */
  label?: string;
  /**
   * Of the link; kept in the relationship's properties.
   * @maxLength 2000
   */
  description?: string;
}

export interface ConnectedView {
  source: EntityView;
}
