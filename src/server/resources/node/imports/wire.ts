import type { EntityId, JsonMap } from '../../wire.ts';

/** What an import writes to, and how. */
export interface StartImportBody {
  /**
   * The collection's id or its label. A label that no collection has makes one; a label that several have is refused.
   * @minLength 1
   * @maxLength 200
   */
  collection: string;
  /**
   * Without a mapping: the type of every entity (default `record`).
   * @minLength 1
   * @maxLength 100
   */
  type?: string;
  /** A mapping file's content: how records become entities and relationships. */
  mapping?: JsonMap;
}

export interface ImportCollectionView {
  id: EntityId;
  label: string;
  /** Whether this import made it. */
  created: boolean;
}

/** What became of the files so far. */
export interface ImportCountsView {
  /**
   * Records read.
   * @isInt
   */
  records: number;
  /**
   * Distinct entities that they describe.
   * @isInt
   */
  entities: number;
  /**
   * Their relationships, without those to the collection.
   * @isInt
   */
  relationships: number;
  /** @isInt */
  created: number;
  /** @isInt */
  updated: number;
  /** @isInt */
  unchanged: number;
  /**
   * Changed sources whose entity was edited or deleted on this node: it stays as it is.
   * @isInt
   */
  left_alone: number;
  /**
   * Records that no entity can be made of, and entities that may not be written.
   * @isInt
   */
  refused: number;
  /**
   * Records whose kind and id an earlier record of this import had: the first stands.
   * @isInt
   */
  repeated: number;
}

export interface ImportProgressView extends ImportCountsView {
  /**
   * How many bytes of this file have been read.
   * @isInt
   */
  bytes: number;
}

export interface LeftAloneView {
  id: EntityId;
  /** File and line. */
  place: string;
  /** `not_imported`: something else made the entity that has this id. */
  reason: 'edited' | 'deleted' | 'not_imported';
}

export interface RefusedView {
  /** File and line. */
  place: string;
  /** Absent where the record could not be mapped. */
  id?: EntityId;
  issues: { path: (string | number)[]; message: string }[];
}

/** The counts, with the first hundred of what should be looked at. */
export interface ImportReportView extends ImportCountsView {
  left_alone_examples: LeftAloneView[];
  refused_examples: RefusedView[];
}

export interface ImportView extends ImportReportView {
  id: string;
  collection: ImportCollectionView;
  /** The files that have been read. */
  files: string[];
}

/**
 * One line of the answer to an upload: `progress` now and then, last `done` with what became of all files of the
 * import, or `error` and `details` as an error's body has them. Progress that the client does not read is left out.
 */
export interface ImportLineView {
  progress?: ImportProgressView;
  done?: ImportView;
  error?: string;
  details?: JsonMap;
}
