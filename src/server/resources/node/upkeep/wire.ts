import type { EntityId, JsonMap } from '../../wire.ts';

/** How far something has come. */
export interface StepView {
  /** What is counted. */
  step: string;
  /** @isInt */
  done: number;
  /** @isInt */
  total?: number;
}

export interface ProblemView {
  /** `database`, `block`, `chain`, `entity`, `edge`, `listing`, `move`, `file` or `log`. */
  kind: string;
  id?: EntityId;
  message: string;
}

export interface VerifyCountsView {
  /** @isInt */
  versions: number;
  /**
   * Of the versions.
   * @isInt
   */
  bytes: number;
  /** @isInt */
  entities: number;
  /** @isInt */
  edges: number;
  /** @isInt */
  listings: number;
  /** @isInt */
  moves: number;
  /** @isInt */
  files: number;
  /**
   * Of the files, those whose bytes are damaged. They were set aside where that could be done.
   * @isInt
   */
  damaged_files: number;
  /**
   * That versions name and that are not here: not uploaded, not come, or lost.
   * @isInt
   */
  missing_files: number;
  /**
   * Of the attestation log.
   * @isInt
   */
  leaves: number;
  /**
   * The signed heads that are kept of it.
   * @isInt
   */
  heads: number;
}

export interface VerifyView {
  /** Whether nothing is wrong. */
  ok: boolean;
  counts: VerifyCountsView;
  /** @isInt */
  problem_count: number;
  /** The first hundred. */
  problems: ProblemView[];
  /** What is not wrong, and yet to be known. */
  remarks: string[];
}

/**
 * One line of the answer: `progress` now and then, last `done`, or `error` and `details` as an error's body has them, with the
 * `status` that the answer would have had.
 */
export interface VerifyLineView {
  progress?: StepView;
  done?: VerifyView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}

export interface ReindexedView {
  network: 'main' | 'test';
  /**
   * That are in the index.
   * @isInt
   */
  entities: number;
  /**
   * The last move that is in it.
   * @isInt
   */
  moves: number;
}

/**
 * One line of the answer: `progress` now and then, last `done`, or `error` and `details` as an error's body has them, with the
 * `status` that the answer would have had.
 */
export interface ReindexLineView {
  progress?: StepView;
  done?: ReindexedView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}

export interface BackupBody {
  /**
   * The folder that is made, absolute, on the node's machine; it must not exist or be empty.
   * @minLength 1
   * @maxLength 4096
   */
  dir: string;
}

export interface BackedUpNetworkView {
  network: 'main' | 'test';
  /** @isInt */
  entities: number;
  /** @isInt */
  versions: number;
  /** @isInt */
  moves: number;
  /**
   * That versions name and that are not here, and so not in the backup.
   * @isInt
   */
  missing_files?: number;
  /**
   * Whose bytes are not those of their CID, which the backup has as they are, or cannot be read, which it has not.
   * @isInt
   */
  damaged_files?: number;
  /** Their CIDs, the first hundred. */
  damaged?: string[];
}

export interface BackupView {
  dir: string;
  /** When it was made, as its `backup.json` says: who has asked can see whether it lies where they look for it. */
  time: string;
  networks: BackedUpNetworkView[];
  /** @isInt */
  files: number;
  /** @isInt */
  bytes: number;
}

/**
 * One line of the answer: `progress` now and then, last `done`, or `error` and `details` as an error's body has them, with the
 * `status` that the answer would have had.
 */
export interface BackupLineView {
  progress?: StepView;
  done?: BackupView;
  error?: string;
  details?: JsonMap;
  /** @isInt */
  status?: number;
}
