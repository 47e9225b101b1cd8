import type { EntityId, VersionCid } from '../../wire.ts';

export interface CollectionLineView {
  id: EntityId;
  label: string | null;
  created_at: string;
  updated_at: string;
  /**
   * How many live entities it has.
   * @isInt
   */
  entities: number;
  /** The remote that it came from; null for one of this node. */
  mirror: string | null;
}

export interface CollectionLinesView {
  collections: CollectionLineView[];
  /**
   * How many there are, or that `q` may mean.
   * @isInt
   */
  total: number;
}

export interface TypeCountView {
  type: string;
  /** @isInt */
  count: number;
}

/** A property or predicate that entities have. */
export interface FoundColumnView {
  name: string;
  /**
   * In how many of the sample.
   * @isInt
   */
  present: number;
  /** `string`, `number`, `boolean`, `array`, `object`; the most common first. */
  kinds: string[];
}

export interface TableFacetsView {
  collection_id: EntityId;
  /** All types, the most common first. */
  types: TypeCountView[];
  /**
   * The newest of each type, from which the columns are known.
   * @isInt
   */
  sampled: number;
  properties: FoundColumnView[];
  relationships: FoundColumnView[];
}

/** An entity in a table. */
export interface TableRowView {
  id: EntityId;
  type: string;
  label: string | null;
  /** @isInt */
  ver: number;
  cid: VersionCid;
  created_at: string;
  updated_at: string;
  /** It was deleted since the order was made. */
  gone?: true;
  /** It was changed since the order was made: it may fit no longer, and is shown as it is now. */
  changed?: true;
  /** By column; long texts are cut, lists of plain values stand between commas, others and objects are JSON text. What is not there is missing. */
  cells: { [column: string]: string | number | boolean };
}

export interface TablePageView {
  collection_id: EntityId;
  /** For the next pages: they are then cut from the same order, whatever is written meanwhile. */
  view: string;
  /** @isInt */
  total: number;
  /** @isInt */
  offset: number;
  rows: TableRowView[];
}

/** An entity that was deleted. */
export interface DeletedRowView {
  id: EntityId;
  type: string;
  /** What it was called when it was deleted; null where it had no label, or the version that had it is damaged. */
  label: string | null;
  /**
   * Of the deletion.
   * @isInt
   */
  ver: number;
  /** The version that deletes it: `expect_tip` of a restore. */
  cid: VersionCid;
  created_at: string;
  deleted_at: string;
  /** The id of who deleted it; empty where another program's version does not say, or the version is damaged. */
  deleted_by: string;
  /** What was said of the deletion. */
  note: string | null;
}

export interface DeletedCollectionsView {
  /** @isInt */
  total: number;
  /** @isInt */
  offset: number;
  /** The last deleted first. */
  rows: DeletedRowView[];
}

export interface DeletedPageView extends DeletedCollectionsView {
  collection_id: EntityId;
}
