import type { EntityId, JsonMap, VersionCid } from '../../wire.ts';

/** How far an import has come. */
export interface CarProgressView {
  /** @isInt */
  entities: number;
  /**
   * Of the archive.
   * @isInt
   */
  total: number;
}

/** An entity whose tip here and whose tip in the archive do not descend from each other. */
export interface CarForkView {
  id: EntityId;
  ours: VersionCid;
  theirs: VersionCid;
}

export interface CarPartialView {
  id: EntityId;
  /**
   * The version with which the history starts here.
   * @isInt
   */
  ver: number;
}

/** What became of an archive. */
export interface CarImportView {
  /** Its id in the list of imports (GET /node/imports). */
  run: string;
  /** The archive's root. */
  root: VersionCid;
  /** @isInt */
  entities: number;
  /**
   * Versions that the archive brought and that were not known.
   * @isInt
   */
  versions: number;
  /**
   * Blocks of file content that were not known.
   * @isInt
   */
  content: number;
  /**
   * Files that its versions name, that did not come with it and are not here.
   * @isInt
   */
  missing_files: number;
  /** @isInt */
  created: number;
  /**
   * Moved on to a version that descends from the one here.
   * @isInt
   */
  advanced: number;
  /** @isInt */
  unchanged: number;
  /**
   * The tip here stays, the archive's versions are kept, and each is listed as a conflict.
   * @isInt
   */
  forks: number;
  /** The first of the forks. */
  fork_examples: CarForkView[];
  /** The first entities whose history starts with a later version than 1. */
  partial_examples: CarPartialView[];
  /** What else is to be known, in plain words. */
  remarks: string[];
}

/**
 * One line of the answer: `progress` now and then, last `done`, or `error` and `details` as an error's body has them, with the
 * `status` that the answer would have had.
 */
export interface CarImportLineView {
  progress?: CarProgressView;
  done?: CarImportView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}

/** What is to be exported: a collection, entities one by one, or without both a whole network. */
export interface PrepareExportBody {
  /** As for GET /node/export. */
  format: 'car' | 'ndjson' | 'csv' | 'bagit' | 'ro-crate';
  /** The collection and what is in it. Beside `entities` it gives the file its name. */
  collection?: EntityId;
  /**
   * These entities alone.
   * @minItems 1
   * @maxItems 10000
   */
  entities?: EntityId[];
  /** Every version (the default), or of each entity the newest alone. */
  history?: 'all' | 'tip';
}

/** An export that is ready, on its way or has ended. */
export interface PreparedExportView {
  id: string;
  /** The file's name. */
  name: string;
  /**
   * How many entities it has.
   * @isInt
   */
  entities: number;
  state: 'waiting' | 'running' | 'done' | 'stopped';
  /**
   * How many bytes have gone out.
   * @isInt
   */
  bytes: number;
  /** Why it broke off, or that it was stopped. */
  error?: string;
  /** Where its bytes are to be had, once. */
  url: string;
}
