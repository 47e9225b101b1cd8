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
  /** What this node can do beyond the public interface. */
  capabilities: string[];
}
