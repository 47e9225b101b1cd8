import type { EntityId, VersionCid } from '../../wire.ts';
import type { SyncPreviewView } from './preview-wire.ts';

/**
 * @minLength 1
 * @maxLength 50
 * @pattern ^[A-Za-z0-9][A-Za-z0-9._-]*$ must begin with a letter or digit and have only such, dots, `_` and `-`
 */
export type RemoteName = string;

/**
 * @minLength 1
 * @maxLength 200
 */
export type TypeName = string;

export type RemoteDirection = 'both' | 'pull' | 'push';

/** The file content that comes: what current versions name, or none. */
export type ContentScope = 'tips' | 'none';

/** How the node syncs with a remote by itself, and what of it. What is left out stays as it is. */
export interface RemoteSettingsBody {
  /**
   * Only these collections and what lies in them; empty: everything. What is here already goes on being followed.
   * @maxItems 1000
   */
  collections?: EntityId[];
  /**
   * Only entities of these types, and collections; empty: all. What is here already goes on being followed.
   * @maxItems 100
   */
  types?: TypeName[];
  content?: ContentScope;
  /** Whether the node syncs with it by itself, for as long as it runs. */
  watch?: boolean;
  /**
   * Kilobits a second at most, in both directions together; null: as fast as it goes.
   * @isInt
   * @minimum 8
   * @maximum 100000000
   */
  max_kbps?: number | null;
  /**
   * The hours of the day in which it is watched, in the node's time zone, as `22-6`; null: always.
   * @minLength 3
   * @maxLength 5
   */
  hours?: string | null;
}

export interface AddRemoteBody extends RemoteSettingsBody {
  name: RemoteName;
  /**
   * Its address: http or https, with a path where the endpoints have one in front.
   * @minLength 1
   * @maxLength 2000
   */
  url: string;
  /**
   * An API key for it. It is kept on this node and never shown. Without one, nothing can be pushed.
   * @minLength 1
   * @maxLength 500
   * @pattern ^[\x21-\x7e]+$ must be one word of plain characters
   */
  key?: string;
  /** The default is `both` with a key and `pull` without. */
  direction?: RemoteDirection;
}

/** Numbers of the remote's feed, from the first to the last. */
export interface FeedInterval {
  /** @isInt */
  first: number;
  /** @isInt */
  last: number;
}

export interface LostInterval extends FeedInterval {
  /** Everything was compared since, tip by tip: all that the remote lists, and all that was known of it. */
  swept: boolean;
  /** But for what the remote does not list, since it has no list of its collections. */
  uncatalogued: boolean;
}

export interface CheckRemoteBody {
  /**
   * Its address, as it would be added.
   * @minLength 1
   * @maxLength 2000
   */
  url: string;
  /**
   * @minLength 1
   * @maxLength 500
   * @pattern ^[\x21-\x7e]+$ must be one word of plain characters
   */
  key?: string;
}

/** What an address answers; nothing of it is kept. */
export interface RemoteCheckView {
  /** Its instance id where it is an Archeion node. */
  instance: string | null;
  /** The user that the key is of, there; null without a key. */
  user: string | null;
}

export interface RenameRemoteBody {
  name: RemoteName;
}

export interface RemoteAddressBody {
  /**
   * Its address from now on, as it would be added.
   * @minLength 1
   * @maxLength 2000
   */
  url: string;
  /**
   * An API key for it, which takes the place of the one before; null: none any more. The one before is not sent to the new address then.
   * @minLength 1
   * @maxLength 500
   * @pattern ^[\x21-\x7e]+$ must be one word of plain characters
   */
  key?: string | null;
  /** As with another key. */
  direction?: RemoteDirection;
}

export interface RemoteKeyBody {
  /**
   * An API key for it, which takes the place of the one before; null: none any more, so that nothing is pushed.
   * @minLength 1
   * @maxLength 500
   * @pattern ^[\x21-\x7e]+$ must be one word of plain characters
   */
  key: string | null;
  /** Left out: as it was; `both` where it had no key; `pull` without a key. */
  direction?: RemoteDirection;
}

/** An entity that differs from what a remote is known to have. */
export interface PendingChangeView {
  id: EntityId;
  type: string;
  label: string;
  /**
   * What the next sync would do there: `ask` looks at an answer that was lost, `same` and `prefer` agree on one of two
   * versions that say the same, `none` waits, as `standing` says.
   */
  intent: 'none' | 'same' | 'ask' | 'prefer' | 'create' | 'update' | 'delete' | 'restore';
  standing: 'quiet' | 'sending' | 'refused' | 'conflict' | 'unreadable';
  /** The tip here. */
  here: VersionCid | null;
  /** The tip there, as far as it is known. */
  there: VersionCid | null;
  /** What it points at that the remote is not known to have, and that would not go there with it; at most a hundred. */
  lacks: EntityId[];
}

export interface PendingChangesView {
  changes: PendingChangeView[];
  /**
   * For the next page; null on the last.
   * @isInt
   */
  next: number | null;
}

