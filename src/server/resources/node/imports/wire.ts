import type { TextEncoding } from '../../../exchange/text-encoding.ts';
import type { EntityId, JsonMap } from '../../wire.ts';

/** What an import writes to, and how. */
export interface StartImportBody {
  /**
   * The collection's id or its label. A label that no collection has makes one, or
   * brings back the one that an undo has deleted; a label that several have is refused.
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
  /**
   * In what the files are written (default `utf-8`); what is said with one counts for more, and a byte-order mark at its beginning
   * for most.
   */
  encoding?: TextEncoding;
}

export interface ImportCollectionView {
  id: EntityId;
  label: string;
  /** Whether this import made it, or brought it back after an undo. */
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
  /**
   * Places at which a record says of an entity what is not kept, since something else of it stands: an earlier record, or for
   * what is only mentioned whatever was said of it first. Nothing is said that stands with the entity anyway.
   * @isInt
   */
  differing: number;
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

/** A place at which a record says of an entity what is not kept. */
export interface DifferingView {
  id: EntityId;
  /** File and line. */
  place: string;
  /**
   * `mentioned`: inside another record. `repeated`: by a second record with its id. `replaces`: the record here replaces an
   * earlier mention, which said more; that stays in the entity's history.
   */
  reason: 'mentioned' | 'repeated' | 'replaces';
  /** The first few properties and predicates that say it; empty where they are not known. */
  names: string[];
}

/** The counts, with the first hundred of what should be looked at. */
export interface ImportReportView extends ImportCountsView {
  left_alone_examples: LeftAloneView[];
  refused_examples: RefusedView[];
  differing_examples: DifferingView[];
}

/** A field that the mapping names, and no record has had: misspelled, or of none of these files. */
export interface UnmetFieldView {
  /** Where the mapping names it, as `records[0].label`. */
  place: string;
  /** Its path; of a label that may be taken from several fields all of these. */
  field: string;
}

export interface ImportView extends ImportReportView {
  id: string;
  collection: ImportCollectionView;
  /** The files that have been read. */
  files: string[];
  /** The first hundred. */
  unmet_fields: UnmetFieldView[];
  /** The file that is being read, and how far it has come. */
  reading?: ImportReadingView;
}

export interface ImportReadingView {
  name: string;
  /** @isInt */
  bytes: number;
}

/** The beginning of a file and a mapping, of which no more is made than something to look at. */
export interface ImportPreviewBody {
  /**
   * The file's name: its ending says what the text is, as for an import. That of a packed file is given without `.gz`.
   * @maxLength 255
   */
  name: string;
  /**
   * What the file begins with.
   * @maxLength 1000000
   */
  text: string;
  /** Whether the text is all of the file. */
  whole?: boolean;
  /** Where the import is to go; ids are made for it. Without it they are no ids of entities to come. */
  collection?: EntityId;
  /**
   * As for an import.
   * @minLength 1
   * @maxLength 100
   */
  type?: string;
  /** As for an import. */
  mapping?: JsonMap;
  /**
   * How many records are shown (default 10).
   * @isInt
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
}

/** An entity as an import would make it. */
export interface PreviewEntityView {
  id: EntityId;
  type: string;
  properties: JsonMap;
  relationships: PreviewRelationshipView[];
  /** Only mentioned inside the record: made where it is not there, never changed. */
  mentioned: boolean;
  /** What the import would find: nothing, the entity, or that it was deleted. Absent where it is to go is not said. */
  standing?: 'new' | 'here' | 'deleted';
}

export interface PreviewRelationshipView {
  predicate: string;
  peer: EntityId;
  peer_type?: string;
  peer_label?: string;
  properties?: JsonMap;
}

export interface PreviewRowView {
  /** File and line. */
  place: string;
  /** The record's own entity first; at most 50. */
  entities: PreviewEntityView[];
  /** Why no entity can be made of it. */
  issues: { path: (string | number)[]; message: string }[];
}

/** What one field of the records holds. */
export interface ImportColumnView {
  /** As a mapping names it. */
  name: string;
  /**
   * In how many records there is something.
   * @isInt
   */
  filled: number;
  /**
   * How many different values; null where there are more than a thousand.
   * @isInt
   */
  distinct: number | null;
  examples: string[];
  /** What all of the values are. A numeral that a number would not be written as again (`007`, `1987.10`) is a text. */
  looks: 'text' | 'number' | 'boolean' | 'date' | 'list' | 'object' | 'empty';
}

export interface ImportPreviewView {
  /**
   * How many records the text holds.
   * @isInt
   */
  records: number;
  /**
   * Those of them that no entity can be made of; the first of them are among the rows.
   * @isInt
   */
  refused: number;
  columns: ImportColumnView[];
  rows: PreviewRowView[];
  /** Why the text could not be read to its end. */
  issues: { path: (string | number)[]; message: string }[];
}

/** An import that was begun, also one that ended long ago. */
export interface ImportRunView {
  id: string;
  /** Null: an archive, which brings its own. */
  collection: ImportRunCollectionView | null;
  /** ISO 8601 */
  started_at: string;
  files: string[];
  counts: ImportCountsView;
  /**
   * `open`: it goes on, or more files may come. `broken_off`: it ended before its end, and what came by then stays; importing
   * the same again goes on from there, and one of an archive is completed at the node's next start, unless it is undone. `unknown`: it is from before this was kept.
   */
  state: 'open' | 'ended' | 'broken_off' | 'unknown';
}

export interface ImportRunCollectionView {
  id: EntityId;
  label: string | null;
  /** Whether the import made it. */
  created: boolean;
  deleted: boolean;
}

export interface ImportRunsView {
  /** The newest first. */
  imports: ImportRunView[];
  /** For `before` of the next page; null on the last one. */
  next: string | null;
}

/** An entity that an import made and that has changed since. */
export interface ChangedSinceView {
  id: EntityId;
  type: string;
  label: string | null;
  /** @isInt */
  ver: number;
  /** ISO 8601 */
  updated_at: string;
}

/** What is left of what an import made. */
export interface ImportMadeView {
  import: ImportRunView;
  /**
   * Entities that it brought into being.
   * @isInt
   */
  made: number;
  /**
   * Still as it left them: an undo deletes these.
   * @isInt
   */
  untouched: number;
  /**
   * Changed since, by whomever: an undo keeps these.
   * @isInt
   */
  changed: number;
  /**
   * Deleted already.
   * @isInt
   */
  deleted: number;
  /** The first of the changed ones. */
  changed_examples: ChangedSinceView[];
  /**
   * Whether an undo deletes the collection too: the import made it, and nothing else will lie in it. The collections that
   * an archive brought are among what it made.
   */
  collection_goes: boolean;
}

export interface UndoProgressView {
  /**
   * Entities deleted so far.
   * @isInt
   */
  deleted: number;
  /**
   * To be deleted.
   * @isInt
   */
  total: number;
}

export interface UndoneView extends UndoProgressView {
  /**
   * Changed since the import, or meanwhile: they stay.
   * @isInt
   */
  kept: number;
  kept_examples: ChangedSinceView[];
  collection_deleted: boolean;
}

/**
 * One line of the answer to an undo: `progress`, last `done`, or `error` and `details` as an error's body has them, with the
 * `status` that the answer would have had.
 */
export interface UndoLineView {
  progress?: UndoProgressView;
  done?: UndoneView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}

/**
 * One line of the answer to an upload: `progress` now and then, last `done` with what became of all files of the
 * import, or `error` and `details` as an error's body has them, with the `status` that the answer would have had. Progress that
 * the client does not read is left out.
 */
export interface ImportLineView {
  progress?: ImportProgressView;
  done?: ImportView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}
