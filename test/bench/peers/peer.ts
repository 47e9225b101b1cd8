import type { Server } from '../processes.ts';

/** One request of a load. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: string;
}

/** A document as a client of the peer knows it: its name there, and what an update has to state. */
export interface Document {
  id: string;
  revision: string;
}

/** The document store of a peer, over HTTP. */
export interface Documents {
  /** Headers of every request. */
  headers: Record<string, string>;
  create(n: number): Request;
  /** At most `batchSize` documents at once. */
  batch(numbers: number[]): Request;
  /** What a batch was answered, in the order in which it was sent. */
  written(answer: string): Document[];
  get(document: Document): Request;
  update(document: Document, n: number): Request;
  /** What an update with a stale revision is answered. */
  refusal: number;
}

/** The feed of a peer: how many changes each page brings, until there are no more. */
export type Changes = () => AsyncIterable<number>;

export interface Edge {
  source: string;
  target: string;
}

/** Shortest paths of up to three steps, whichever way an edge points: the length, or null where there is none. */
export type Paths = (from: string, to: string) => Promise<number | null>;

/** The names of the nearest neighbours of a document, without itself. */
export type Nearest = (id: string, k: number) => Promise<string[]>;

/** What is measured beside the node. What a peer does not do is not there. */
export interface Peer extends AsyncDisposable {
  name: string;
  server: Server;
  documents?: Documents;
  changes?: Changes;
  /** Copies everything to a second instance; gives how many documents are there afterwards. */
  replicate?(): Promise<number>;
}

export const batchSize = 100;
