import type { RemoteView } from '../remotes/wire.ts';

/** One network's storage. */
export interface NetworkStatusView {
  network: 'main' | 'test';
  /** @isInt */
  entities: number;
  /** @isInt */
  deleted: number;
  /**
   * How often a tip has moved.
   * @isInt
   */
  moves: number;
  /**
   * The database with its log.
   * @isInt
   */
  database_bytes: number;
  /** Why what is written stays in the log of the database or of the attestation log's, which grows, in words; else null. */
  database_problem: string | null;
  /**
   * The content of files, with what no version names and is not deleted yet.
   * @isInt
   */
  file_bytes: number;
  /**
   * What searches look in; it can be made again from the database.
   * @isLong
   */
  index_bytes: number;
  /** What searches look in. */
  index: {
    /**
     * So many of the moves are in it.
     * @isInt
     */
    moves: number;
    /** Whether something remains to be done. */
    behind: boolean;
    /** Whether the vectors, by which like texts are found, are still being made; searches by words are whole without. */
    learning: boolean;
    /**
     * Why it cannot go on, in words; where nothing remains to be done, of which entities it could only take up the labels; else
     * null.
     */
    problem: string | null;
  };
  /** What a stop of the node has left that it goes on with now, and imports of archives that broke off. */
  resumed: LeftWorkView[];
  /** The nodes and services that it syncs with. */
  remotes: RemoteView[];
}

/** Work that a stop of the node, or a failure, has left. */
export interface LeftWorkView {
  /** `archive`: an import of one is completed; `jobs`: it is looked what became of jobs, before any that waits is sent. */
  what: 'archive' | 'jobs';
  /** The file of the archive, where that is known. */
  name: string | null;
  /**
   * So many entities or jobs so far; null where an import broke off, which the next start of the node completes.
   * @isInt
   */
  done: number | null;
}

/** What the node is and holds. */
export interface NodeStatusView {
  /** Where this request reached it. */
  url: string;
  version: string;
  instance: string;
  /** The data folder. */
  data: string;
  /**
   * What the disk of the data folder has left.
   * @isLong
   */
  free_bytes: number;
  /** @isInt */
  uptime_s: number;
  /**
   * Resident memory.
   * @isInt
   */
  memory_bytes: number;
  /** Why what is written stays in the log of the accounts' or the chats' database, which grows, in words; else null. */
  database_problem: string | null;
  /** Those that have been used. */
  networks: NetworkStatusView[];
}
