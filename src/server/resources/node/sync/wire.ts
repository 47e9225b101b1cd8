import type { EntityId } from '../../wire.ts';
import type { SyncRunView } from '../remotes/wire.ts';

/** How things stand with a remote, as far as it is known without counting what is mirrored. */
export interface RemoteStateView {
  name: string;
  /**
   * Entities whose version here is to be pushed.
   * @isInt
   */
  pending: number;
  /** @isInt */
  conflicts: number;
  /** @isInt */
  refused: number;
  /** Its last sync failed, or waits for somebody to look. */
  failing: boolean;
  /** A sync is under way. */
  running: boolean;
  /** Whether the node syncs with it by itself. */
  watch: boolean;
}

export interface SyncStateView {
  remotes: RemoteStateView[];
  /**
   * With remotes, and with versions that archives brought.
   * @isInt
   */
  conflicts: number;
}

export type SyncEventKind =
  | 'run'
  | 'stopped'
  | 'failed'
  | 'ended'
  | 'conflict'
  | 'decided'
  | 'refused'
  | 'added'
  | 'renamed'
  | 'moved'
  | 'rekeyed'
  | 'removed'
  | 'watched'
  | 'unwatched';

/** One thing that happened between this node and a remote. */
export interface SyncEventView {
  /** @isInt */
  seq: number;
  time: string;
  /** `car` for what an archive brought, or a remote had that was set back, or removed. */
  remote: string;
  kind: SyncEventKind;
  /** What it is about: of conflicts and refusals. */
  entity: { id: EntityId; type: string | null; label: string | null } | null;
  /** Of a sync that did something, failed, was ended, or waits for somebody to look. */
  run: SyncRunView | null;
  /** The words of a refusal, the earlier name, the address of what was added or has moved, the user that another key is of. */
  words: string | null;
}

export interface SyncLogView {
  /** Newest first. */
  events: SyncEventView[];
  /**
   * `before` of the next page; null on the last.
   * @isInt
   */
  next: number | null;
}
