import type { EntityId } from '../../wire.ts';

/** A relationship that stands in another entity and leads to this one. */
export interface IncomingLinkView {
  predicate: string;
  peer_id: EntityId;
  peer_type: string;
  peer_label: string | null;
}

export interface IncomingLinksView {
  /** By predicate. */
  relationships: IncomingLinkView[];
  /**
   * How many there are in all; on further pages, how many there were when the first one was read.
   * @isInt
   */
  total: number;
  /** For `after` of the next page; null on the last one. */
  next: string | null;
}
