import type { JsonObject } from '../model/manifest.ts';

/** What a processor asks of the node; over HTTP in node-client.ts. Every call throws NodeCallError where it is refused. */
export interface NodeApi {
  /** @throws NodeCallError 404 */
  read(id: string): Promise<EntityView>;
  /** With an `id` that is there already, what is there is left alone and no error. */
  create(entity: NewEntity): Promise<{ id: string }>;
  /**
   * Adds to entities without knowing their tips; kept when it returns, applied soon after. Where the error names an
   * entity, what was for others may have been kept.
   */
  add(additions: Addition[]): Promise<void>;
  /** The same, where the way to the node can: applied when it returns. Over HTTP it is `add`. */
  addNow(additions: Addition[]): Promise<void>;
  /**
   * `addNow` of one, with others that are kept in the same moment and applied soon after; false, with nothing done, where the node
   * does not take those now. Only where the way to the node can.
   */
  addWith?(addition: Addition, behind: Addition[]): Promise<boolean>;
  /** Reads, changes and writes the properties, again where somebody else was faster; null leaves them as they are. */
  change(id: string, next: (properties: Properties) => Properties | null): Promise<Properties>;
  /** Starts a klados on something; the same start asked for again is answered like the first. */
  invoke(klados: string, invocation: Invocation): Promise<Invoked>;
}

export type Properties = Record<string, unknown>;

export interface EntityView {
  id: string;
  cid: string;
  type: string;
  properties: Properties;
  relationships: Link[];
}

export interface Link {
  predicate: string;
  peer: string;
  peer_type?: string | undefined;
  properties?: Properties | undefined;
}

export interface NewEntity {
  id?: string | undefined;
  type: string;
  collection: string;
  properties: Properties;
  relationships?: Link[] | undefined;
}

export interface Addition {
  entity_id: string;
  properties?: Properties | undefined;
  relationships_add?: Link[] | undefined;
  /** Kept with the version. */
  note?: string;
}

/** The body of `POST /kladoi/{id}/invoke` as a processor sends it. */
export interface Invocation {
  target_entity?: string;
  target_entities?: string[];
  target_collection: string;
  job_collection: string;
  input?: JsonObject;
  /** Seconds, 60..86400. */
  expires_in: number;
  confirm: true;
  rhiza: {
    id: string;
    path: string[];
    parent_logs: string[];
    batch?: { id: string; index: number; total: number };
    scatter_total?: number;
    /** Tells the outputs of a scatter without a batch apart, so that equal ones are several. */
    scatter_index?: number;
    recurse_depth?: number;
  };
}

export type Invoked = { started: true; job_id: string } | { started: false; error: string };
