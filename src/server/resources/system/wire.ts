/** Whether the node runs, and which it is. */
export interface Health {
  status: 'ok';
  /** The node's own id; a data folder's `node.json` is live while this answers. */
  instance: string;
  version: string;
  /** @isInt */
  uptime_s: number;
}

/** What one node asks another before they sync. */
export interface NodeCard {
  instance: string;
  version: string;
  /** The service's name on the wire: of the network header, the schemas and the inline references. */
  service: string;
  /** What this node can do beyond the public interface. */
  capabilities: string[];
  sync: NodeSyncView;
}

/** How nodes sync beyond the public interface; a member says by its number in which form. */
export interface NodeSyncView {
  /**
   * Versions as blocks, in both directions: POST /node/sync/blocks and POST /node/sync/push; tips, POST /node/sync/tips; what is
   * live, GET /node/sync/entities.
   * @isInt
   */
  blocks: number;
  /**
   * Events as they happen: GET /node/events/stream.
   * @isInt
   */
  live: number;
}

/** The public key of the node's signatures: under heads of the attestation log, and requests to processors. */
export interface SigningKeyView {
  /** 32 bytes, base64. */
  public_key: string;
  algorithm: 'Ed25519';
  /** The first 16 hexadecimal digits of the key's SHA-256. */
  key_id: string;
}