export interface RemoteView {
  name: string;
  url: string;
  direction: RemoteDirection;
  /** Whether there is a key for it. */
  keyed: boolean;
  /** The user that the key is of, there; it is the author of what is pushed. */
  user: string | null;
  /** Its instance id where it is an Archeion node. */
  instance: string | null;
  /** Empty: all. */
  collections: EntityId[];
  /** Empty: all. */
  types: string[];
  content: ContentScope;
  /** Whether the node syncs with it by itself. */
  watch: boolean;
  /** @isInt */
  max_kbps: number | null;
  hours: string | null;
  /** The same as all that follows, in plain sentences. */
  words: string[];
  /**
   * Entities that are known to be here and there.
   * @isInt
   */
  mirrored: number;
  /**
   * Entities whose version here is to be pushed.
   * @isInt
   */
  pending: number;
  /** @isInt */
  conflicts: number;
  /**
   * Entities that the remote did not take.
   * @isInt
   */
  refused: number;
  /** The events that have been dealt with. */
  seen: FeedInterval[];
  /** Events that the feed no longer had when this node asked. */
  lost: LostInterval[];
  lag: {
    /**
     * Events that its feed held when it was last asked and that have not been dealt with; null where it was not asked.
     * @isInt
     */
    events: number | null;
    /**
     * How far behind that is: no unread event is older. Null where its feed was never read to the end.
     * @isInt
     */
    seconds: number | null;
  };
  /** When its feed was last read to the end; null where it never was. What came since is not known here. */
  all_read_at: string | null;
  /**
   * Hours until the first events that are unread, or may be, leave its feed: thirty days after `all_read_at`. Null where
   * it was never read to the end.
   * @isInt
   */
  unread_expire_in_h: number | null;
  /** What the sync under way has done so far; null where there is none. */
  running: SyncReportView | null;
  last_run: SyncRunView | null;
  /** When the node syncs with it next by itself; null where it is not watched. */
  next_run_at: string | null;
  /** How many entities could not be taken over, by reason: forbidden, missing, mismatch, unverifiable, incomplete, failing. */
  troubles: { [reason: string]: number };
  /** The first hundred of them. */
  unreadable: { id: EntityId; trouble: string; evidence: string | null }[];
  /** How many file contents could not be had, by reason: missing, forbidden, mismatch; or sent: unsent (no address for them). */
  contents: { [reason: string]: number };
  /** The first hundred of them: the entity that names the content, and its CID. */
  missing_content: { id: EntityId; cid: string; trouble: string; evidence: string | null }[];
  /**
   * What was refused, in the remote's words; a hundred at most: of what was refused in other words each the first, then the second
   * ones, and so on.
   */
  refusals: {
    id: EntityId;
    /** @isInt */
    status: number;
    words: string;
    /**
     * How many were refused in these words.
     * @isInt
     */
    alike: number;
  }[];
  /**
   * Collections of which it could not be read what they hold, with what was said to that; the first hundred. They are asked for
   * again by itself. Null for those in which the user of the key holds a role.
   */
  unlisted: { collection: EntityId | null; words: string }[];
}

export interface RemotesView {
  remotes: RemoteView[];
}

export interface FilesSent {
  /** @isInt */
  files: number;
  /** @isInt */
  bytes: number;
}

export interface FilesCame extends FilesSent {
  /**
   * Files that could not be had: the remote does not have or does not show their bytes, or gave others.
   * @isInt
   */
  missing: number;
}

/** What a sync did. */
export interface SyncReportView {
  /** @isInt */
  events: number;
  /** @isInt */
  entities: number;
  /** @isInt */
  versions: number;
  /** @isInt */
  created: number;
  /** @isInt */
  updated: number;
  /** @isInt */
  deleted: number;
  /** @isInt */
  restored: number;
  /** @isInt */
  refused: number;
  /**
   * Entities that both sides had changed, in different places.
   * @isInt
   */
  merged: number;
  /** @isInt */
  conflicts: number;
  /**
   * What the remote names and could not be taken over, and was not known for it.
   * @isInt
   */
  troubles: number;
  /** File content that came. */
  content: FilesCame;
  /** File content that went there. */
  sent: FilesSent;
  /** Events that were gone before this node saw them. */
  lost: FeedInterval | null;
  /** Everything was compared, tip by tip: for events that were gone, or after a reset. */
  swept: boolean;
  /** The remote does not list its collections: what rested there for longer than its feed tells is not known. */
  uncatalogued: boolean;
  /**
   * The newest event of its feed.
   * @isInt
   */
  head: number | null;
  /** Why it ended early. */
  stopped: string | null;
  /** The same in a word, and numbers. */
  stop: StopView | null;
}

/**
 * Why somebody has to look before a sync goes on: another node is there (`other`), it is not what it was (`reset`), or
 * `count` of `of` entities would be deleted here (`deletions`) or changed there (`changes`).
 */
export interface StopView {
  kind: 'other' | 'reset' | 'deletions' | 'changes';
  /** @isInt */
  count?: number;
  /** @isInt */
  of?: number;
}

export interface SyncRunView {
  started_at: string;
  ended_at: string;
  report: SyncReportView;
  /** Why it failed. */
  error: string | null;
  /** The same in a word: no answer, its key does not count there, asked to wait, ended from here, or something else. */
  fault: 'unreachable' | 'denied' | 'held' | 'ended' | 'other' | null;
}

/** One line of what somebody sees who watches a remote: a run that has ended, in the first line none. */
export interface WatchLineView {
  run: SyncRunView | null;
  /** When the next run begins; null where one is under way. */
  next_run_at: string | null;
}

/** One line of a sync's answer: what it has done so far, and at the end what it did, or what it would do. */
export interface SyncLineView {
  progress?: SyncReportView;
  done?: SyncReportView;
  preview?: SyncPreviewView;
}
