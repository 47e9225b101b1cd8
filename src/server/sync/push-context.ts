import type { FileStore } from '../blocks/file-store.ts';
import type { PartialFiles } from '../blocks/partial-files.ts';
import type { FeedMemory, SyncContext } from './arrivals.ts';
import type { FeedEvent } from './feed.ts';
import type { FormMemory } from './fetch-bytes.ts';

/** What the node remembers of a remote and its content between runs; a restart forgets it, and everything is compared again. */
export interface ContentMemory extends FormMemory, FeedMemory {
  /** All that had moved up to this move has been compared; null: nothing. */
  compared: number | null;
  /** How many bytes had been kept here by then (FileStore.keptSoFar). */
  kept: number;
}

/** Of a remote with which this process has not synced yet. */
export function nothingKnown(): ContentMemory {
  const missing = { after: 0, done: true, again: 0, tries: 0 };
  return { compared: null, kept: 0, form: null, settled: new Set(), recent: new Set(), missing, deletedMet: false };
}

/** What a run works with beyond a pull. */
export interface PushContext extends SyncContext, PushNotes {
  /** This node's own id. */
  instance: string;
  files: FileStore;
  partials: PartialFiles;
  memory: ContentMemory;
  /** What is being fetched, by network and CID: the name of the remote that gave it when it was asked for by its CID, else null. */
  flights: Map<string, Promise<string | null>>;
  /** As in the memory. */
  settled: Set<string>;
  /** More bytes of versions are not sent by one request: the remote, or what stands before it, took no more. */
  roomThere: number;
}

/** What a push comes to know while it runs. */
export interface PushNotes {
  /**
   * Collections, and entities that are in none, into which the remote takes no versions by others than the key's user; as blocks,
   * that is.
   */
  ownOnly: Set<string>;
  /** Folders that leave their places before they take new ones; `linking`: all have. */
  unlinked: Set<string>;
  linking: boolean;
  /** Collections that are but restored at first: what they say beyond that waits for what lies in them. */
  restoring: Set<string>;
  /** Entities whose requests are not answered by a remote that answers others, by id, with what is known of why. */
  failing: Map<string, string>;
  /** Collections and groups that take rights which what failed, or bytes for which there is no address, need yet. */
  waiting: Set<string>;
  /** The version of an entity, by id, that was sent as blocks in this run and answered, or cannot go so. */
  offered: Map<string, string>;
  /** Entities whose blocks were sent and not answered, by id, with what is known of why. */
  lost: Map<string, string>;
  /** Entities whose requests were answered in this run with versions that the remote does not show yet. */
  unshown: Set<string>;
  /** Deletions there of what is live here, which the push has met; they wait for the brake's word. */
  buried: FeedEvent[];
  /** Entities whose bytes the remote wants before it takes their names. */
  bytesFirst: Set<string>;
}

/** Of a push that begins. */
export function nothingNoted(): PushNotes {
  return {
    ownOnly: new Set(),
    unlinked: new Set(),
    linking: false,
    restoring: new Set(),
    failing: new Map(),
    waiting: new Set(),
    offered: new Map(),
    lost: new Map(),
    unshown: new Set(),
    buried: [],
    bytesFirst: new Set(),
  };
}
