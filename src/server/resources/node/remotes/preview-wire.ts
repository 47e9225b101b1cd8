import type { EntityId } from '../../wire.ts';

export interface FirstLookView {
  /**
   * Collections, and what they list of what is wanted.
   * @isInt
   */
  entities: number;
  /**
   * Entities whose current versions were read for what follows.
   * @isInt
   */
  looked_at: number;
  /**
   * The size of these versions, as JSON.
   * @isInt
   */
  version_bytes: number;
  /**
   * File content that they name and that is not here, each once.
   * @isInt
   */
  files: number;
  file_bytes: number;
  /** What these numbers do not say, in plain sentences. */
  unknown: string[];
}

/** What would be done there. */
export interface PushPreviewView {
  id: EntityId;
  type: string;
  label: string;
  /** `ask`: it was changed there, too, or an answer was lost, so that it is looked at first. */
  intent: 'create' | 'update' | 'delete' | 'restore' | 'ask';
  /** What it points at that the remote is not known to have, and that would not go there with it; at most a hundred. */
  lacks: EntityId[];
}

/** An entity that a sync would delete here. */
export interface DeletionPreviewView {
  id: string;
  type: string;
  label: string;
}

export interface SyncPreviewView {
  /** What gives away that the remote was reset, so that a sync would stop there; null for nothing. */
  reset: string | null;
  /**
   * New events.
   * @isInt
   */
  events: number;
  /**
   * Of how many entities.
   * @isInt
   */
  entities: number;
  /** What is live here and would be deleted, since the remote has it no more. */
  deletions: DeletionPreviewView[];
  /** Whether all of the entities were looked at for that: of very many only the first are. */
  looked_at_all: boolean;
  /** Its feed does not tell all that was changed: everything would be compared, and what comes of that is not counted. */
  compares_all: boolean;
  /** How much a first mirror would bring, as far as that can be known; null where it is not the first. */
  first: FirstLookView | null;
  push: PushPreviewView[];
}
