import type { Block } from '../../blocks/encode.ts';

export type Direction = 'both' | 'pull' | 'push';

/** Why an entity that a remote's feed names is not here (sync/SPEC.md); `failing`: the remote fails at it. */
export type Trouble = 'forbidden' | 'missing' | 'mismatch' | 'unverifiable' | 'incomplete' | 'failing';

/** How the node syncs with a remote by itself. */
export interface RemoteSettings {
  watch: boolean;
  /** Kilobits a second at most; null: as fast as it goes. */
  max_kbps: number | null;
  /** Hours of the day in which it is watched, as `22-6`; null: always. */
  hours: string | null;
}

/** What of a remote comes here, and goes there. */
export interface RemoteScope {
  /** Empty: all. */
  collections: string[];
  /** The types of entities beside collections; empty: all. */
  types: string[];
  /** The file content that comes: what current versions name, or none. */
  content: 'tips' | 'none';
}

/**
 * Why bytes that a version names did not come from a remote: it does not have them, does not give them to this key, or
 * gives others. `unsent`: they are here, it lacks them, and it did not take them now.
 */
export type ContentTrouble = 'missing' | 'forbidden' | 'mismatch' | 'unsent';

/**
 * Why both sides keep their own versions, which say the same: the remote did not take the one here (`refused`), or nodes hand
 * its one round, and it was the tip here twice (`returned`).
 */
export type Apart = 'refused' | 'returned';

/** Why a run failed: no answer, its key does not count there, asked to wait, ended from here, or something else. */
export type RunFault = 'unreachable' | 'denied' | 'held' | 'ended' | 'other';

/** What sync keeps, in the commit that it belongs to. `remote` is a remote's name; versions are CIDs. */
export type SyncRow =
  | {
      kind: 'remote';
      remote: string;
      url: string;
      secret: string | null;
      instance: string | null;
      user: string | null;
      direction: Direction;
      /** Empty: all collections. */
      collections: string[];
    }
  /** Times are epoch milliseconds, `report` is JSON (sync/runs.ts); a `head` or `level` of null stays as it was. */
  | {
      kind: 'remote_run';
      remote: string;
      started: number;
      ended: number;
      report: string;
      error: string | null;
      head: number | null;
      level: number | null;
      /** Until when the remote wants to be left alone. */
      held: number | null;
      fault: RunFault | null;
      /** Whether the log is told: something was done, or it went otherwise than the time before. */
      notable: boolean;
    }
  /** Another key, of a user there; both null for none. */
  | { kind: 'remote_key'; remote: string; secret: string | null; user: string | null; direction: Direction }
  | ({ kind: 'remote_settings'; remote: string } & RemoteSettings)
  /** `wider`: what was passed over may be wanted now, so that its feed is read anew. */
  | ({ kind: 'remote_scope'; remote: string; wider: boolean } & RemoteScope)
  | { kind: 'remote_gone'; remote: string }
  /** Everything that is kept of it stays. Nothing happens where the name is taken. */
  | { kind: 'remote_renamed'; remote: string; to: string }
  /** Feed ids from `first` to `last` are dealt with; `cid` is what `last` names. `lost`: the feed no longer has them. */
  | { kind: 'feed_seen'; remote: string; first: number; last: number; cid: string | null; lost: boolean }
  /**
   * All tips were compared: what was lost is made up for. `reset`: the remote began another feed, and
   * nothing of the earlier one counts any more.
   */
  | { kind: 'feed_swept'; remote: string; reset: boolean; uncatalogued: boolean }
  /** A listing there could not be read, as `words` say; null for that of the collections of the key's user. */
  | { kind: 'listing_failed'; remote: string; collection: string | null; words: string }
  | { kind: 'listing_read'; remote: string; collection: string | null }
  /** The newest event of a remote's feed after a push to it; null after a reset, of which it says nothing. */
  | { kind: 'push_mark'; remote: string; mark: { id: number; cid: string } | null }
  /** The remote was reset and no longer has an entity. */
  | { kind: 'remote_forgot'; remote: string; id: string }
  /**
   * The remote's tip of an entity is known. `event`: the feed id that told, null where a push did. `twin`: the version
   * here with its content, null for none yet. `blocks` are kept without moving the tip, oldest first. `mirrored`: it
   * came from there first. `apart`: whether each keeps its own version, which says what `twin` says.
   */
  | {
      kind: 'remote_tip';
      remote: string;
      id: string;
      event: number | null;
      theirs: string;
      twin: string | null;
      blocks: Block[];
      mirrored: boolean;
      apart?: Apart | null;
      /** The remote was reset: what it said before it may have forgotten. */
      reset?: boolean;
      /** It is in conflict, also where it was before: a row of its own says what about. */
      isConflict?: boolean;
    }
  | { kind: 'remote_trouble'; remote: string; id: string; event: number; trouble: Trouble; evidence: string }
  /** What could not be read, and of which no version is known from there, is none of what is wanted, or not there any more. */
  | { kind: 'trouble_gone'; remote: string; id: string }
  /** The remote has the bytes that an entity names; `sending`: they are on their way to an address. */
  | { kind: 'content_there'; remote: string; id: string; cid: string }
  /** There is no trouble with them any more. */
  | { kind: 'content_settled'; remote: string; id: string; cid: string }
  | { kind: 'content_sending'; remote: string; id: string; cid: string; address: string }
  /** `again`: when they are asked for again, epoch milliseconds. */
  | {
      kind: 'content_trouble';
      remote: string;
      id: string;
      cid: string;
      trouble: ContentTrouble;
      evidence: string;
      again: number;
    }
  | { kind: 'push_intent'; remote: string; id: string; tip: string; expect: string | null; content: string }
  /** The request was answered, and what it made cannot be read for now. */
  | { kind: 'push_answered'; remote: string; id: string; status: number }
  /** The request did nothing there. */
  | { kind: 'push_void'; remote: string; id: string }
  /** `request`: it answers the request that is open, which is settled by it; bytes are refused beside it. */
  | {
      kind: 'push_refusal';
      remote: string;
      id: string;
      tip: string;
      status: number;
      words: string;
      request: boolean;
    }
  | { kind: 'sync_conflict'; remote: string; id: string; base: string | null; ours: string; theirs: string }
  /** Somebody has decided a conflict: `cid` is what stands now. */
  | { kind: 'conflict_decided'; remote: string; id: string; cid: string };
